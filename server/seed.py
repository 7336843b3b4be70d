"""Bring problems and boards in line with the library on disk."""

from __future__ import annotations

import hashlib
import hmac
import logging
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from problems.package import digest, pack
from problems.spec import ProblemSpec, library, read_spec, resolve_hidden, to_json
from server.models import Board, Problem
from server.settings import Settings

log = logging.getLogger(__name__)

DEVICE = "cpu"


def sync_library(session: Session, settings: Settings) -> list[Board]:
    """Load every problem of the library, in a new version where it has changed, and make sure it has a CPU board.

    A board follows its problem's newest version; its hidden cases are drawn once, when it is made, and stay. Commits.
    """
    boards = []
    for slug, directory in sorted(library().items()):
        problem, spec = sync_problem(session, slug, directory)
        if not spec.devices or DEVICE in spec.devices:
            boards.append(ensure_board(session, settings, problem, spec, DEVICE))
    session.commit()
    return boards


def sync_problem(session: Session, slug: str, directory: Path) -> tuple[Problem, ProblemSpec]:
    """The row of the problem as it is on disk now, and what it says."""
    spec = read_spec(directory, slug)
    archive = pack(directory)
    version = digest(archive)
    problem = session.scalar(select(Problem).where(Problem.slug == slug, Problem.digest == version))
    if problem is None:
        problem = Problem(
            slug=slug,
            digest=version,
            title=spec.title,
            spec=to_json(spec),
            statement=spec.statement,
            archive=archive,
        )
        session.add(problem)
        session.flush()
        log.info("problem loaded", extra={"slug": slug, "digest": version})
    return problem, spec


def ensure_board(session: Session, settings: Settings, problem: Problem, spec: ProblemSpec, device: str) -> Board:
    """The board of a problem on a device, e.g. ``vector_mean-cpu``."""
    name = f"{problem.slug.rsplit('/', 1)[-1]}-{device}"
    board = session.scalar(select(Board).where(Board.name == name))
    if board is None:
        board = Board(
            name=name,
            problem_id=problem.id,
            device=device,
            hidden=resolve_hidden(spec, hidden_secret(settings, name)),
            limits={},
        )
        session.add(board)
        session.flush()
        log.info("board made", extra={"board": name})
    elif board.problem_id != problem.id:
        board.problem_id = problem.id
        session.flush()
    return board


def hidden_secret(settings: Settings, board_name: str) -> bytes:
    """The secret that a board's hidden cases are drawn from."""
    return hmac.new(settings.secret_key.encode(), f"hidden cases of {board_name}".encode(), hashlib.sha256).digest()
