"""The tasks of the control and guard queues. All of them may be lost or run twice without harm."""

from __future__ import annotations

import logging
import os
from typing import Any

from celery import Task
from sqlalchemy.orm import Session, sessionmaker

from server.celery_app import DECIDE_TASK, DISPATCH_TASK, SWEEP_TASK, app, ring_guard, send_job
from server.db import engine_for, session_factory
from server.life.decide import decide as decide_run
from server.life.dispatch import dispatch_all
from server.life.sweep import Sweeper
from server.settings import Settings, get_settings

log = logging.getLogger(__name__)


class ServiceTask(Task):  # type: ignore[misc]
    """Base of our tasks: sessions and sweeper of the process, made after any fork, and failures in the log."""

    _made: dict[int, tuple[sessionmaker[Session], Sweeper]] = {}  # noqa: RUF012

    @property
    def settings(self) -> Settings:
        """The process's settings."""
        return get_settings()

    @property
    def sessions(self) -> sessionmaker[Session]:
        """Sessions that may write."""
        return self._make()[0]

    @property
    def sweeper(self) -> Sweeper:
        """The process's sweeper."""
        return self._make()[1]

    def _make(self) -> tuple[sessionmaker[Session], Sweeper]:
        made = ServiceTask._made.get(os.getpid())
        if made is None:
            sessions = session_factory(engine_for(self.settings.database_url))
            made = sessions, Sweeper(sessions, self.settings, send_job, ring_guard)
            ServiceTask._made = {os.getpid(): made}
        return made

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:  # noqa: ARG002
        """Log it; the sweeper will come back to whatever was left undone."""
        log.error("task failed: %s", self.name, extra={"task": task_id, "task_args": args}, exc_info=exc)


@app.task(base=ServiceTask, bind=True, name=DISPATCH_TASK)  # type: ignore[untyped-decorator]
def dispatch(self: ServiceTask) -> None:
    """Send what can be started."""
    dispatch_all(self.sessions, self.settings, send_job)


@app.task(base=ServiceTask, bind=True, name=SWEEP_TASK)  # type: ignore[untyped-decorator]
def sweep(self: ServiceTask) -> None:
    """Move on whatever is stuck."""
    self.sweeper.sweep()


@app.task(base=ServiceTask, bind=True, name=DECIDE_TASK)  # type: ignore[untyped-decorator]
def decide(self: ServiceTask, run_id: int) -> None:
    """Decide on a judged run."""
    decide_run(self.sessions, run_id)
