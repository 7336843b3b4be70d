"""The Celery application of the control worker, and the doorbells.

The database is the truth and the broker a doorbell: whatever is lost here is found again by the sweeper. So nothing
waits for the broker: connecting has short limits, nothing is retried, and after a failure nobody tries again for two
seconds.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from celery import Celery
from celery.signals import setup_logging

from runners.protocol import Job, encode
from server.logs import configure_logging
from server.settings import Settings, get_settings

log = logging.getLogger(__name__)

CONTROL, GUARD = "control", "guard"
DISPATCH_TASK, SWEEP_TASK, DECIDE_TASK = "server.tasks.dispatch", "server.tasks.sweep", "server.tasks.decide"
JUDGE_TASK = "runners.judge"
BROKER_SECONDS = 1.0
PAUSE_SECONDS = 2.0

TRANSPORT_OPTIONS: dict[str, Any] = {
    # Longer than any task, or Redis would give a task that still runs to a second worker.
    "visibility_timeout": 3600,
    "socket_connect_timeout": BROKER_SECONDS,
    "socket_timeout": 5.0,
    "socket_keepalive": True,
    "max_retries": 0,
}


def celery_config(settings: Settings) -> dict[str, Any]:
    """Celery's configuration for `settings`."""
    sweep = {
        "task": SWEEP_TASK,
        "schedule": settings.sweep_seconds,
        "options": {"expires": 10 * settings.sweep_seconds},
    }
    return {
        "broker_url": settings.broker_url,
        "broker_transport_options": TRANSPORT_OPTIONS,
        "broker_connection_timeout": BROKER_SECONDS,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_ignore_result": True,
        "task_default_queue": CONTROL,
        "task_routes": {DECIDE_TASK: {"queue": GUARD}, "server.tasks.*": {"queue": CONTROL}},
        "task_create_missing_queues": True,
        "task_publish_retry": False,
        # No limit: a message whose acknowledgement met a broker that had just died counts as held for ever, and would
        # take up a limit of one. The solo pool works off a message before it asks for the next in any case.
        "worker_prefetch_multiplier": 0,
        "worker_enable_remote_control": False,
        "worker_send_task_events": False,
        "worker_hijack_root_logger": False,
        "beat_schedule": {"sweep": sweep},
        "beat_max_loop_interval": max(0.05, min(1.0, settings.sweep_seconds)),
        "include": ["server.tasks"],
        "enable_utc": True,
    }


app = Celery("kernelcup", set_as_current=False)
app.config_from_object("server.celery_config")


def configure(settings: Settings) -> None:
    """Use `settings` instead of the environment's. For processes that are given their settings."""
    app.conf.update(celery_config(settings))
    # The pools are kept by broker address; forgetting ours makes the next send look its pool up again.
    app._pool = None
    app.amqp._producer_pool = None
    _broker.reset()


@setup_logging.connect(weak=False)  # type: ignore[untyped-decorator]
def _log_as_we_do(**_options: Any) -> None:
    configure_logging(get_settings().log_level)


class _Broker:
    """Sends without ever waiting long: one failure buys everybody two seconds of silence."""

    def __init__(self) -> None:
        self._silent_until = 0.0

    def reset(self) -> None:
        self._silent_until = 0.0

    def send(self, name: str, *args: Any, queue: str, **options: Any) -> None:
        """Send a task or raise."""
        if time.monotonic() < self._silent_until:
            raise ConnectionError("the broker did not answer a moment ago")
        try:
            app.send_task(name, args=args, queue=queue, retry=False, **options)
        except Exception:
            self._silent_until = time.monotonic() + PAUSE_SECONDS
            raise


_broker = _Broker()


def ring() -> None:
    """Tell the dispatcher that there is work. Never fails, hardly waits; a lost ring costs a sweep interval."""
    _ring(DISPATCH_TASK, queue=CONTROL)


def ring_guard(run_id: int) -> None:
    """Ask the guard to decide on a judged run. Never fails, hardly waits; the sweeper asks again."""
    _ring(DECIDE_TASK, run_id, queue=GUARD)


def _ring(name: str, *args: Any, queue: str) -> None:
    try:
        _broker.send(name, *args, queue=queue)
    except Exception as error:
        log.warning("doorbell lost: %s: %s", name, error)


def send_job(job: Job) -> None:
    """Put a signed job on its device's queue. Raises if the broker does not take it."""
    _broker.send(JUDGE_TASK, encode(job), queue=f"device.{job.device}", task_id=f"attempt-{job.attempt_id}")


def broker_answers() -> bool:
    """Whether the broker can be reached now."""
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=0, timeout=BROKER_SECONDS)
    except Exception:
        return False
    return True
