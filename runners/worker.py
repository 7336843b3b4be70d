"""The Celery worker of a runner host: takes signed jobs from its device's queue, one at a time, and judges them.

It knows the service by HTTP and the broker by its own queue: no database, no secret but the key of the jobs' signature.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_ready, worker_shutdown

from runners.attempt import Bench, run_job
from runners.checkup.answers import answers
from runners.delivery import Delivery
from runners.devices import cpu
from runners.host import HostSettings, host_environment, host_settings
from runners.host_files import HostFiles
from runners.http import http_client
from runners.judge.builds import BuildStore
from runners.judge.local import PreparedJudge
from runners.packages import PackageCache
from runners.presence import Presence
from runners.protocol import Job, Limits, Mode, ProtocolError, decode
from runners.sandbox.cores import plan_cores
from runners.sandbox.warm import HostUnfitError, WarmError, WarmServer
from runners.spool import Spool

log = logging.getLogger(__name__)

app = Celery("kernelcup-runner", set_as_current=False)
app.config_from_object("runners.worker_config")


class WarmJudges:
    """Judges from one warm process, which is kept across jobs and replaced when it has died."""

    def __init__(self, allow_no_memory_control: bool, peaks: dict[str, float], builds: BuildStore | None) -> None:
        self._allow_no_memory_control = allow_no_memory_control
        self._peaks = peaks
        self._builds = builds
        self._warm = self._start()

    def _start(self) -> WarmServer:
        return WarmServer(allow_no_memory_control=self._allow_no_memory_control)

    def level(self) -> dict[str, str]:
        """What the host can do. Raises HostUnfitError where it may not run untrusted code."""
        return self._warm.level().as_text()

    def prepare(self, mode: Mode, limits: Limits) -> PreparedJudge:
        """A judge that waits for its brief."""
        peaks = self._peaks if mode in (Mode.BENCHMARK, Mode.RANKED) else None
        try:
            return PreparedJudge(self._warm, mode, limits, peaks, self._builds)
        except WarmError as error:
            log.warning("the warm process is replaced: %s", error)
            self._warm.close()
            self._warm = self._start()
            return PreparedJudge(self._warm, mode, limits, peaks, self._builds)

    def close(self) -> None:
        """End the warm process and everything it forked."""
        self._warm.close()


@dataclass(frozen=True)
class Runner:
    """All that the worker's one process holds."""

    settings: HostSettings
    judges: WarmJudges
    presence: Presence
    bench: Bench


def make_runner(settings: HostSettings) -> Runner:
    """Get the host ready. Raises HostUnfitError where untrusted code may not run, RuntimeError if measuring fails."""
    judges = WarmJudges(settings.allow_no_memory_control, cpu.peaks(plan_cores().contestant), settings.builds)
    facts = {**judges.level(), **answers(HostFiles(), plan_cores())}
    client = http_client()
    delivery = Delivery(client, Spool(settings.folder / "reports"))
    presence = Presence(settings, client, delivery, facts, host_environment(cpu.cpu_model()))
    bench = Bench(
        name=settings.runner_name,
        client=client,
        delivery=delivery,
        packages=PackageCache(settings.folder / "packages"),
        prepare=judges.prepare,
        heartbeat_seconds=lambda: presence.heartbeat_seconds,
    )
    return Runner(settings, judges, presence, bench)


class _Process:
    runner: Runner | None = None


@worker_init.connect(weak=False)  # type: ignore[untyped-decorator]
def _get_ready(**_signal: Any) -> None:
    try:
        _Process.runner = make_runner(host_settings())
    except (HostUnfitError, RuntimeError) as error:
        # Celery logs and goes on after an exception in a signal handler; this runner must not.
        raise SystemExit(str(error)) from None


@worker_ready.connect(weak=False)  # type: ignore[untyped-decorator]
def _announce(**_signal: Any) -> None:
    if _Process.runner is not None:
        _Process.runner.presence.start()


@worker_shutdown.connect(weak=False)  # type: ignore[untyped-decorator]
def _leave(**_signal: Any) -> None:
    if _Process.runner is not None:
        _Process.runner.presence.stop()
        _Process.runner.judges.close()


@app.task(name="runners.judge")  # type: ignore[untyped-decorator]
def judge(message: Any) -> None:
    """Judge one job. A job that is not the service's own is dropped."""
    runner = _Process.runner
    if runner is None:
        raise RuntimeError("jobs are judged by a Celery worker only")
    runner.presence.has_work()
    job = accepted(message, runner.settings)
    if job is not None:
        run_job(job, runner.bench)


def accepted(message: Any, settings: HostSettings) -> Job | None:
    """The job in `message`, None if it is not signed with our key or for another device."""
    try:
        job = decode(Job, message)
    except ProtocolError as error:
        log.error("job dropped, unreadable: %s", error)
        return None
    if not job.is_signed_by(settings.runner_key.encode()):
        log.error("job of attempt %d dropped, wrong signature: is KERNELCUP_RUNNER_KEY the server's?", job.attempt_id)
        return None
    if job.device != settings.device:
        log.error("job of attempt %d dropped, for device %s", job.attempt_id, job.device)
        return None
    return job
