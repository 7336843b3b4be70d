"""Families of matrices for factorisations: well behaved, graded, rank-deficient, LAPACK's own, and ``mixed``.

All are float32 batches of m x n with m >= n, row-major, from 32 secret bytes. The profiles of ``mixed`` cost a few
passes over the matrix each, since every timed call gets a fresh batch; those built from singular values don't hurry.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch

from problems.inputs import generator

Floats = npt.NDArray[np.float32]
Profile = Callable[[np.random.Generator, Floats], None]
Family = Callable[[np.random.Generator, int, int, int], npt.NDArray[np.floating]]
EPS = float(np.finfo(np.float32).eps)
# slatb4.f: BADC1, BADC2, SMALL and LARGE in single precision, EPS being half a unit in the last place.
_BAD2 = 0.1 / (EPS / 2)
_BAD1 = _BAD2**0.5
_SMALL = 0.25 * float(np.finfo(np.float32).tiny) / (EPS / 2)
_LARGE = 1.0 / _SMALL


def matrices(batch: int, m: int, n: int, family: str, key: bytes) -> torch.Tensor:
    """A float32 tensor [batch, m, n] of one of :data:`MATRICES`. Raises ValueError for an unknown family or m < n."""
    if family not in MATRICES:
        raise ValueError(f"unknown matrix family {family!r}; there are {', '.join(sorted(MATRICES))}")
    if not (batch >= 1 and m >= n >= 1):
        raise ValueError(f"expected batch >= 1 and m >= n >= 1, not batch={batch}, m={m}, n={n}")
    values = MATRICES[family](generator(key), batch, m, n)
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))


# Profiles: change a standard normal m x n matrix in place.


def _dense(rng: np.random.Generator, a: Floats) -> None:
    a *= np.logspace(0, -rng.uniform(0, 4), a.shape[1], dtype=np.float32)


def _rankdef(rng: np.random.Generator, a: Floats) -> None:
    n = a.shape[1]
    rank = max(1, (3 * n) // 4)
    mix = rng.standard_normal((rank, n - rank), dtype=np.float32)
    a[:, rank:] = a[:, :rank] @ mix / np.float32(rank**0.5)


def _nearrank(rng: np.random.Generator, a: Floats) -> None:
    noise = a[:, (3 * a.shape[1]) // 4 :] * np.float32(EPS * 16)
    _rankdef(rng, a)
    a[:, a.shape[1] - noise.shape[1] :] += noise


def _clustered(rng: np.random.Generator, a: Floats) -> None:
    # Half of the columns at four units of rounding: what looks only at the norm of the matrix never sees them.
    a *= np.where(rng.permutation(a.shape[1]) % 2 == 0, np.float32(1), np.float32(4 * EPS))


def _rowscale(rng: np.random.Generator, a: Floats) -> None:
    a *= np.power(10.0, rng.uniform(-4, 0, (a.shape[0], 1))).astype(np.float32)


def _banded(_rng: np.random.Generator, a: Floats) -> None:
    m, n = a.shape
    width = max(1, n // 16)
    a[np.abs(np.arange(m)[:, None] - np.arange(n)[None, :]) > width] = 0


def _graded(rng: np.random.Generator, a: Floats) -> None:
    a *= rng.permutation(np.logspace(-6, 6, a.shape[1])).astype(np.float32)


def _duplicate(rng: np.random.Generator, a: Floats) -> None:
    n = a.shape[1]
    a[:, :] = a[:, rng.integers(0, max(1, n // 2), n)]


def _collinear(rng: np.random.Generator, a: Floats) -> None:
    a *= np.float32(1e-4)
    a += rng.standard_normal((a.shape[0], 1), dtype=np.float32)


def _upper(_rng: np.random.Generator, a: Floats) -> None:
    a[np.arange(a.shape[0])[:, None] > np.arange(a.shape[1])[None, :]] = 0


def _lower(_rng: np.random.Generator, a: Floats) -> None:
    a[np.arange(a.shape[0])[:, None] < np.arange(a.shape[1])[None, :]] = 0


def _zerocolumns(rng: np.random.Generator, a: Floats) -> None:
    a[:, rng.random(a.shape[1]) < 0.25] = 0


def _normal(_rng: np.random.Generator, _a: Floats) -> None:
    """Nothing to change."""


PROFILES: dict[str, Profile] = {
    "banded": _banded,
    "clustered": _clustered,
    "collinear": _collinear,
    "dense": _dense,
    "duplicate": _duplicate,
    "graded": _graded,
    "lower": _lower,
    "nearrank": _nearrank,
    "normal": _normal,
    "rankdef": _rankdef,
    "rowscale": _rowscale,
    "upper": _upper,
    "zerocolumns": _zerocolumns,
}
# Half of a mixed batch is well behaved, so that looking at a few matrices tells nothing about the rest.
_MIXED = (
    "normal",
    "dense",
    "rankdef",
    "clustered",
    "nearrank",
    "rowscale",
    "banded",
    "graded",
    "duplicate",
    "collinear",
)


def _profiled(profile: Profile) -> Family:
    def family(rng: np.random.Generator, batch: int, m: int, n: int) -> Floats:
        values = rng.standard_normal((batch, m, n), dtype=np.float32)
        for matrix in values:
            profile(rng, matrix)
        return values

    return family


def _mixed(rng: np.random.Generator, batch: int, m: int, n: int) -> Floats:
    values = rng.standard_normal((batch, m, n), dtype=np.float32)
    hard = rng.integers(1, len(_MIXED), batch)
    for matrix, choice in zip(values, np.where(rng.random(batch) < 0.5, 0, hard), strict=True):
        PROFILES[_MIXED[int(choice)]](rng, matrix)
    return values


# Families with given singular values, as LAPACK's slatms makes them: U diag(s) V' with orthogonal U and V.


def _orthogonal(rng: np.random.Generator, batch: int, m: int, n: int) -> npt.NDArray[np.float64]:
    q, r = np.linalg.qr(rng.standard_normal((batch, m, n)))
    return np.asarray(q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :])


def _spectrum(condition: float, norm: float = 1.0) -> Family:
    def family(rng: np.random.Generator, batch: int, m: int, n: int) -> npt.NDArray[np.float64]:
        # Mode 3: geometric from norm to norm / condition.
        values = norm * np.power(condition, -np.arange(n) / max(1, n - 1))
        return np.asarray((_orthogonal(rng, batch, m, n) * values) @ _orthogonal(rng, batch, n, n))

    return family


def _diagonal(rng: np.random.Generator, batch: int, m: int, n: int) -> npt.NDArray[np.float64]:
    values = np.power(_BAD1, -np.arange(n) / max(1, n - 1)) * rng.choice((-1.0, 1.0), (batch, 1, n))
    return np.asarray(np.eye(m, n) * values)


def _identity(_rng: np.random.Generator, batch: int, m: int, n: int) -> npt.NDArray[np.float64]:
    return np.broadcast_to(np.eye(m, n), (batch, m, n))


def _zero(_rng: np.random.Generator, batch: int, m: int, n: int) -> npt.NDArray[np.float64]:
    return np.zeros((batch, m, n))


def _kahan(rng: np.random.Generator, batch: int, m: int, n: int) -> npt.NDArray[np.float64]:
    angle = rng.uniform(0.9, 1.4, (batch, 1, 1))
    unit = np.triu(np.ones((m, n)), 1) * -np.cos(angle) + np.eye(m, n)
    return np.asarray(np.power(np.sin(angle), np.arange(m)[:, None]) * unit)


def _hilbert(rng: np.random.Generator, batch: int, m: int, n: int) -> npt.NDArray[np.float64]:
    scale = rng.uniform(1, 2, (batch, 1, 1))
    return np.asarray(scale / (np.arange(m)[:, None] + np.arange(n)[None, :] + 1))


def _vandermonde(rng: np.random.Generator, batch: int, m: int, n: int) -> npt.NDArray[np.float64]:
    return np.asarray(np.power(rng.uniform(-1, 1, (batch, m, 1)), np.arange(n)))


MATRICES: dict[str, Family] = {
    **{name: _profiled(profile) for name, profile in PROFILES.items()},
    "badly_conditioned": _spectrum(_BAD1),
    "diagonal": _diagonal,
    "hilbert": _hilbert,
    "identity": _identity,
    "kahan": _kahan,
    "mixed": _mixed,
    "near_overflow": _spectrum(2.0, _LARGE),
    "near_underflow": _spectrum(2.0, _SMALL),
    "vandermonde": _vandermonde,
    "very_badly_conditioned": _spectrum(_BAD2),
    "well_conditioned": _spectrum(2.0),
    "zero": _zero,
}
