"""The home page, a board, and the queue."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from server import ranking, views
from server.models import Board
from server.schemas import BoardOut, Standing
from web import bars, numbers
from web.templating import page
from web.visitor import VisitorDep

router = APIRouter()
_PYTHON_EXAMPLE = """\
from pathlib import Path
from clients.sdk import KernelCup

with KernelCup("{url}", token) as cup:
    sent = cup.submit(Path("submission.py"), board="{board}")
    print(cup.wait(sent.id).outcome)
"""


@dataclass(frozen=True)
class BoardCard:
    """A board on the home page."""

    board: BoardOut
    summary: str
    record: Standing | None


@router.get("/")
def home(visitor: VisitorDep) -> Response:
    """All boards, open ones first, and how to take part."""
    boards = views.list_boards(visitor.session)
    cards = [_card(visitor, board) for board in boards]
    example = next((card.board.name for card in cards if card.board.is_open), None)
    public_url = visitor.settings.public_url
    return page(
        visitor,
        "home.html",
        open_cards=[card for card in cards if card.board.is_open],
        closed_cards=[card for card in cards if not card.board.is_open],
        example=example,
        public_url=public_url,
        python_example=_PYTHON_EXAMPLE.format(url=public_url, board=example or "BOARD"),
    )


def _card(visitor: VisitorDep, board: BoardOut) -> BoardCard:
    record = ranking.record_of(visitor.session, views.find_board(visitor.session, board.name))
    return BoardCard(board, views.problem_out(visitor.session, board.problem).summary, record)


@router.get("/boards/{name}")
def board(visitor: VisitorDep, name: str) -> Response:
    """A board's standings."""
    found = views.find_board(visitor.session, name)
    rows = ranking.standings(visitor.session, found)
    same_problem = siblings(visitor, found)
    return page(
        visitor,
        "board.html",
        board=views.board_out(visitor.session, found),
        siblings=same_problem,
        devices_differ=len({other.device for other in same_problem}) == len(same_problem),
        table=standings_table(rows),
        mine=next((row for row in rows if visitor.user and row.author == visitor.user.name), None),
    )


def siblings(visitor: VisitorDep, board: Board) -> list[BoardOut]:
    """The boards of the same problem, this one among them: its devices."""
    return [other for other in views.list_boards(visitor.session) if other.problem == board.problem.slug]


@dataclass(frozen=True)
class StandingCells:
    """A row of a board as its cells show it."""

    row: Standing
    ranks: str
    speedup: str
    low: str
    high: str
    time: str
    bar: bars.Interval


@dataclass(frozen=True)
class StandingsTable:
    """A board's rows, with the unit of their times and the scale of their bars."""

    cells: list[StandingCells]
    unit: str
    scale: bars.Scale


def standings_table(rows: list[Standing]) -> StandingsTable:
    """`rows` in one unit, on one scale, with the digits that their intervals allow."""
    unit = numbers.time_unit(row.seconds for row in rows)
    scale = bars.scale((row.speedup_low, row.speedup_high) for row in rows)
    figures = [numbers.with_interval(row.speedup, row.speedup_low, row.speedup_high) for row in rows]
    columns = [numbers.aligned([figure[n] for figure in figures]) for n in range(3)]
    times = numbers.aligned([numbers.in_unit(row.seconds, unit) for row in rows])
    cells = [
        StandingCells(
            row=row,
            ranks=numbers.ranks(row.rank_low, row.rank_high),
            speedup=columns[0][n],
            low=columns[1][n].strip(numbers.FIGURE_SPACE),
            high=columns[2][n].strip(numbers.FIGURE_SPACE),
            time=times[n],
            bar=scale.interval(row.speedup, row.speedup_low, row.speedup_high),
        )
        for n, row in enumerate(rows)
    ]
    return StandingsTable(cells, unit, scale)


@router.get("/queue")
def queue(visitor: VisitorDep) -> Response:
    """Each device's queue, as numbers only."""
    boards = views.list_boards(visitor.session)
    return page(visitor, "queue.html", devices=views.queues(visitor.session), boards=boards)
