"""`kernelcup judge`: the same judge as on a runner host, without any server."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Annotated

import typer

from runners.console import Console
from runners.doctor import doctor
from runners.protocol import Brief, CaseSpec, Limits, Mode, Report, Verdict, encode

EXIT_PASSED, EXIT_FAILED, EXIT_USAGE, EXIT_FAULT = 0, 1, 2, 3
MAX_SOURCE_BYTES = 1_000_000
NONCE_BYTES = 32


def register(app: typer.Typer) -> None:
    """Add the commands to the `kernelcup` command line."""
    app.command("judge")(judge)
    app.command("doctor")(doctor)


def judge(
    problem: Annotated[str, typer.Argument(help="A problem's name (basics/vector_mean) or its folder.")],
    file: Annotated[Path, typer.Argument(help="The submission, a Python file with a `custom_kernel`.")],
    mode: Annotated[Mode, typer.Option(help="What to run.")] = Mode.TEST,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time budget for each timed case, in seconds.")] = 6.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON, and nothing else.")] = False,
    replay: Annotated[
        Path | None, typer.Option(help="A report (JSON): judge with its nonce, so with the same values.")
    ] = None,
    allow_no_memory_control: Annotated[
        bool, typer.Option(help="Run although this host cannot limit memory: for your own code only.")
    ] = False,
) -> None:
    """Judge FILE on this machine: build, test and, as the mode asks, time it.

    A replay has the values of the run whose report it is given, in the tests and the public timed cases; the shapes of
    hidden cases stay the board's secret.

    Exit codes: 0 passed, 1 not passed, 2 wrong usage, 3 a fault of the judge or of this host.
    """
    console = Console(quiet=as_json)
    if mode is Mode.PROFILE:
        raise _stopped(console, EXIT_USAGE, "profile mode needs a profiler; use test, benchmark or ranked")
    folder = _problem_folder(console, problem)
    nonce = secrets.token_hex(32) if replay is None else _nonce_of(console, replay)
    brief = _brief(folder, _source(console, file), file.name, mode, seconds, nonce, hidden=replay is None)
    report = _run(console, brief, allow_no_memory_control)
    if as_json:
        typer.echo(json.dumps(encode(report), indent=2))
    else:
        console.report(report)
    raise typer.Exit(_exit_code(report))


def _run(console: Console, brief: Brief, allow_no_memory_control: bool) -> Report:
    from runners.devices import cpu
    from runners.judge.local import judge as judge_brief
    from runners.sandbox.cores import plan_cores
    from runners.sandbox.level import probe
    from runners.sandbox.warm import WarmServer

    missing = probe().missing()
    if missing and not allow_no_memory_control:
        raise _stopped(
            console,
            EXIT_FAULT,
            "This host cannot run untrusted code:\n" + "\n".join(f"- {why}" for why in missing),
        )
    timed = brief.mode in (Mode.BENCHMARK, Mode.RANKED)
    with console.progress() as progress:
        try:
            peaks = cpu.peaks(plan_cores().contestant) if timed else None
        except RuntimeError as error:
            raise _stopped(console, EXIT_FAULT, str(error)) from None
        with WarmServer(allow_no_memory_control=allow_no_memory_control) as warm:
            return judge_brief(brief, warm=warm, peaks=peaks, on_event=progress.show)


def _problem_folder(console: Console, name: str) -> Path:
    from problems.spec import library

    known = library()
    if name in known:
        return known[name]
    if (Path(name) / "task.yml").is_file():
        return Path(name)
    raise _stopped(
        console,
        EXIT_USAGE,
        f"no problem {name!r}; there are {', '.join(sorted(known))}, or give a folder with a task.yml",
    )


def _source(console: Console, file: Path) -> str:
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise _stopped(console, EXIT_USAGE, f"{file} cannot be read: {error.strerror}") from None
    if not raw.strip():
        raise _stopped(console, EXIT_USAGE, f"{file} is empty")
    if len(raw) > MAX_SOURCE_BYTES:
        raise _stopped(console, EXIT_USAGE, f"{file} has {len(raw):,} bytes; at most {MAX_SOURCE_BYTES:,} are taken")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _stopped(console, EXIT_USAGE, f"{file} is not UTF-8 text (byte {error.start})") from None
    if "\0" in text:
        raise _stopped(console, EXIT_USAGE, f"{file} is not a text file: it holds null bytes")
    return text


def _nonce_of(console: Console, path: Path) -> str:
    """The nonce in a report, or in a submission as the API shows it."""
    try:
        found = json.loads(path.read_bytes())
        runs = found.get("runs") or [found]
        nonce = runs[-1]["nonce"]
        if len(bytes.fromhex(nonce)) != NONCE_BYTES:
            raise ValueError
    except OSError as error:
        raise _stopped(console, EXIT_USAGE, f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _stopped(console, EXIT_USAGE, f"{path} holds no report with a nonce") from None
    return str(nonce)


def _brief(folder: Path, source: str, name: str, mode: Mode, seconds: float, nonce: str, hidden: bool) -> Brief:
    from problems.spec import read_spec, resolve_hidden

    spec = read_spec(folder)
    cases = resolve_hidden(spec, secrets.token_bytes(32)) if hidden and mode is Mode.RANKED else []
    limits = Limits(case_seconds=seconds, test_seconds=float(spec.test_timeout))
    specs = tuple(CaseSpec(index, dict(params), hidden=True) for index, params in enumerate(cases))
    return Brief(mode, str(folder.resolve()), source, name, nonce, limits, specs)


def _exit_code(report: Report) -> int:
    if report.verdict is Verdict.PASSED:
        return EXIT_PASSED
    return EXIT_FAULT if report.verdict is Verdict.JUDGE_FAULT else EXIT_FAILED


def _stopped(console: Console, code: int, text: str) -> typer.Exit:
    console.error(text)
    return typer.Exit(code)
