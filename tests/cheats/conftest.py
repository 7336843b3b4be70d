"""One warm server and one naive harness for all cases in a process; a table of the corpus at the end."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from runners.sandbox.level import probe
from runners.sandbox.warm import WarmServer
from tests.cheats.corpus import CorpusError, missing, read_cases
from tests.cheats.naive import NaiveHarness


@pytest.fixture(scope="session")
def warm() -> Iterator[WarmServer]:
    if lacking := probe().missing():
        pytest.skip("this host cannot run untrusted code: " + "; ".join(lacking))
    with WarmServer() as server:
        yield server


@pytest.fixture(scope="session")
def naive() -> Iterator[NaiveHarness]:
    with NaiveHarness() as harness:
        yield harness


@pytest.fixture(scope="session")
def small_problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("problems")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The corpus in one table, where its tests ran: family, cases, what stops them."""
    outcomes: dict[str, bool] = {}
    for kind, good in (("passed", True), ("xfailed", True), ("failed", False), ("error", False)):
        for report in terminalreporter.stats.get(kind, []):
            if "cheats/test_corpus.py" in report.nodeid and "[" in report.nodeid:
                name = report.nodeid.partition("[")[2].rstrip("]")
                outcomes[name] = outcomes.get(name, True) and good
    if not outcomes:
        return
    try:
        cases = [case for case in read_cases() if case.name in outcomes]
    except CorpusError:
        return
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        rows[case.letter]["honest" if case.honest else case.stopped_by] += 1
        rows[case.letter]["failed"] += not outcomes[case.name]
    terminalreporter.section("the corpus")
    terminalreporter.write_line(f"{'family':8}{'cheats':>7}{'honest':>7}{'failed':>7}  stopped by")
    for letter, row in sorted(rows.items()):
        stops = ", ".join(f"{what} {n}" for what, n in row.most_common() if what not in ("honest", "failed") and n)
        cheats = row.total() - row["honest"] - row["failed"]
        terminalreporter.write_line(f"{letter:8}{cheats:7}{row['honest']:7}{row['failed']:7}  {stops}")
    if lacking := missing(read_cases()):
        terminalreporter.write_line(f"no case yet: {', '.join(lacking)}")
