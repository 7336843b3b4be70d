"""A claim to the record is marked on the board and on the page of its submission, in words, before and after."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from server.models import Claim, ClaimState, Record, Run, RunReason, RunState, Submission
from tests.web.browser import Browser
from tests.web.seed import Seeded

BOARD = "/boards/vector_mean-cpu"


def claim(
    sessions: sessionmaker[Session], seeded: Seeded, state: ClaimState, run_state: RunState = RunState.QUEUED
) -> None:
    """Grace holds the record; Ada claims it with the submission ``honest``."""
    with sessions() as session:
        ada, grace = (session.get_one(Submission, seeded.submissions[name]) for name in ("honest", "tied"))
        record = Record(board_id=grace.board_id, user_id=grace.user_id, canonical_digest=grace.canonical_digest)
        first = session.scalars(select(Run).where(Run.submission_id == ada.id)).one()
        fresh = Run(
            submission_id=ada.id, board_id=ada.board_id, user_id=ada.user_id, device="cpu", mode=ada.mode,
            state=run_state, reason=RunReason.CONFIRMATION, priority=25, nonce="c" * 64,
        )  # fmt: skip
        session.add_all([record, fresh])
        session.flush()
        session.add(
            Claim(
                record_id=record.id, board_id=ada.board_id, user_id=ada.user_id, canonical_digest=ada.canonical_digest,
                run_id=first.id, confirming_id=fresh.id, state=state, earlier=0, log_ratio=-1.2, low=-1.21, high=-1.19,
                record_log_ratio=-1.1, record_low=-1.11, record_high=-1.09,
            )
        )  # fmt: skip
        session.commit()


def row_of(page: str, author: str) -> str:
    """The part of the board's text that is the row of `author`."""
    start = page.index(author)
    return page[start : page.index("#", start)]


def test_without_claims_the_leading_row_holds_the_record(anonymous: Browser) -> None:
    text = anonymous.page(BOARD).text
    assert "record" in row_of(text, "ada")
    assert "record" not in row_of(text, "grace")
    assert "awaiting confirmation" not in text


def test_a_row_that_awaits_confirmation_says_so_and_does_not_hold_the_record(
    anonymous: Browser, seeded: Seeded, sessions: sessionmaker[Session]
) -> None:
    claim(sessions, seeded, ClaimState.OPEN)
    text = anonymous.page(BOARD).text
    assert "awaiting confirmation: it would be the record, and a fresh run has to agree first" in row_of(text, "ada")
    assert "record" in row_of(text, "grace")
    assert "3.409×" in anonymous.page("/").text


@pytest.mark.parametrize(
    ("state", "label"),
    [(ClaimState.CONFIRMED, "confirmed: a fresh run"), (ClaimState.REFUTED, "not confirmed: a fresh")],
)
def test_the_mark_stays_once_it_is_decided(
    anonymous: Browser, seeded: Seeded, sessions: sessionmaker[Session], state: ClaimState, label: str
) -> None:
    claim(sessions, seeded, state, RunState.FINISHED)
    assert label in row_of(anonymous.page(BOARD).text, "ada")


def test_the_page_of_a_claim_is_live_until_it_is_decided_and_says_what_comes(
    ada: Browser, seeded: Seeded, sessions: sessionmaker[Session]
) -> None:
    path = f"/submissions/{seeded.submissions['honest']}"
    assert "/live?seen=" not in ada.get(path).text
    claim(sessions, seeded, ClaimState.OPEN, RunState.RUNNING)
    source = ada.get(path).text
    assert "/live?seen=" in source
    assert "every 5s" in source
    text = ada.page(path).text
    assert "awaiting confirmation" in text
    assert "A fresh run of the same source must agree first" in text
    assert "Cancel" not in text
