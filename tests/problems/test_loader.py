import math
from typing import Any

import pytest
import torch

from problems.loader import OutputForm, TensorSpec, load
from problems.model import SpecError
from problems.spec import library
from tests.problems.conftest import REFERENCE, Folder
from tests.problems.kernels import judge, kernel_of
from tests.problems.keys import key

CASE: dict[str, Any] = {"size": 100, "seed": 7}


def test_a_problem_in_gpu_modes_format_works_unchanged(folder: Folder) -> None:
    problem = load(folder.task(tests=[CASE]))
    form = OutputForm("output", (TensorSpec("float32", (100,)),))
    assert problem.forms(CASE) == (form,)
    assert judge(problem, lambda x: x + x, CASE, key()).ok
    wrong = judge(problem, lambda x: x * 2.1, CASE, key())
    assert (wrong.ok, wrong.error) == (False, math.inf)
    assert "mismatched elements: 100" in wrong.message
    assert wrong.family_message == "The output is wrong."


def test_a_legacy_seed_is_replaced_by_one_from_the_key(folder: Folder) -> None:
    problem = load(folder.task())
    assert torch.equal(problem.inputs(CASE, key()), problem.inputs({"size": 100, "seed": 8}, key()))
    assert torch.equal(problem.inputs(CASE, key()), problem.inputs({"size": 100}, key()))
    assert not torch.equal(problem.inputs(CASE, key()), problem.inputs(CASE, key(1)))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return '' if torch.equal(output, ref_kernel(data)) else 'differs'", "differs"),
        ("return torch.equal(output, ref_kernel(data))", "The output is wrong"),
        ("return torch.equal(output, ref_kernel(data)), 'differs'", "differs"),
        ("return 'differs' if verbose_allequal(output, ref_kernel(data)) else None", "differs"),
    ],
)
def test_all_ways_to_say_wrong_are_understood(folder: Folder, body: str, message: str) -> None:
    check = f"\nfrom utils import verbose_allequal\n\ndef check_implementation(data, output):\n    {body}\n"
    folder.write("reference.py", REFERENCE.partition("check_implementation")[0] + check)
    problem = load(folder.path)
    assert judge(problem, lambda x: 2 * x, CASE, key()).ok
    assert judge(problem, lambda x: 3 * x, CASE, key()).message == message


def test_a_reference_that_writes_into_its_inputs_changes_nothing_of_the_judges(folder: Folder) -> None:
    folder.write(
        "reference.py",
        """
import torch
from utils import make_match_reference, set_seed


def generate_input(size, seed):
    set_seed(seed)
    return torch.randn(size), torch.zeros(size), 3


def ref_kernel(data):
    x, out, factor = data
    out[...] = x * factor
    x.zero_()
    return out


check_implementation = make_match_reference(ref_kernel)
""",
    )
    problem = load(folder.path)
    data = problem.inputs(CASE, key())
    before = data[0].clone()
    form = problem.forms(CASE)[0]
    assert problem.check(CASE, data, form, (3 * before,), key(), full=True).ok
    assert torch.equal(data[0], before)
    assert problem.check(CASE, data, form, (3 * before,), key(), full=True).ok


def test_several_outputs_come_back_as_a_tuple(folder: Folder) -> None:
    folder.write(
        "reference.py",
        """
import torch


def generate_input(size, seed):
    return torch.randn(size, generator=torch.Generator().manual_seed(seed))


def ref_kernel(x):
    return x.sum().reshape(1), x.argmax()


def check_implementation(x, output):
    total, place = output
    return "" if torch.allclose(total, x.sum()) and place == x.argmax() else "wrong"
""",
    )
    problem = load(folder.path)
    assert problem.forms(CASE)[0].tensors == (TensorSpec("float32", (1,)), TensorSpec("int64", ()))
    assert judge(problem, lambda x: (x.sum().reshape(1), x.argmax()), CASE, key()).ok
    assert not judge(problem, lambda x: (x.sum().reshape(1), x.argmin()), CASE, key()).ok


def test_a_named_check_replaces_check_implementation(folder: Folder) -> None:
    folder.write("reference.py", REFERENCE.partition("check_implementation")[0])
    with pytest.raises(SpecError, match=r"check_implementation.*or name a check"):
        load(folder.path)
    problem = load(folder.task(check={"name": "allclose", "rtol": 1e-3}))
    assert judge(problem, lambda x: 2.001 * x, CASE, key()).ok
    assert not judge(problem, lambda x: 2.1 * x, CASE, key()).ok


def test_the_anchor_is_a_submission_made_of_the_reference_and_the_files_contestants_see(folder: Folder) -> None:
    folder.write("task.py", "input_t = output_t = object\nMARK = 1\n")
    folder.write("layout.py", "WIDTH = 4\n")
    names = ("task.py", "layout.py", "reference.py")
    files = [{"name": "submission.py", "source": "@SUBMISSION@"}, *({"name": name, "source": name} for name in names)]
    folder.write("reference.py", "import layout\n" + REFERENCE)
    problem = load(folder.task(files=files))
    assert set(problem.contestant_files()) == {"task.py", "utils.py", "layout.py"}
    assert "MARK" in problem.contestant_files()["task.py"]
    assert problem.anchor_source().rstrip().endswith("custom_kernel = ref_kernel")
    assert "def make_match_reference" in problem.contestant_files()["utils.py"]


@pytest.mark.parametrize("slug", sorted(library()))
def test_anchors_of_the_library_need_nothing_of_ours_to_run(slug: str) -> None:
    problem = load(library()[slug])
    params = problem.spec.tests[3]
    assert judge(problem, kernel_of(problem.anchor_source()), params, key()).ok


def test_two_problems_keep_their_own_modules(folder: Folder, tmp_path: Any) -> None:
    other = Folder(tmp_path / "pmpp" / "other_py")
    for number, place in enumerate((folder, other)):
        place.write("task.py", f"input_t = output_t = object\nNUMBER = {number}\n")
        place.write("reference.py", REFERENCE + "\ndef number():\n    import task\n    return task.NUMBER\n")
        files = [{"name": "submission.py", "source": "@SUBMISSION@"}, {"name": "task.py", "source": "task.py"}]
        place.task(files=files)
    problems = [load(folder.path), load(other.path)]
    assert [problem._reference.__globals__["number"]() for problem in problems] == [0, 1]


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("def broken(:", "does not run: SyntaxError"),
        ("import no_such_module_here", "does not run: ModuleNotFoundError"),
        ("x = 1", "define the function generate_input"),
    ],
)
def test_a_reference_that_does_not_work_is_the_problems_fault(folder: Folder, source: str, word: str) -> None:
    folder.write("reference.py", source)
    with pytest.raises(SpecError, match=word):
        load(folder.path)


def test_a_case_that_generate_input_does_not_know_is_named(folder: Folder) -> None:
    problem = load(folder.task())
    with pytest.raises(SpecError, match=r"does not fit the case.*length"):
        problem.inputs({"length": 3}, key())


def test_a_reference_that_returns_no_tensor_is_named(folder: Folder) -> None:
    folder.write("reference.py", REFERENCE.replace("return 2 * data", "return 2"))
    with pytest.raises(SpecError, match="must return a tensor"):
        load(folder.path).forms(CASE)


def test_declared_forms_are_told_apart_by_shape() -> None:
    problem = load(library()["linalg/qr"])
    householder, explicit = problem.forms({"batch": 2, "m": 5, "n": 1, "family": "normal"})
    assert householder.tensors == (TensorSpec("float32", (2, 5, 1)), TensorSpec("float32", (2, 1)))
    assert explicit.tensors[1] == TensorSpec("float32", (2, 1, 1))
    assert [form.name for form in (householder, explicit)] == ["householder", "explicit"]
    assert householder.tensors[0].nbytes == 40


def test_keys_of_the_wrong_length_are_refused(folder: Folder) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        load(folder.path).inputs(CASE, b"short")
