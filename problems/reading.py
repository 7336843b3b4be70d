"""From a folder to a :class:`~problems.spec.ProblemSpec`: every key of ``task.yml``, checked."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from problems import fields
from problems.hidden import is_range, refuse_crowded, resolve_hidden
from problems.model import (
    SUBMISSION,
    HiddenSpec,
    HiddenValue,
    LimitValue,
    OutputSpec,
    OutputTensor,
    Param,
    ProblemSpec,
    SpecError,
)
from problems.requirements import read_requirements
from problems.sizes import cost_of, shape_of
from problems.yamlfile import read_yaml

KEYS = (
    "files", "lang", "description", "config", "tests", "benchmarks", "test_timeout", "benchmark_timeout",
    "ranked_timeout", "ranking_by", "seed", "multi_gpu", "templates", "gpus", "libraries",
    "cost", "hidden", "check", "outputs", "world_size", "devices", "allow", "limits", "title", "summary",
)  # fmt: skip
RANKINGS = ("last", "mean", "geom")
LIMITS = (
    "build_seconds", "test_seconds", "call_seconds", "case_seconds", "memory_bytes", "processes", "output_bytes",
    "scratch_bytes", "requires",
)  # fmt: skip
DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
# Ours stand in for these where a problem set keeps one copy for all its problems, outside the folder.
PROVIDED = ("eval.py", "utils.py")
MAX_SOURCE_BYTES = 1 << 20
MAX_CASES = 256


def read_spec(directory: Path, slug: str | None = None) -> ProblemSpec:
    """The problem in `directory`. `slug` defaults to the last two parts of the path, e.g. ``basics/vector_mean``.

    Raises SpecError, which names the key and says what to do.
    """
    directory = directory.resolve()
    try:
        raw = read_yaml(directory / "task.yml")
    except ValueError as error:
        raise SpecError(str(error)) from None
    _refuse_unknown(raw)
    for key in ("files", "lang", "description", "config"):
        if key not in raw:
            raise SpecError(f"task.yml: the key {key!r} is missing")
    slug = slug or f"{directory.parent.name}/{directory.name}"
    spec = ProblemSpec(
        slug=slug, **_texts(raw, directory, slug), **_rules(raw), **_cases(raw), **_sources(raw, directory)
    )
    _try_cases(spec)
    return spec


def _refuse_unknown(raw: dict[str, Any]) -> None:
    for key in raw:
        if key not in KEYS:
            close = difflib.get_close_matches(key, KEYS, n=3)
            hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"known keys: {', '.join(KEYS)}"
            raise SpecError(f"task.yml: unknown key {key!r}; {hint}")


def _texts(raw: dict[str, Any], directory: Path, slug: str) -> dict[str, Any]:
    description = fields.text(raw["description"], "description")
    statement = directory / "statement.md"
    summary = fields.text(raw.get("summary", ""), "summary") or _first_paragraph(description)
    return {
        "title": fields.text(raw.get("title", ""), "title") or slug.rpartition("/")[2].replace("_", " ").capitalize(),
        "summary": summary,
        "description": description,
        "statement": _source(directory, "statement.md", "statement.md") if statement.exists() else description,
    }


def _first_paragraph(text: str) -> str:
    line = " ".join(text.strip().split("\n\n")[0].split())
    return line if len(line) <= 200 else line[:199].rsplit(" ", 1)[0] + "…"


def _rules(raw: dict[str, Any]) -> dict[str, Any]:
    check, check_params = _check(raw.get("check"))
    cost = fields.mapping(raw.get("cost") or {}, "cost", ("flops", "bytes"))
    config = fields.mapping(raw["config"], "config")
    seed = raw.get("seed")
    return {
        "lang": fields.one_of(raw["lang"], "lang", ("py", "cu")),
        "config": config,
        "main": fields.text(config.get("main", ""), "config.main"),
        "test_timeout": fields.seconds(raw.get("test_timeout", 180), "test_timeout"),
        "benchmark_timeout": fields.seconds(raw.get("benchmark_timeout", 180), "benchmark_timeout"),
        "ranked_timeout": fields.seconds(raw.get("ranked_timeout", 180), "ranked_timeout"),
        "ranking_by": fields.one_of(raw.get("ranking_by", "last"), "ranking_by", RANKINGS),
        "seed": None if seed is None else fields.integer(seed, "seed", 0),
        "multi_gpu": fields.boolean(raw.get("multi_gpu", False), "multi_gpu"),
        "world_size": fields.integer(raw.get("world_size", 1), "world_size", 1),
        "gpus": fields.words(raw.get("gpus"), "gpus"),
        "libraries": fields.words(raw.get("libraries"), "libraries"),
        "devices": fields.words(raw.get("devices"), "devices"),
        "allow": fields.words(raw.get("allow"), "allow"),
        "flops": None if cost.get("flops") is None else str(cost["flops"]),
        "bytes": None if cost.get("bytes") is None else str(cost["bytes"]),
        "check": check,
        "check_params": check_params,
        "outputs": _outputs(raw.get("outputs")),
        "limits": _limits(raw.get("limits")),
    }


def _check(value: Any) -> tuple[str | None, dict[str, Param]]:
    if value is None or isinstance(value, str):
        return value, {}
    entry = dict(fields.mapping(value, "check"))
    name = entry.pop("name", None)
    if not isinstance(name, str):
        raise SpecError("task.yml: check: write the check's name, or {name: …, parameter: value}")
    return name, fields.params(entry, "check")


def _limits(value: Any) -> dict[str, LimitValue]:
    given = dict(fields.mapping(value or {}, "limits", LIMITS))
    requires = given.pop("requires", None)
    limits: dict[str, LimitValue] = {}
    for name, limit in fields.params(given, "limits").items():
        if isinstance(limit, (bool, str)) or limit <= 0:
            raise SpecError(f"task.yml: limits.{name}: expected a number above 0, not {limit!r}")
        limits[name] = limit
    if requires is not None:
        limits["requires"] = read_requirements(requires, "limits.requires")
    return limits


def _outputs(value: Any) -> tuple[OutputSpec, ...] | None:
    if value is None:
        return None
    forms = []
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        where = f"outputs[{index}]"
        entry = fields.mapping(item, where, ("name", "tensors", "dtype", "shape"))
        tensors = entry.get("tensors") or [{key: entry[key] for key in ("dtype", "shape") if key in entry}]
        if not isinstance(tensors, list):
            raise SpecError(f"task.yml: {where}.tensors: expected a list of {{dtype, shape}}")
        name = fields.text(entry.get("name", "output"), f"{where}.name")
        forms.append(OutputSpec(name, tuple(_tensor(tensor, f"{where}.tensors") for tensor in tensors)))
    if not forms:
        raise SpecError("task.yml: outputs: declare at least one, or leave the key out")
    return tuple(forms)


def _tensor(value: Any, where: str) -> OutputTensor:
    entry = fields.mapping(value, where, ("dtype", "shape"))
    shape = entry.get("shape")
    sizes = isinstance(shape, list) and all(isinstance(n, (int, str)) and not isinstance(n, bool) for n in shape)
    if not sizes or not isinstance(shape, list):
        raise SpecError(f"task.yml: {where}.shape: expected a list of numbers or expressions, e.g. [batch, m, 2 * n]")
    return OutputTensor(fields.one_of(entry.get("dtype"), f"{where}.dtype", DTYPES), tuple(shape))


def _cases(raw: dict[str, Any]) -> dict[str, Any]:
    cases: dict[str, Any] = {}
    for key in ("tests", "benchmarks", "hidden"):
        items = raw.get(key) or []
        if not isinstance(items, list) or len(items) > MAX_CASES:
            raise SpecError(f"task.yml: {key}: expected a list of at most {MAX_CASES} cases such as {{n: 1024}}")
        read_case = _hidden if key == "hidden" else fields.params
        cases[key] = tuple(read_case(item, f"{key}[{index}]") for index, item in enumerate(items))
        if raw.get("multi_gpu") and (missing := [n for n, item in enumerate(items) if "world_size" not in item]):
            raise SpecError(f"task.yml: {key}[{missing[0]}]: multi_gpu problems give world_size in every case")
    return cases


def _hidden(value: Any, where: str) -> HiddenSpec:
    drawn: dict[str, HiddenValue] = {}
    for name, item in fields.mapping(value, where).items():
        options = item if isinstance(item, list) else [item]
        checked = tuple(fields.params({name: option}, where)[name] for option in options)
        if not checked:
            raise SpecError(f"task.yml: {where}.{name}: an empty list leaves nothing to draw")
        if is_range(checked) and int(checked[0]) > int(checked[1]):
            raise SpecError(f"task.yml: {where}.{name}: the range [low, high] is empty")
        drawn[name] = checked if isinstance(item, list) else checked[0]
    return HiddenSpec(drawn)


def _sources(raw: dict[str, Any], directory: Path) -> dict[str, Any]:
    files = _files(raw["files"], directory)
    reference = files.get("reference.py", "reference.py")
    present = (directory / reference).is_file()
    templates = fields.mapping(raw.get("templates") or {}, "templates")
    # A template outside the folder (one for a whole problem set) is left out rather than read.
    inside = {name: str(path) for name, path in templates.items() if not _escapes(directory, str(path))}
    starters = {
        f"{name.lower()}{Path(path).suffix}": _source(directory, path, f"templates.{name}")
        for name, path in inside.items()
    }
    folder = directory / "starters"
    for path in sorted(folder.iterdir(), key=_pytorch_first) if folder.is_dir() else []:
        if path.is_file() and path.suffix in (".py", ".cu", ".cuh", ".cpp"):
            starters[path.name] = _source(directory, f"starters/{path.name}", "starters")
    return {
        "files": files,
        "templates": inside,
        "starters": starters,
        "reference": _source(directory, reference, "files: reference.py") if raw["lang"] == "py" or present else "",
    }


def _pytorch_first(path: Path) -> tuple[bool, str]:
    return path.stem != "pytorch", path.name


def _files(value: Any, directory: Path) -> dict[str, str]:
    if not isinstance(value, list) or not value:
        raise SpecError("task.yml: files: expected a list of {name: …, source: …}")
    files: dict[str, str] = {}
    for index, item in enumerate(value):
        entry = fields.mapping(item, f"files[{index}]", ("name", "source"))
        name, source = (fields.text(entry.get(key), f"files[{index}].{key}") for key in ("name", "source"))
        if not name or Path(name).name != name:
            raise SpecError(f"task.yml: files[{index}].name: {name!r} is not a plain file name")
        if name in files:
            raise SpecError(f"task.yml: files[{index}].name: {name!r} appears twice")
        if name in PROVIDED and _escapes(directory, source):
            continue
        if source != SUBMISSION and name not in PROVIDED:
            _source(directory, source, f"files[{index}].source")
        files[name] = source
    if SUBMISSION not in files.values():
        raise SpecError(f"task.yml: files: one source must be {SUBMISSION!r}")
    return files


def _escapes(directory: Path, source: str) -> bool:
    path = directory / source
    return not path.resolve().is_relative_to(directory)


def _source(directory: Path, source: str, where: str) -> str:
    if _escapes(directory, source):
        raise SpecError(f"task.yml: {where}: {source!r} leaves the problem's folder; copy the file into it")
    path = directory / source
    if not path.is_file():
        raise SpecError(f"task.yml: {where}: there is no file {source!r}")
    if path.stat().st_size > MAX_SOURCE_BYTES:
        raise SpecError(f"task.yml: {where}: {source!r} is larger than {MAX_SOURCE_BYTES} bytes")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SpecError(f"task.yml: {where}: {source!r} is not UTF-8 text") from None


def _try_cases(spec: ProblemSpec) -> None:
    """Evaluate every expression for every case now, so that no board opens on a problem that cannot be judged."""
    if spec.multi_gpu and spec.world_size == 1 and not (spec.tests or spec.benchmarks):
        raise SpecError("task.yml: multi_gpu: give world_size in every case")
    refuse_crowded(spec)
    for case in (*spec.tests, *spec.benchmarks, *resolve_hidden(spec, bytes(32))):
        cost_of(spec, case)
        for form in spec.outputs or ():
            for tensor in form.tensors:
                shape_of(tensor, case)
