"""Every kernel that a problem ships, by its own check: correct ones always pass, wrong ones somewhere fail."""

import functools
import importlib.util
from pathlib import Path

import pytest

from problems.loader import Problem, load
from problems.spec import library
from tests.problems.kernels import judge, kernel_of
from tests.problems.keys import key

SOLUTIONS = [
    pytest.param(slug, path, id=f"{slug}/{path.parent.name}/{path.name}")
    for slug, folder in library().items()
    for path in sorted([*folder.glob("solutions/*/*.py"), *folder.glob("starters/*.py")])
]


@functools.cache
def problem(slug: str) -> Problem:
    return load(library()[slug])


@pytest.mark.parametrize(("slug", "path"), SOLUTIONS)
def test_a_solution_gets_the_verdict_that_its_folder_says(
    slug: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELCUP_BUILD_DIR", str(tmp_path))
    if "triton" in path.name and importlib.util.find_spec("triton") is None:
        pytest.skip("triton is not installed")
    kernel = kernel_of(path.read_text(encoding="utf-8"), path)
    cases = problem(slug).spec.tests
    results = [judge(problem(slug), kernel, case, key(index)) for index, case in enumerate(cases)]
    failures = [(case, result) for case, result in zip(cases, results, strict=True) if not result.ok]
    if path.parent.name == "wrong":
        assert failures
        assert all(result.message and result.family_message for _, result in failures)
    else:
        assert not failures


@pytest.mark.parametrize(("slug", "path"), [item for item in SOLUTIONS if "/correct/" in str(item.values[1])])
def test_correct_solutions_pass_the_check_of_timed_calls(
    slug: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELCUP_BUILD_DIR", str(tmp_path))
    kernel = kernel_of(path.read_text(encoding="utf-8"), path)
    for index, case in enumerate(problem(slug).spec.benchmarks[:2]):
        result = judge(problem(slug), kernel, case, key(index), full=False)
        assert result.ok, (case, result)


@pytest.mark.parametrize(("slug", "path"), [item for item in SOLUTIONS if "solutions" in str(item.values[1])])
def test_a_solution_says_what_it_is_in_its_first_line(slug: str, path: Path) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith(f"# {path.parent.name.capitalize()}: ")


@pytest.mark.parametrize("slug", sorted(library()))
def test_every_problem_ships_kernels_that_must_pass_and_kernels_that_must_fail(slug: str) -> None:
    kinds = {path.parent.name for path in library()[slug].glob("solutions/*/*.py")}
    assert kinds == {"correct", "wrong"}
