"""`kernelcup doctor`: is this host fit to judge untrusted code, and does it time quietly?"""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Any

import rich.console
import typer
from rich.text import Text

from runners.checkup.answers import answers
from runners.checkup.isolation import isolation_lines
from runners.checkup.line import Line, Status
from runners.checkup.noise import CaseNoise, NoiseFailed, measure_noise, noise_lines
from runners.checkup.timing import timing_lines
from runners.checkup.tools import tools_lines
from runners.host_files import HostFiles
from runners.sandbox.cores import CorePlan, plan_cores
from runners.sandbox.level import Level, probe
from runners.sandbox.warm import WarmError

EXIT_FIT, EXIT_USAGE, EXIT_UNFIT = 0, 2, 3

_STYLES = {Status.OK: "green", Status.WEAK: "yellow", Status.MISSING: "bold red"}
_TOPICS = {"isolation": "Isolation", "timing": "Quiet timing", "tools": "Tools"}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON, and nothing else.")] = False,
    noise: Annotated[
        bool, typer.Option("--noise", help="Also race a kernel against itself through the judge; takes a minute.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(min=0.1, max=600, help="With --noise: time for each of its cases, in seconds.")
    ] = 15.0,
    allow_no_memory_control: Annotated[
        bool, typer.Option(help="With --noise: race although this host cannot limit memory.")
    ] = False,
) -> None:
    """Tell what of isolation and quiet timing this host has, and what to change.

    Each line is ok, weak (it works, less well) or missing. Run it as the user, in the container and on the cores that
    the runner has. What it finds, a runner tells the service; boards can demand it.

    Exit codes: 0 fit for untrusted code, 2 wrong usage, 3 not fit.
    """
    files, level, cores = HostFiles(), probe(), plan_cores()
    lines = check(files, level, cores)
    reasons = level.missing()
    raced, failure = _race(seconds, allow_no_memory_control) if noise else ([], "")
    if as_json:
        found = as_values(lines, reasons, level, answers(files, cores))
        cases = [dataclasses.asdict(case) for case in raced]
        typer.echo(json.dumps({**found, "noise": cases, "noise_failure": failure}, indent=2))
    else:
        show(lines + noise_lines(raced), reasons, failure)
    raise typer.Exit(EXIT_UNFIT if reasons else EXIT_FIT)


def check(files: HostFiles, level: Level, cores: CorePlan) -> list[Line]:
    """All lines but those of the noise."""
    return [*isolation_lines(level, files), *timing_lines(files, cores), *tools_lines()]


def as_values(lines: list[Line], reasons: list[str], level: Level, told: dict[str, str]) -> dict[str, Any]:
    """The check-up as JSON-ready values. `facts` are what boards can demand."""
    return {
        "fit": not reasons,
        "reasons": reasons,
        "facts": {**level.as_text(), **told},
        "lines": [dataclasses.asdict(line) for line in lines],
    }


def show(lines: list[Line], reasons: list[str], failure: str = "") -> None:
    """Print the lines by topic, then the verdict."""
    out = rich.console.Console(highlight=False, soft_wrap=True)
    width = max(len(line.name) for line in lines)
    for topic, title in _TOPICS.items():
        out.print(Text(title, style="bold"))
        for line in lines:
            if line.topic == topic:
                status = (f"{line.status:<8}", _STYLES[line.status])
                out.print(Text.assemble("  ", status, f"{line.name:<{width}}  ", line.found))
                if line.advice:
                    out.print(Text(f"{'':{width + 12}}→ {line.advice}", style="dim"))
    if failure:
        out.print(Text(f"The race could not be held: {failure}", style="yellow"))
    weak = sum(line.status is not Status.OK for line in lines)
    if reasons:
        out.print(Text("Not fit for untrusted code:", style="bold red"))
        for reason in reasons:
            out.print(Text(f"- {reason}"))
    else:
        out.print(Text(f"Fit for untrusted code; {weak} of {len(lines)} lines could be better.", style="bold green"))


def _race(seconds: float, allow_no_memory_control: bool) -> tuple[list[CaseNoise], str]:
    try:
        return measure_noise(seconds, allow_no_memory_control), ""
    except (NoiseFailed, WarmError) as error:
        return [], str(error)
