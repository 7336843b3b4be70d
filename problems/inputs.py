"""Inputs from 32 secret bytes: generators that use all the bits, and families of vectors (NUMERICS: correctness).

Vectors are float32. Times matter here: every timed call gets fresh values, so ``integers`` draws 16 bits a value
and works in blocks that stay in the cache.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch

Floats = npt.NDArray[np.float32]
KEY_BYTES = 32
_BLOCK = 1 << 17
_MIXING_STEPS = 18  # After which, by the author's seeding, each bit of the seed has reached all of the state.
_MANTISSA = np.uint32(0x007FFFFF)
_SIGN = np.uint32(0x80000000)


def bits(key: bytes, purpose: str = "inputs") -> np.random.SFC64:
    """The SFC64 stream of `key` (32 bytes) for `purpose`; every bit of both matters.

    Doty-Humphrey's generator of 256 bits of state, twice as fast as Philox. 192 bits come from the hash; the last
    word counts steps and starts at 1, as the author demands. What of a stream is known may tell the rest of it:
    streams are one call's inputs, all of which a submission sees at once.
    """
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key is {KEY_BYTES} bytes, not {len(key)}")
    words = np.frombuffer(hashlib.sha256(key + purpose.encode()).digest(), dtype="<u8")
    stream = np.random.SFC64(0)
    state = np.array([*words[:3], 1], dtype=np.uint64)
    stream.state = {"bit_generator": "SFC64", "state": {"state": state}, "has_uint32": 0, "uinteger": 0}
    stream.random_raw(_MIXING_STEPS, output=False)
    return stream


def generator(key: bytes, purpose: str = "inputs") -> np.random.Generator:
    """A numpy generator on the stream :func:`bits`."""
    return np.random.Generator(bits(key, purpose))


def seed_of(key: bytes) -> int:
    """A seed of 31 bits, for generators of GPU MODE's format, which take no more; secret and new for every call."""
    return int.from_bytes(hashlib.sha256(key + b"seed").digest()[:4], "big") >> 1


def vector(n: int, family: str, key: bytes) -> torch.Tensor:
    """A float32 vector of `n` values of one of :data:`VECTORS`. Raises ValueError for an unknown family or n < 1."""
    if family not in VECTORS:
        raise ValueError(f"unknown vector family {family!r}; there are {', '.join(sorted(VECTORS))}")
    if n < 1:
        raise ValueError(f"a vector has one or more values, not {n}")
    values = np.ascontiguousarray(VECTORS[family](n, key), dtype=np.float32)
    return torch.from_numpy(values)


def integer_bits(n: int) -> int:
    """The k for which non-zero integers up to 2**k in size almost surely have exact float32 partial sums.

    2**k <= 2**24 sqrt(3) / (6 sqrt(n)): six standard deviations of the sum stay below 2**24. At most 15.
    """
    return max(0, min(15, math.floor(math.log2(2**24 * math.sqrt(3) / (6 * math.sqrt(n))))))


def _integers(n: int, key: bytes) -> Floats:
    shift = 15 - integer_bits(n)
    stream = bits(key)
    values = np.empty(n, dtype=np.float32)
    for start in range(0, n, _BLOCK):
        part = values[start : start + _BLOCK]
        words = np.asarray(stream.random_raw(-(-len(part) // 4))).view(np.int16)[: len(part)]
        words >>= shift
        # -2**k … 2**k - 1 becomes -2**k … -1, 1 … 2**k: no zero, and no sign is favoured.
        words += words >= 0
        part[:] = words
    return values


def _normal(n: int, key: bytes) -> Floats:
    return generator(key).standard_normal(n, dtype=np.float32)


def _uniform(n: int, key: bytes) -> Floats:
    return generator(key).random(n, dtype=np.float32)


def _pairs(n: int, key: bytes) -> Floats:
    rng = generator(key)
    values = rng.standard_normal(n, dtype=np.float32)
    half = n // 2
    values[half : 2 * half] = -values[:half]
    rng.shuffle(values)
    return values


def _offset(n: int, key: bytes) -> Floats:
    return np.asarray(np.float32(1e4) + generator(key).standard_normal(n, dtype=np.float32))


def _lognormal(n: int, key: bytes) -> Floats:
    return np.asarray(np.exp(np.float32(3) * generator(key).standard_normal(n, dtype=np.float32)))


def _loguniform(n: int, key: bytes) -> Floats:
    rng = generator(key)
    sizes = np.power(10.0, rng.uniform(-6, 6, n)).astype(np.float32)
    return np.asarray(np.copysign(sizes, rng.random(n, dtype=np.float32) - np.float32(0.5)))


def _spike(n: int, key: bytes) -> Floats:
    rng = generator(key)
    values = np.float32(0.5) + rng.random(n, dtype=np.float32)
    # Among the first half, so that a serial sum loses all that comes after it.
    values[rng.integers((n + 1) // 2)] = 2.0 ** rng.uniform(26, 28)
    return values


def _subnormal(n: int, key: bytes) -> Floats:
    words = generator(key).integers(0, 2**32, n, dtype=np.uint32)
    return (words & (_MANTISSA | _SIGN)).view(np.float32)


VECTORS: dict[str, Callable[[int, bytes], Floats]] = {
    "integers": _integers,
    "lognormal": _lognormal,
    "loguniform": _loguniform,
    "normal": _normal,
    "offset": _offset,
    "pairs": _pairs,
    "spike": _spike,
    "subnormal": _subnormal,
    "uniform": _uniform,
}
