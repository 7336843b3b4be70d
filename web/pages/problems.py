"""A problem: what to write, how it is scored, what the record is, how far the floor."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from server import ranking, views
from server.schemas import BoardOut, CaseShape, ProblemOut, Standing
from web.templating import page
from web.visitor import VisitorDep

router = APIRouter()

RANKING_WORDS = {
    "last": "the last timed case",
    "mean": "the arithmetic mean of the timed cases",
    "geom": "the geometric mean of the timed cases",
}


@dataclass(frozen=True)
class BoardRecord:
    """A board of the problem, with its record."""

    board: BoardOut
    record: Standing | None


@dataclass(frozen=True)
class ShapesTable:
    """Cases with their parameters as columns."""

    columns: list[str]
    numeric: set[str]
    cases: list[CaseShape]
    has_cost: bool


@router.get("/problems/{group}/{name}")
def problem(visitor: VisitorDep, group: str, name: str) -> Response:
    """The problem `group/name`."""
    out = views.problem_out(visitor.session, f"{group}/{name}")
    boards = [
        BoardRecord(board, _record(visitor, board.name))
        for board in views.list_boards(visitor.session)
        if board.problem == out.slug
    ]
    return page(
        visitor,
        "problem.html",
        problem=out,
        signature=signature(out),
        boards=boards,
        record=next((entry for entry in boards if entry.record), None),
        tests=shapes(out.tests),
        benchmarks=shapes(out.benchmarks),
        ranking_words=RANKING_WORDS.get(out.ranking_by, out.ranking_by),
    )


def _record(visitor: VisitorDep, board_name: str) -> Standing | None:
    return ranking.record_of(visitor.session, views.find_board(visitor.session, board_name))


def shapes(cases: list[CaseShape]) -> ShapesTable:
    """`cases` as a table: one column a parameter, in the order in which they appear."""
    columns = list(dict.fromkeys(name for case in cases for name in case.params))
    numeric = {name for name in columns if all(isinstance(case.params.get(name, 0), (int, float)) for case in cases)}
    has_cost = any(case.flops is not None or case.bytes is not None for case in cases)
    return ShapesTable(columns, numeric, cases, has_cost)


def signature(problem: ProblemOut) -> str:
    """The function to write, as the first starter that parses declares it."""
    for source in problem.starters.values():
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == "custom_kernel":
                returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
                return f"def custom_kernel({ast.unparse(node.args)}){returns}"
    return "def custom_kernel(data)"
