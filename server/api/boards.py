"""Boards and their rows."""

from __future__ import annotations

from fastapi import APIRouter

from server.api.deps import SessionDep
from server.ranking import standings
from server.schemas import BoardOut, BoardRows
from server.views import board_out, find_board, list_boards

router = APIRouter(prefix="/boards", tags=["boards"])


@router.get("")
def read_boards(session: SessionDep) -> list[BoardOut]:
    """All boards, by name."""
    return list_boards(session)


@router.get("/{name}")
def read_board(session: SessionDep, name: str) -> BoardOut:
    """One board."""
    return board_out(session, find_board(session, name))


@router.get("/{name}/rows")
def read_rows(session: SessionDep, name: str) -> BoardRows:
    """The standings: the best kernel of every author, its ranked runs pooled. Ranks are intervals: 2 to 4 is a tie."""
    board = find_board(session, name)
    return BoardRows(board=board_out(session, board), rows=standings(session, board))
