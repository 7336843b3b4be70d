"""The few changes that embedded mode makes in the database by itself: local users, their tokens, quick boards."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.auth import make_token
from server.models import Board, User


def give_token(session: Session, name: str, label: str, *, admin: bool = False) -> str:
    """A new token for the user `name`, who is made if need be. The caller commits."""
    user = session.scalar(select(User).where(User.name == name))
    if user is None:
        user = User(name=name, is_admin=admin)
        session.add(user)
        session.flush()
    elif admin:
        user.is_admin = True
    return make_token(session, user, label)


def shorten_boards(session: Session, names: Collection[str], case_seconds: float) -> None:
    """Time each case of the boards `names` for `case_seconds` at most, and confirm no records. The caller commits."""
    for board in session.scalars(select(Board).where(Board.name.in_(names))):
        board.limits = {**board.limits, "case_seconds": case_seconds, "confirm_records": False}
