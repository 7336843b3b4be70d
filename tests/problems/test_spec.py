import json
from typing import Any

import pytest

from problems.spec import HiddenSpec, SpecError, cost_of, from_json, library, read_spec, resolve_hidden, to_json
from tests.problems.conftest import Folder


def test_the_least_a_task_yml_needs_gets_the_formats_defaults(folder: Folder) -> None:
    spec = read_spec(folder.task())
    assert (spec.slug, spec.title) == ("pmpp/double_py", "Double py")
    assert (spec.test_timeout, spec.ranking_by, spec.seed, spec.world_size) == (180.0, "last", None, 1)
    assert spec.statement == spec.description == spec.summary == "Double a vector."
    assert spec.files["submission.py"] == "@SUBMISSION@"
    assert "def ref_kernel" in spec.reference
    assert cost_of(spec, {"n": 1}) == (None, None)


def test_a_statement_file_wins_over_the_description(folder: Folder) -> None:
    folder.write("statement.md", "# Doubling")
    assert read_spec(folder.task()).statement == "# Doubling"


def test_values_may_be_integers_floats_strings_and_booleans(folder: Folder) -> None:
    case = {"n": 3, "alpha": 0.5, "dtype": "float32", "causal": True, "m1": 2}
    assert read_spec(folder.task(tests=[case])).tests == (case,)


def test_exponents_without_a_dot_are_numbers(folder: Folder) -> None:
    folder.task()
    path = folder.path / "task.yml"
    path.write_text(path.read_text() + "check: {name: allclose, rtol: 1e-5}\n")
    assert read_spec(folder.path).check_params == {"rtol": 1e-5}


def test_starters_come_from_the_folder_and_from_templates_pytorch_first(folder: Folder) -> None:
    for name in ("starters/a.py", "starters/pytorch.py", "starters/notes.txt", "mine.cu"):
        folder.write(name, name)
    spec = read_spec(folder.task(templates={"CUDA": "mine.cu", "Python": "../template.py"}))
    assert list(spec.starters) == ["cuda.cu", "pytorch.py", "a.py"]
    assert spec.templates == {"CUDA": "mine.cu"}


def test_shared_eval_and_utils_of_a_problem_set_are_ours_instead(folder: Folder) -> None:
    files = [{"name": name, "source": f"../{name}"} for name in ("eval.py", "utils.py")]
    spec = read_spec(folder.task(files=[*_files(), *files]))
    assert set(spec.files) == {"submission.py", "reference.py"}


def _files() -> list[dict[str, str]]:
    return [{"name": "submission.py", "source": "@SUBMISSION@"}, {"name": "reference.py", "source": "reference.py"}]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"benchmark": []}, ["unknown key 'benchmark'", "'benchmarks'"]),
        ({"zzz": 1}, ["unknown key 'zzz'", "known keys"]),
        ({"lang": "rust"}, ["lang", "py or cu", "'rust'"]),
        ({"ranking_by": "min"}, ["ranking_by", "last or mean or geom"]),
        ({"test_timeout": 0}, ["test_timeout", "seconds"]),
        ({"test_timeout": True}, ["test_timeout"]),
        ({"seed": -1}, ["seed"]),
        ({"multi_gpu": "yes"}, ["multi_gpu", "true or false"]),
        ({"multi_gpu": True, "tests": [{"n": 1}]}, ["tests[0]", "world_size"]),
        ({"gpus": "T4"}, ["gpus", "list of words"]),
        ({"tests": {"n": 1}}, ["tests", "list"]),
        ({"tests": [{"n": [1]}]}, ["tests[0].n"]),
        ({"tests": [{"n": float("nan")}]}, ["tests[0].n", "out of range"]),
        ({"tests": [{"n": 2**63}]}, ["tests[0].n", "out of range"]),
        ({"tests": [{"s": "a; b"}]}, ["tests[0].s", "';'"]),
        ({"tests": [{"a-b": 1}]}, ["tests[0]", "'a-b'"]),
        ({"tests": [{"__class__": 1}]}, ["tests[0]", "__class__"]),
        ({"cost": {"flop": "n"}}, ["cost", "'flop'", "'flops'"]),
        ({"cost": {"flops": "m"}, "tests": [{"n": 1}]}, ["cost.flops", "unknown name 'm'", "n"]),
        ({"cost": {"flops": "-n"}, "tests": [{"n": 1}]}, ["cost.flops", "negative"]),
        ({"outputs": []}, ["outputs", "at least one"]),
        ({"outputs": {"dtype": "float31", "shape": [1]}}, ["outputs[0]", "dtype", "float32"]),
        ({"outputs": {"dtype": "float32", "shape": "n"}}, ["outputs[0]", "shape", "list"]),
        ({"outputs": {"dtype": "float32", "shape": ["n / 2"]}, "tests": [{"n": 3}]}, ["shape", "whole number"]),
        ({"hidden": [{"n": [5, 2]}]}, ["hidden[0].n", "range"]),
        ({"hidden": [{"n": []}]}, ["hidden[0].n", "nothing to draw"]),
        ({"hidden": [{"n": 7}], "tests": [{"n": 7}]}, ["hidden[0]", "public"]),
        ({"hidden": [{"n": [1, 3]}], "tests": [{"n": 1}, {"n": 3}]}, ["hidden[0]", "widen"]),
        ({"hidden": [{"n": 1}, {"n": 1}]}, ["hidden[0]", "hidden elsewhere"]),
        ({"limits": {"memory": 1}}, ["limits", "'memory'", "'memory_bytes'"]),
        ({"limits": {"memory_bytes": 0}}, ["limits.memory_bytes", "above 0"]),
        ({"check": {"rtol": 1}}, ["check", "name"]),
        ({"files": []}, ["files", "list"]),
        ({"files": [{"name": "reference.py", "source": "reference.py"}]}, ["files", "@SUBMISSION@"]),
        ({"files": [*_files(), {"name": "x.py", "source": "../x.py"}]}, ["files[2].source", "leaves", "copy"]),
        ({"files": [*_files(), {"name": "x.py", "source": "/etc/passwd"}]}, ["files[2].source", "leaves"]),
        ({"files": [*_files(), {"name": "a/x.py", "source": "x.py"}]}, ["files[2].name", "plain file name"]),
        ({"files": [*_files(), {"name": "x.py", "source": "gone.py"}]}, ["files[2].source", "no file"]),
        ({"description": 3}, ["description", "text"]),
    ],
)
def test_mistakes_are_named_with_the_key_and_what_to_do(folder: Folder, keys: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        read_spec(folder.task(**keys))
    for word in words:
        assert word in str(caught.value)


def test_only_problems_in_python_need_a_reference_in_python(folder: Folder) -> None:
    (folder.path / "reference.py").unlink()
    files = [{"name": "submission.cu", "source": "@SUBMISSION@"}]
    assert read_spec(folder.task(files=files, lang="cu")).reference == ""
    with pytest.raises(SpecError, match=r"reference\.py.*no file"):
        read_spec(folder.task(files=files, lang="py"))


@pytest.mark.parametrize("key", ["files", "lang", "description", "config"])
def test_a_missing_key_is_named(folder: Folder, key: str) -> None:
    with pytest.raises(SpecError, match=f"'{key}' is missing"):
        read_spec(folder.task(key))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a: &x [1]\nb: *x\n", "aliases"),
        ("lang: py\nlang: cu\n", "twice"),
        ("1: 2\n", "not a word"),
        ("- a\n", "expected keys"),
        ("a: [\n", "not valid YAML"),
        ("a: !!python/object/apply:os.getcwd []\n", "not valid YAML"),
        ("#" * (1 << 20) + "\n\n", "larger"),
        ("[" * 5_000, "not valid YAML"),
    ],
)
def test_hostile_or_broken_yaml_is_refused(folder: Folder, text: str, word: str) -> None:
    folder.write("task.yml", text)
    with pytest.raises(SpecError, match=word):
        read_spec(folder.path)


def test_a_folder_without_task_yml_is_refused(folder: Folder) -> None:
    (folder.path / "task.yml").unlink()
    with pytest.raises(SpecError, match="no such file"):
        read_spec(folder.path)


def test_a_link_out_of_the_folder_is_refused(folder: Folder) -> None:
    (folder.path.parent / "secret.py").write_text("x = 1")
    (folder.path / "inside.py").symlink_to(folder.path.parent / "secret.py")
    with pytest.raises(SpecError, match="leaves the problem's folder"):
        read_spec(folder.task(files=[*_files(), {"name": "x.py", "source": "inside.py"}]))


def test_sources_that_are_no_text_are_refused(folder: Folder) -> None:
    (folder.path / "reference.py").write_bytes(b"\xff\xfe")
    with pytest.raises(SpecError, match="not UTF-8"):
        read_spec(folder.task())


def test_hidden_cases_follow_from_the_secret_alone_and_repeat_no_public_case(folder: Folder) -> None:
    public = [{"n": n, "family": "normal"} for n in range(10, 19)]
    hidden = [{"n": [10, 19], "family": ["normal", "spike"]}, {"n": [10, 29], "family": "normal"}]
    spec = read_spec(folder.task(benchmarks=public, hidden=hidden))
    assert spec.hidden[0] == HiddenSpec({"n": (10, 19), "family": ("normal", "spike")})
    draws = [resolve_hidden(spec, bytes([byte]) * 32) for byte in range(30)]
    assert draws[3] == resolve_hidden(spec, bytes([3]) * 32)
    assert len({repr(draw[0]) for draw in draws}) > 5
    for first, second in draws:
        assert second not in public
        assert first not in public
        assert first != second
        assert 10 <= first["n"] <= 19


def test_hidden_ranges_reach_both_ends_and_choices_all_members(folder: Folder) -> None:
    spec = read_spec(folder.task(hidden=[{"n": [1, 3], "kind": ["a", "b", "c"]}]))
    drawn = [resolve_hidden(spec, bytes([byte]) * 32)[0] for byte in range(60)]
    assert {case["n"] for case in drawn} == {1, 2, 3}
    assert {case["kind"] for case in drawn} == {"a", "b", "c"}


def test_json_keeps_everything(folder: Folder) -> None:
    keys: dict[str, Any] = {
        "tests": [{"n": 4, "x": 0.5, "b": True, "s": "t"}],
        "hidden": [{"n": [1, 3], "family": ["a", "b", "c"], "m": 2}],
        "outputs": [{"name": "one", "tensors": [{"dtype": "float16", "shape": ["n", 2]}]}],
        "cost": {"flops": "n ** 2", "bytes": 8},
        "limits": {"call_seconds": 0.5},
        "check": {"name": "allclose", "rtol": 0.25},
    }
    spec = read_spec(folder.task(**keys))
    assert from_json(json.loads(json.dumps(to_json(spec)))) == spec


def test_json_of_something_else_is_refused() -> None:
    with pytest.raises(SpecError, match="to_json"):
        from_json({"slug": "a/b"})


def test_the_library_holds_the_first_problems() -> None:
    found = library()
    assert {"basics/vector_mean", "linalg/qr"} <= set(found)
    for slug, path in found.items():
        spec = read_spec(path, slug)
        assert spec.slug == slug
        assert spec.starters
        assert spec.hidden
        assert next(iter(spec.starters)) == "pytorch.py"
        flops, least = cost_of(spec, spec.benchmarks[0])
        assert flops
        assert least
