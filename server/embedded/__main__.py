"""``python -m server.embedded DATA_DIR [--host H] [--port P] [--no-runner]``: the supervisor without a console."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from server.embedded.broker import NoBrokerError
from server.embedded.home import AlreadyRunningError
from server.embedded.supervisor import DEFAULT_PORT, Options, StartError, Supervisor


def main() -> int:
    """Serve until a stop signal. Returns the exit status: 0, or 1 if the service did not start."""
    parser = argparse.ArgumentParser(prog="python -m server.embedded")
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    parser.add_argument("--no-runner", action="store_true")
    chosen = parser.parse_args()
    options = Options(chosen.data_dir, chosen.host, chosen.port, runner=not chosen.no_runner)
    try:
        return Supervisor(options).run()
    except (AlreadyRunningError, NoBrokerError, StartError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
