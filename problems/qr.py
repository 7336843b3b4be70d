"""The gate for QR factorisations: column-wise backward error and orthogonality of every matrix, in float64.

With m rows, T = 8 max(8, sqrt(m)) and eps = 2**-23 each matrix needs, as NUMERICS says (Higham, Theorem 19.4):
|(QR - A) e_j| <= T eps |A e_j| for every column j, and |Q'Q - I|_F / sqrt(n) <= T eps. Columns of zeros must come
back as zeros. Nothing is compared with another factorisation: signs and ill-conditioning make R no unique thing.

Float64 needs no scaling: squares of what float32 holds, 1e-90 to 1e77, and sums of them are far from its ends. Only a
product of senseless reflectors can overflow, and is refused as not finite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from problems.inputs import generator
from problems.results import Answer, CheckResult, failed, passed

EPS = 2.0**-23
_VECTORS = 4
# Of the gate's limit: estimates above this get the full check.
_SUSPECT = 0.5


@dataclass(frozen=True)
class Worst:
    """The worst of some matrices; `error` is a multiple of the limit, `column` is None for orthogonality."""

    error: float
    matrix: int
    column: int | None


def limit_of(m: int) -> float:
    """T(m) eps: the largest accepted error of a matrix with `m` rows."""
    return 8 * max(8.0, math.sqrt(m)) * EPS


def check(answer: Answer) -> CheckResult:
    """Check the forms ``householder`` (H [b,m,n], tau [b,n]: torch.geqrf) and ``explicit`` (Q [b,m,n], R [b,n,n]).

    In full, every matrix; else four secret Gaussian vectors through every product for each matrix, and in full a
    secret tenth and every matrix whose estimate comes near the limit.
    """
    a = answer.data
    first, second = answer.outputs
    second = second if answer.form.name == "householder" else torch.triu(second)
    finite = torch.isfinite(first).flatten(1).all(1) & torch.isfinite(second).flatten(1).all(1)
    if not bool(finite.all()):
        matrix = int((~finite).nonzero()[0])
        return failed(
            answer, math.inf, f"matrix {matrix}: the factors hold NaN or infinity", "The factors are not finite"
        )
    factors = (first, second)
    chosen = torch.arange(a.shape[0]) if answer.full else _suspects(answer, a, factors)
    worst = _full(a[chosen], answer.form.name, (first[chosen], second[chosen]))
    if worst.error <= 1:
        return passed(worst.error)
    matrix, limit = int(chosen[worst.matrix]), limit_of(a.shape[-2])
    if worst.column is None:
        what, kind = f"|Q'Q - I|_F / sqrt(n) is {worst.error * limit:.3g}", "Q is not orthogonal"
    else:
        what = f"column {worst.column} of QR is off by {worst.error * limit:.3g} of its norm"
        kind = "QR is not A"
    return failed(answer, worst.error, f"matrix {matrix}: {what}, {worst.error:.3g} times the limit {limit:.3g}", kind)


def _full(a: torch.Tensor, form: str, factors: tuple[torch.Tensor, torch.Tensor]) -> Worst:
    m, n = a.shape[-2:]
    exact = a.double()
    q, r = _explicit(form, factors)
    columns = _column_errors(q @ r - exact, torch.linalg.vector_norm(exact, dim=-2))
    gram = q.mT @ q - torch.eye(n, dtype=torch.float64)
    orthogonality = torch.linalg.vector_norm(gram, dim=(-2, -1)) / math.sqrt(n)
    limit = limit_of(m)
    column_errors = _not_nan(columns / limit)
    orthogonality_errors = _not_nan(orthogonality / limit)
    worst_column = int(column_errors.argmax())
    worst_matrix = int(orthogonality_errors.argmax())
    by_column, by_matrix = float(column_errors.flatten()[worst_column]), float(orthogonality_errors[worst_matrix])
    if by_column >= by_matrix:
        return Worst(by_column, worst_column // n, worst_column % n)
    return Worst(by_matrix, worst_matrix, None)


def _explicit(form: str, factors: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    first, second = (factor.double() for factor in factors)
    if form == "explicit":
        return first, second
    n = first.shape[-1]
    return torch.linalg.householder_product(first, second), torch.triu(first[..., :n, :])


def _column_errors(residual: torch.Tensor, norms: torch.Tensor) -> torch.Tensor:
    errors = torch.linalg.vector_norm(residual, dim=-2)
    return torch.where(norms > 0, errors / norms, torch.where(errors == 0, 0.0, math.inf))


def _not_nan(errors: torch.Tensor) -> torch.Tensor:
    return errors.nan_to_num(math.inf, math.inf)


def _suspects(answer: Answer, a: torch.Tensor, factors: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """The matrices to check in full, sorted: a secret tenth, and those whose estimate is near or above the limit."""
    batch, m = a.shape[0], a.shape[-2]
    rng = generator(answer.key, "qr check")
    tenth = torch.from_numpy(rng.permutation(batch)[: -(-batch // 10)])
    vectors = torch.from_numpy(rng.standard_normal((2, batch, a.shape[-1], _VECTORS)))
    estimates = _estimates(a, answer.form.name, factors, vectors)
    chosen = torch.zeros(batch, dtype=torch.bool)
    chosen[tenth] = True
    return (chosen | (estimates > _SUSPECT * limit_of(m))).nonzero().flatten()


def _estimates(
    a: torch.Tensor, form: str, factors: tuple[torch.Tensor, torch.Tensor], vectors: torch.Tensor
) -> torch.Tensor:
    """Per matrix the larger of two estimates, each the root mean square over the vectors.

    For a residual E = (QR - A) D, D scaling A's columns to norm one, |E x|^2 averages |E|_F^2 over Gaussian x.
    """
    exact = a.double()
    norms = torch.linalg.vector_norm(exact, dim=-2)
    x = vectors[0] / torch.where(norms > 0, norms, 1.0)[..., None]
    first, second = (factor.double() for factor in factors)
    if form == "explicit":
        backward = first @ (second @ x) - exact @ x
        loss = first.mT @ (first @ vectors[1]) - vectors[1]
    else:
        n = first.shape[-1]
        both = torch.cat((torch.triu(first[..., :n, :]) @ x, vectors[1]), dim=-1)
        padded = torch.cat((both, both.new_zeros(*both.shape[:-2], first.shape[-2] - n, both.shape[-1])), dim=-2)
        images = torch.ormqr(first, second, padded)
        backward = images[..., :_VECTORS] - exact @ x
        back = torch.ormqr(first, second, images[..., _VECTORS:], transpose=True)
        loss = back[..., :n, :] - vectors[1]
    errors = torch.stack((_rms(backward), _rms(loss) / math.sqrt(a.shape[-1])))
    return _not_nan(errors).amax(0)


def _rms(vectors: torch.Tensor) -> torch.Tensor:
    return vectors.square().sum((-2, -1)).div(vectors.shape[-1]).sqrt()
