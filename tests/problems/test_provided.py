import os

import pytest
import torch

from problems.provided import task, utils


def test_verbose_allclose_lists_what_differs_and_stops_at_five() -> None:
    expected = torch.arange(10.0)
    assert utils.verbose_allclose(expected, expected) == []
    lines = utils.verbose_allclose(expected + 1, expected)
    assert lines[0] == "Number of mismatched elements: 10"
    assert lines[1] == "ERROR AT (0,): got 1.0, expected 0.0"
    assert lines[-1] == "... and 5 more mismatched elements."
    assert "SIZE MISMATCH" in utils.verbose_allclose(expected[:3], expected)[0]


def test_nan_and_infinities_must_be_in_place() -> None:
    special = torch.tensor([float("nan"), float("inf"), 1.0])
    assert utils.verbose_allclose(special, special) == []
    assert utils.verbose_allclose(special.flip(0), special)


def test_verbose_allequal_allows_nothing() -> None:
    assert utils.verbose_allequal(torch.tensor([1, 2]), torch.tensor([1, 2])) == []
    assert "ERROR AT (1,)" in utils.verbose_allequal(torch.tensor([1, 2]), torch.tensor([1, 3]))[1]
    assert utils.verbose_allequal(torch.ones(2), torch.ones(3))


def test_make_match_reference_makes_a_check_with_tolerances() -> None:
    check = utils.make_match_reference(lambda x: 2 * x, rtol=0.1, atol=0.0)
    assert check(torch.ones(3), torch.full((3,), 2.1)) == (True, "")
    ok, message = check(torch.ones(3), torch.full((3,), 3.0))
    assert not ok
    assert "mismatch with the reference" in message


def test_a_seed_repeats_the_random_numbers() -> None:
    utils.set_seed(3)
    first = torch.rand(3)
    utils.set_seed(3)
    assert torch.equal(torch.rand(3), first)


def test_a_deterministic_context_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    with utils.DeterministicContext():
        assert torch.are_deterministic_algorithms_enabled()
        assert "CUBLAS_WORKSPACE_CONFIG" in os.environ
    assert not torch.are_deterministic_algorithms_enabled()
    assert "CUBLAS_WORKSPACE_CONFIG" not in os.environ


def test_without_a_gpu_the_device_helpers_still_work() -> None:
    assert utils.get_device(use_cuda=False) == torch.device("cpu")
    utils.clear_l2_cache()
    assert task.input_t.__name__ == "input_t"
