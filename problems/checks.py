"""Named checks, as ``check:`` of ``task.yml`` chooses them. They compute in float64, on the judge's own copies."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from problems import qr
from problems.inputs import Floats
from problems.model import Param, SpecError
from problems.results import Answer, CheckResult, failed, passed

Reference = Callable[[Any], Any]
Check = Callable[[Answer, Reference, dict[str, Param]], CheckResult]
_FSUM_MOST = 4096
_BLOCK = 1 << 16
_TINY = 2.0**-126


def mean_check(answer: Answer, _reference: Reference, _params: dict[str, Param]) -> CheckResult:
    """The mean of a float32 vector: |y - m| <= 2 u_out |m| + 8 u log2(n) mean|x|, u = 2**-24, log2(n) at least 1.

    m is the exact sum of the inputs (math.fsum; in float64 for long vectors, which errs far below the limit) by n.
    u_out is half a unit in the last place of the output's type. Inputs and output may be flushed to zero below
    2**-126. For the family ``integers``, whose float32 partial sums are exact, y must be one unit from m at most.
    """
    x, y = answer.data, answer.outputs[0]
    found = float(y.reshape(()))
    n = x.numel()
    exact = answer.params.get("family") == "integers"
    total, size = _sums(x.numpy(), with_size=not exact)
    m = total / n
    rounded = float(torch.tensor(m, dtype=torch.float64).to(y.dtype))
    unit = torch.finfo(y.dtype).eps
    if exact:
        # A unit of the correctly rounded mean: |m| in [2**e, 2**(e + 1)) has units of eps * 2**e.
        limit = unit * 2.0 ** math.floor(math.log2(abs(rounded))) if rounded else torch.finfo(y.dtype).smallest_normal
        expected, rule = rounded, "one unit in the last place"
    else:
        log = max(1.0, math.log2(n))
        limit = unit * abs(m) + 2.0**-24 * 8 * log * (size / n) + 2 * _TINY
        expected, rule = m, "2 u |m| + 8 u log2(n) mean|x|"
    if not math.isfinite(found):
        return failed(answer, math.inf, f"mean is {found}, expected {m:.9g}", "The mean is not finite")
    error = abs(found - expected) / limit
    if error <= 1:
        return passed(error)
    off = f"off by {abs(found - expected):.3g}, {error:.3g} times the limit {limit:.3g} ({rule})"
    return failed(answer, error, f"mean is {found:.9g}, expected {m:.9g}: {off}", "The mean is wrong")


def _sums(x: Floats, *, with_size: bool) -> tuple[float, float]:
    if len(x) <= _FSUM_MOST:
        values = x.tolist()
        return math.fsum(values), math.fsum(map(abs, values))
    total, size = float(x.sum(dtype="float64")), 0.0
    for start in range(0, len(x) if with_size else 0, _BLOCK):
        size += float(abs(x[start : start + _BLOCK]).sum(dtype="float64"))
    return total, size


def qr_check(answer: Answer, _reference: Reference, _params: dict[str, Param]) -> CheckResult:
    """A QR factorisation of every matrix of a batch, see :mod:`problems.qr`."""
    return qr.check(answer)


def allclose_check(answer: Answer, reference: Reference, params: dict[str, Param]) -> CheckResult:
    """Every value against the reference's: |y - e| <= atol + rtol |e|, in float64; integers and booleans exactly.

    ``rtol`` and ``atol`` hold for every type, ``rtol_float16`` and the like for one. Their defaults follow the
    output's precision and scale: 16 eps, and 16 eps times the mean of |e|. Infinities and NaN must match.
    """
    expected = tensors_of(reference(answer.data))
    if len(expected) != len(answer.outputs):
        raise SpecError(f"reference.py: ref_kernel returns {len(expected)} tensors, {len(answer.outputs)} are declared")
    worst = 0.0
    for index, (found, want) in enumerate(zip(answer.outputs, expected, strict=True)):
        if found.shape != want.shape:
            raise SpecError(f"reference.py: output {index} has shape {tuple(want.shape)}, not {tuple(found.shape)}")
        error, place = _furthest(found, want, params)
        if error > 1:
            where = f"output {index} at {tuple(place)}" if len(expected) > 1 else f"output at {tuple(place)}"
            got, wanted = found[tuple(place)].item(), want[tuple(place)].item()
            return failed(answer, error, f"{where} is {got}, expected {wanted}: {error:.3g} times the limit")
        worst = max(worst, error)
    return passed(worst)


def _furthest(found: torch.Tensor, want: torch.Tensor, params: dict[str, Param]) -> tuple[float, list[int]]:
    if found.numel() == 0:
        return 0.0, []
    if not want.dtype.is_floating_point:
        ratio = (found != want).double() * math.inf
    else:
        rtol, atol = (_tolerance(kind, found.dtype, params) for kind in ("rtol", "atol"))
        e, y = want.double(), found.double()
        default = 16 * torch.finfo(found.dtype).eps
        scale = e.abs().nan_to_num(0.0, 0.0, 0.0).mean()
        limit = (scale * default if atol is None else atol) + (default if rtol is None else rtol) * e.abs()
        off = (y - e).abs()
        ratio = torch.where(off == 0, 0.0, off / limit.clamp_min(5e-324))
        finite = torch.isfinite(e) & torch.isfinite(y)
        same = (y == e) | (torch.isnan(y) & torch.isnan(e))
        ratio = torch.where(finite, ratio, torch.where(same, 0.0, math.inf))
    ratio = ratio.nan_to_num(0.0, math.inf)
    place = int(ratio.argmax())
    return float(ratio.flatten()[place]), [int(i) for i in torch.unravel_index(torch.tensor(place), ratio.shape)]


def _tolerance(kind: str, dtype: torch.dtype, params: dict[str, Param]) -> float | None:
    value = params.get(f"{kind}_{str(dtype).removeprefix('torch.')}", params.get(kind))
    return None if value is None else float(value)


def tensors_of(value: Any) -> tuple[torch.Tensor, ...]:
    """What a kernel returned, a tensor or a tuple, list or dict of tensors, as a tuple. Raises SpecError for others."""
    if isinstance(value, torch.Tensor):
        return (value,)
    if isinstance(value, dict):
        value = tuple(value.values())
    if not isinstance(value, (tuple, list)) or not all(isinstance(item, torch.Tensor) for item in value):
        raise SpecError(
            "reference.py: ref_kernel must return a tensor or a tuple of tensors; declare 'outputs' if it can't"
        )
    return tuple(value)


CHECKS: dict[str, Check] = {"allclose": allclose_check, "mean": mean_check, "qr": qr_check}
PARAMETERS: dict[str, tuple[str, ...]] = {"allclose": ("rtol", "atol"), "mean": (), "qr": ()}


def find(name: str, params: dict[str, Param]) -> Check:
    """The check called `name`. Raises SpecError if there is none, or if `params` are not its own."""
    if name not in CHECKS:
        raise SpecError(f"task.yml: check: there is no check {name!r}; there are {', '.join(sorted(CHECKS))}")
    for key, value in params.items():
        if key.split("_")[0] not in PARAMETERS[name] or isinstance(value, (str, bool)) or value < 0:
            known = ", ".join(PARAMETERS[name]) or "none"
            raise SpecError(f"task.yml: check.{key}: {name} takes numbers of at least 0 called: {known}")
    return CHECKS[name]
