"""The thread that says, as long as the worker lives, that this runner is there."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from typing import Any

import httpx

from runners.delivery import Delivery
from runners.host import HostSettings
from runners.http import AttemptOver, Refused, Unreachable, put_runner

log = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
DEFAULT_HEARTBEAT_SECONDS = 5.0


class Presence:
    """Registers with the service every few seconds, in its own thread."""

    def __init__(
        self,
        settings: HostSettings,
        client: httpx.Client,
        delivery: Delivery,
        level: Mapping[str, Any],
        environment: Mapping[str, Any],
    ) -> None:
        self._settings = settings
        self._client = client
        self._delivery = delivery
        self._about = {"device": settings.device, "level": dict(level), "environment": dict(environment)}
        self._over = threading.Event()
        self._has_worked = threading.Event()
        self._known = False
        self.heartbeat_seconds = DEFAULT_HEARTBEAT_SECONDS
        self._thread = threading.Thread(target=self._run, name="presence", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def has_work(self) -> None:
        """A job was taken: from now on this process is not one that has just begun."""
        self._has_worked.set()

    def stop(self) -> None:
        """End, and say that there is no room here any more."""
        self._over.set()
        try:
            self._register(slots=0)
        except (Unreachable, Refused, AttemptOver) as error:
            log.info("could not sign off: %s", error)

    def _run(self) -> None:
        while not self._over.is_set():
            self._over.wait(self._once())

    def _once(self) -> float:
        """Deliver what was left behind, then register. How long to wait before the next time."""
        try:
            if not self._known and not self._has_worked.is_set():
                self._delivery.deliver_kept()
            self.heartbeat_seconds = self._register(slots=1)
        except Unreachable as error:
            log.warning("the service cannot be reached: %s", error)
            return RETRY_SECONDS
        except Exception:
            log.exception("registration failed: check KERNELCUP_API_URL and KERNELCUP_RUNNER_KEY")
            return DEFAULT_HEARTBEAT_SECONDS
        self._known = True
        return self.heartbeat_seconds

    def _register(self, slots: int) -> float:
        # Only a process that has held no job may say that its predecessor's attempts are dead.
        restarted = not self._known and not self._has_worked.is_set()
        body = {**self._about, "slots": slots, "restarted": restarted}
        settings = self._settings
        return put_runner(self._client, settings.api_url, settings.runner_name, settings.runner_key, body)
