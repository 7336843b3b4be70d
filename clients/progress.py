"""Following a submission on a terminal (live), elsewhere (plain lines), or as JSON lines."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from clients.console import print_json
from clients.errors import KernelCupError
from clients.results import Event, Run, Submission
from clients.sdk import KernelCup
from clients.timeline import Step, Timeline

LOOK_SECONDS = 2.0


class Display(Protocol):
    """Shows how a submission comes along."""

    timeline: Timeline

    def take(self, event: Event) -> None:
        """Show an event."""

    def look(self, run: Run | None) -> None:
        """Show a run's place in the queue."""


class Silent:
    """Shows nothing."""

    def __init__(self) -> None:
        self.timeline = Timeline()

    def take(self, event: Event) -> None:
        """Show nothing, but know whether the submission still waits."""
        self.timeline.take(event)

    def look(self, run: Run | None) -> None:
        """Show nothing."""


class JsonLines(Silent):
    """One JSON object a line and event."""

    def take(self, event: Event) -> None:
        """Print the event."""
        super().take(event)
        print_json(event, indent=None)


class Plain:
    """A line for what matters; for logs, pipes and agents."""

    def __init__(self, console: Console) -> None:
        self.timeline = Timeline()
        self._console = console

    def take(self, event: Event) -> None:
        """Print the event's line, if it has one."""
        self._print(self.timeline.take(event))

    def look(self, run: Run | None) -> None:
        """Print the place in the queue, if it changed."""
        self._print(self.timeline.look(run))

    def _print(self, text: str | None) -> None:
        if text:
            self._console.print(Text(text))


class OnTerminal(AbstractContextManager["OnTerminal"]):
    """The steps in place, with a bar for each stage."""

    def __init__(self, console: Console, title: str) -> None:
        self.timeline = Timeline()
        self._spinner = Spinner("dots", text=Text(title))
        self._live = Live(console=console, get_renderable=self._render, refresh_per_second=8, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def take(self, event: Event) -> None:
        """Take the event in; the next frame shows it."""
        self.timeline.take(event)

    def look(self, run: Run | None) -> None:
        """Take the place in the queue in; the next frame shows it."""
        self.timeline.look(run)

    def _render(self) -> Group:
        if self.timeline.is_waiting:
            state = self.timeline.waiting or self.timeline.state
            return Group(self._spinner, Text(f"  {state}", style="dim"))
        grid = Table.grid(padding=(0, 2))
        for step in tuple(self.timeline.steps):
            grid.add_row("", _mark(step), step.name, _bar(step), Text(step.now, style="dim"))
        return Group(self._spinner, grid)


class QueueWatch(AbstractContextManager["QueueWatch"]):
    """Asks for the place in the queue now and then, for as long as a submission waits. Failures are passed over."""

    def __init__(self, cup: KernelCup, submission_id: int, display: Display) -> None:
        self._cup = cup
        self._submission_id = submission_id
        self._display = display
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            if not self._display.timeline.is_waiting:
                continue
            try:
                self._display.look(self._cup.submission(self._submission_id).run)
            except (KernelCupError, RuntimeError):
                continue


def follow(cup: KernelCup, submission: Submission, display: Display, timeout: float | None) -> Submission:
    """The submission once it is done, shown on `display` on the way; raises WaitTimeoutError.

    One that is done already is returned as it is, unless its events are what is wanted.
    """
    if submission.done and not isinstance(display, JsonLines):
        return submission
    with ExitStack() as stack:
        if isinstance(display, AbstractContextManager):
            stack.enter_context(display)
        display.look(submission.run)
        stack.enter_context(QueueWatch(cup, submission.id, display))
        return cup.wait(submission.id, display.take, timeout=timeout)


def _mark(step: Step) -> Text:
    if step.failed:
        return Text("✗", style="red")
    return Text("✓", style="green") if step.is_over else Text("…")


def _bar(step: Step) -> ProgressBar | Text:
    if not step.total:
        return Text("")
    return ProgressBar(total=step.total, completed=min(step.done, step.total), width=24)
