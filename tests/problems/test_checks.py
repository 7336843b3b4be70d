"""The gates against what numerical analysis says they must accept and refuse."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from problems import checks
from problems.inputs import VECTORS, vector
from problems.loader import CheckResult, OutputForm, Problem, TensorSpec, load
from problems.matrices import MATRICES, matrices
from problems.model import SpecError
from problems.qr import EPS, limit_of
from problems.results import Answer
from problems.spec import library
from tests.problems.keys import key

INTEGERS = {"n": 1, "family": "integers"}


def answer(data: Any, *outputs: torch.Tensor, form: str = "output", full: bool = True, **params: Any) -> Answer:
    specs = tuple(TensorSpec(str(y.dtype).removeprefix("torch."), tuple(y.shape)) for y in outputs)
    return Answer(params, data, OutputForm(form, specs), outputs, key(), full)


def mean(x: torch.Tensor, y: float | torch.Tensor, family: str = "normal") -> CheckResult:
    output = y if isinstance(y, torch.Tensor) else torch.tensor([y], dtype=torch.float32)
    return checks.mean_check(answer(x, output, family=family), lambda data: data, {})


@pytest.mark.parametrize("family", sorted(VECTORS))
@pytest.mark.parametrize("n", [1, 2, 3, 33, 4096, 4097, 100_003])
def test_honest_means_pass_with_margin(family: str, n: int) -> None:
    x = vector(n, family, key(n))
    for y in (x.mean(), torch.from_numpy(np.array(x.numpy().mean(dtype=np.float32))), x.double().mean().float()):
        result = mean(x, y.reshape(1), family)
        assert result.ok, result
        assert result.error <= (1 if family == "integers" else 0.5)


def test_the_limit_of_the_mean_is_the_formula() -> None:
    x = vector(1000, "normal", key())
    m = math.fsum(x.tolist()) / 1000
    limit = 2.0**-24 * (2 * abs(m) + 8 * math.log2(1000) * math.fsum(x.abs().tolist()) / 1000)
    output = torch.tensor([m + 0.99 * limit], dtype=torch.float64)
    wrong = torch.tensor([m + 1.01 * limit], dtype=torch.float64)
    # float64 outputs halve the first term to nothing; what is left is within 1 % here.
    assert mean(x, output).error == pytest.approx(0.99, rel=0.02)
    assert not mean(x, wrong).ok


def test_sums_of_long_vectors_agree_with_exact_ones() -> None:
    x = vector(70_001, "loguniform", key())
    m = math.fsum(x.tolist()) / 70_001
    assert mean(x, m).ok
    assert not mean(x, m + 1).ok


@pytest.mark.parametrize("off", [-2, -1, 0, 1, 2])
def test_integers_allow_one_unit_in_the_last_place(off: int) -> None:
    x = vector(999_999, "integers", key())
    exact = np.float32(x.double().sum().item() / 999_999)
    y = exact + np.float32(off) * np.spacing(abs(exact))
    result = mean(x, float(y), "integers")
    assert result.ok == (abs(off) <= 1), result
    assert result.error == pytest.approx(abs(off), abs=1e-6)


@given(st.integers(1, 3000), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_dividing_an_exact_sum_by_n_or_multiplying_by_its_inverse_both_pass(n: int, number: int) -> None:
    x = vector(n, "integers", key(number))
    total = x.sum()
    assert mean(x, (total / n).reshape(1), "integers").ok
    assert mean(x, (total * torch.tensor(1 / n, dtype=torch.float32)).reshape(1), "integers").ok


@given(st.integers(2, 3000), st.integers(0, 2**32), st.data())
@settings(max_examples=40, deadline=None)
def test_one_value_left_out_of_integers_always_shows(n: int, number: int, data: st.DataObject) -> None:
    x = vector(n, "integers", key(number))
    left_out = data.draw(st.integers(0, n - 1))
    y = (x.double().sum() - x[left_out].double()) / n
    assert not mean(x, y.float().reshape(1), "integers").ok


def test_subnormals_may_be_flushed_but_not_exceeded() -> None:
    x = vector(100, "subnormal", key())
    assert mean(x, 0.0, "subnormal").ok
    assert mean(x, x.double().mean().float().reshape(1), "subnormal").ok
    assert not mean(x, 1e-37, "subnormal").ok


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_mean_that_is_not_finite_is_wrong_with_infinite_error(value: float) -> None:
    result = mean(vector(10, "normal", key()), value)
    assert (result.ok, result.error) == (False, math.inf)
    assert "not finite" in result.family_message


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_outputs_are_judged_by_their_own_unit(dtype: torch.dtype) -> None:
    x = vector(1000, "offset", key())
    rounded = x.double().mean().to(dtype).reshape(1)
    assert mean(x, rounded).ok
    assert not mean(x, rounded * (1 + 4 * torch.finfo(dtype).eps)).ok


def test_messages_say_what_and_hidden_ones_no_values() -> None:
    result = mean(vector(10, "normal", key()), 12345.0)
    assert "mean is 12345" in result.message
    assert "times the limit" in result.message
    assert "12345" not in result.family_message
    assert "'normal'" in result.family_message


def qr(a: torch.Tensor, form: str, *outputs: torch.Tensor, full: bool = True) -> CheckResult:
    return checks.qr_check(answer(a, *outputs, form=form, full=full, family="x"), lambda data: data, {})


@pytest.mark.parametrize("family", sorted(MATRICES))
@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 2), (33, 33), (61, 29), (128, 128)])
def test_householder_factors_of_every_family_pass_with_margin(family: str, m: int, n: int) -> None:
    a = matrices(2, m, n, family, key())
    for full in (True, False):
        result = qr(a, "householder", *torch.geqrf(a), full=full)
        assert result.ok, result
        assert result.error < 0.25


@pytest.mark.parametrize("family", sorted(MATRICES))
def test_explicit_factors_of_every_family_pass_with_margin(family: str) -> None:
    a = matrices(2, 47, 33, family, key())
    for full in (True, False):
        result = qr(a, "explicit", *torch.linalg.qr(a), full=full)
        assert result.ok, result
        assert result.error < 0.25


@given(st.integers(1, 3), st.integers(1, 40), st.integers(0, 20), st.sampled_from(sorted(MATRICES)), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_honest_factors_of_any_shape_pass(batch: int, n: int, more: int, family: str, number: int) -> None:
    a = matrices(batch, n + more, n, family, key(number))
    assert qr(a, "householder", *torch.geqrf(a)).error < 0.5
    assert qr(a, "explicit", *torch.linalg.qr(a), full=False).error < 0.5


def test_the_limit_grows_with_the_root_of_the_rows() -> None:
    assert limit_of(1) == limit_of(64) == 64 * EPS
    assert limit_of(256) == 128 * EPS


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("form", ["householder", "explicit"])
@pytest.mark.parametrize("place", [0, 7, 19])
def test_one_bad_column_in_one_matrix_is_found_and_named(form: str, place: int, full: bool) -> None:
    a = matrices(20, 40, 30, "graded", key())
    first, second = torch.geqrf(a) if form == "householder" else torch.linalg.qr(a)
    holder = first if form == "householder" else second
    holder[place, :8, 7] *= 1 + 1e-3
    result = qr(a, form, first, second, full=full)
    assert not result.ok
    assert f"matrix {place}: column 7" in result.message
    assert str(place) not in result.family_message.split("error")[0]


@pytest.mark.parametrize("full", [True, False])
def test_a_q_that_is_not_orthogonal_is_found_though_it_multiplies_to_a(full: bool) -> None:
    a = matrices(20, 30, 30, "normal", key())
    q, r = torch.linalg.qr(a)
    q[11], r[11] = q[11] * (1 + 1e-3), r[11] / (1 + 1e-3)
    result = qr(a, "explicit", q, r, full=full)
    assert not result.ok
    assert "matrix 11: |Q'Q - I|" in result.message
    assert "orthogonal" in result.family_message


@pytest.mark.parametrize("full", [True, False])
def test_identity_tricks_fail(full: bool) -> None:
    a = matrices(4, 16, 16, "normal", key())
    eye = torch.eye(16).expand_as(a)
    assert not qr(a, "explicit", eye, a, full=full).ok
    assert not qr(a, "explicit", a, eye, full=full).ok


def test_an_error_that_cancels_against_one_vector_does_not_cancel_against_four() -> None:
    a = matrices(1, 32, 32, "normal", key())
    a = a.expand(30, 32, 32).contiguous()
    q, r = torch.linalg.qr(a)
    r[:, 0, 30] += 0.01
    r[:, 0, 31] -= 0.01
    assert not qr(a, "explicit", q, r, full=False).ok


@pytest.mark.parametrize("full", [True, False])
def test_columns_of_zeros_must_come_back_as_zeros(full: bool) -> None:
    a = matrices(1, 12, 9, "normal", key())
    a[:, :, 4] = 0
    q, r = torch.linalg.qr(a)
    assert qr(a, "explicit", q, r, full=full).ok
    r[0, 2, 4] = 1e-30
    result = qr(a, "explicit", q, r, full=full)
    assert (result.ok, result.error) == (False, math.inf)
    assert "column 4" in result.message


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("full", [True, False])
def test_factors_that_are_not_finite_are_wrong_but_what_is_below_r_is_nobodys_business(bad: float, full: bool) -> None:
    a = matrices(3, 9, 9, "normal", key())
    q, r = torch.linalg.qr(a)
    r[1, 5, 2] = bad
    assert qr(a, "explicit", q, r, full=full).ok
    r[1, 2, 5] = bad
    result = qr(a, "explicit", q, r, full=full)
    assert (result.ok, result.error) == (False, math.inf)
    assert "matrix 1" in result.message


@pytest.mark.parametrize("full", [True, False])
def test_reflectors_that_overflow_are_wrong(full: bool) -> None:
    a = matrices(1, 20, 20, "normal", key())
    h, tau = torch.full_like(a, 3e38), torch.full((1, 20), 3e38)
    result = qr(a, "householder", h, tau, full=full)
    assert (result.ok, result.error) == (False, math.inf)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_scaling_changes_neither_the_verdict_nor_the_error(scale: float) -> None:
    a = matrices(2, 33, 33, "normal", key())
    q, r = torch.linalg.qr(a)
    plain = qr(a, "explicit", q, r)
    power = 2.0 ** round(math.log2(scale))
    assert qr(a * power, "explicit", q, r * power).error == pytest.approx(plain.error, rel=1e-6)


def test_the_cheap_check_looks_at_a_tenth_in_full_and_at_more_only_where_it_must() -> None:
    a = matrices(64, 48, 48, "mixed", key())
    cheap = qr(a, "householder", *torch.geqrf(a), full=False)
    whole = qr(a, "householder", *torch.geqrf(a))
    assert cheap.ok
    assert cheap.error <= whole.error


@pytest.fixture(scope="module")
def vector_mean() -> Problem:
    return load(library()["basics/vector_mean"])


def test_an_output_of_the_wrong_shape_or_type_is_wrong(vector_mean: Problem) -> None:
    params: dict[str, Any] = {"n": 4, "family": "normal"}
    data = vector_mean.inputs(params, key())
    form = vector_mean.forms(params)[0]
    for output in (data.mean(), data.mean().double().reshape(1), data):
        result = vector_mean.check(params, data, form, (output,), key(), full=True)
        assert (result.ok, result.error) == (False, math.inf)
        assert "expected float32[1], got" in result.message
    assert not vector_mean.check(params, data, form, (), key(), full=True).ok


def close(found: torch.Tensor, expected: torch.Tensor, **params: Any) -> CheckResult:
    return checks.allclose_check(answer(None, found), lambda _: expected, params)


def test_allclose_uses_its_parameters_and_names_the_worst_place() -> None:
    expected = torch.tensor([[1.0, 2.0], [4.0, 8.0]])
    found = expected + torch.tensor([[0.0, 0.01], [0.2, 0.0]])
    assert close(found, expected, rtol=0.06, atol=0.0).ok
    result = close(found, expected, rtol=0.01, atol=0.0)
    assert not result.ok
    assert result.error == pytest.approx(5, rel=1e-4)
    assert "output at (1, 0)" in result.message


def test_allclose_defaults_follow_precision_and_scale() -> None:
    expected = torch.randn(1000, generator=torch.Generator().manual_seed(1))
    assert close(expected * (1 + 1e-6), expected).ok
    assert not close(expected * (1 + 1e-5), expected).ok
    assert close((expected * (1 + 1e-3)).half(), expected.half()).ok
    assert close(expected * 1e-20 * (1 + 1e-6), expected * 1e-20).ok
    assert not close(torch.zeros(1000), expected * 1e-20).ok


def test_allclose_tolerances_may_be_for_one_type() -> None:
    expected = torch.ones(3)
    params = {"rtol": 0.0, "atol": 0.0, "rtol_float16": 0.1}
    assert not close(expected * 1.01, expected, **params).ok
    assert close(expected.half() * 1.01, expected.half(), **params).ok


def test_allclose_wants_integers_exact_and_infinities_in_place() -> None:
    assert close(torch.arange(3), torch.arange(3), atol=5).ok
    assert not close(torch.arange(3) + 1, torch.arange(3), atol=5).ok
    special = torch.tensor([math.inf, -math.inf, math.nan, 1.0])
    assert close(special, special, rtol=1.0, atol=9.0).ok
    assert close(special.flip(0), special, rtol=1.0, atol=9.0).error == math.inf
    assert close(torch.zeros(0), torch.zeros(0)).ok
    assert close(torch.zeros(3), torch.zeros(3)).ok


@pytest.mark.parametrize(
    ("name", "params", "word"),
    [
        ("median", {}, "there is no check 'median'"),
        ("mean", {"rtol": 1.0}, "check.rtol"),
        ("allclose", {"rtol": -1.0}, "check.rtol"),
        ("allclose", {"rtol": "small"}, "check.rtol"),
        ("allclose", {"tolerance": 1.0}, "check.tolerance"),
    ],
)
def test_unknown_checks_and_parameters_are_named(name: str, params: dict[str, Any], word: str) -> None:
    with pytest.raises(SpecError, match=word):
        checks.find(name, params)
