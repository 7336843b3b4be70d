"""Problems as contestants see them."""

from __future__ import annotations

from fastapi import APIRouter

from server.api.deps import SessionDep
from server.schemas import ProblemOut
from server.views import list_problems, problem_out

router = APIRouter(prefix="/problems", tags=["problems"])


@router.get("")
def read_problems(session: SessionDep) -> list[ProblemOut]:
    """All problems, in their newest version."""
    return list_problems(session)


@router.get("/{collection}/{name}")
def read_problem(session: SessionDep, collection: str, name: str) -> ProblemOut:
    """One problem, e.g. `/problems/basics/vector_mean`: statement, cases, starters and the reference."""
    return problem_out(session, f"{collection}/{name}")
