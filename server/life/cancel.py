"""Cancelling: a queued run ends at once; one that a runner holds ends when the runner has let go."""

from __future__ import annotations

from sqlalchemy.orm import Session

from server.errors import Refusal, not_found
from server.life.ending import mark_cancelled
from server.life.locks import lock_run
from server.models import LIVE_STATES, RunState, Submission, User

HELD = (RunState.DISPATCHED, RunState.RUNNING)


def cancel(session: Session, *, submission: Submission, user: User) -> None:
    """Cancel what can still be cancelled of `submission`, and commit. Cancelling twice is no error.

    A ranked run that had started counts as a run. A run that confirms a record is not its author's to cancel.
    Raises Refusal if the submission is not the user's, or is done.
    """
    if submission.user_id != user.id and not user.is_admin:
        raise not_found("submission", submission.id)
    runs = [run for item in submission.own_runs if (run := lock_run(session, item.id)) is not None]
    if not any(run.state in LIVE_STATES for run in runs):
        if any(run.state == RunState.CANCELLED for run in runs):
            return
        raise Refusal(409, "already_finished", "Already finished", "This submission is finished: nothing to cancel.")
    if all(run.state not in (RunState.QUEUED, *HELD) for run in runs):
        raise Refusal(409, "already_judged", "Already judged", "The verdict is there already: nothing to cancel.")
    for run in runs:
        if run.state == RunState.QUEUED:
            mark_cancelled(session, run)
        elif run.state in HELD:
            run.cancel_requested = True
    session.commit()
