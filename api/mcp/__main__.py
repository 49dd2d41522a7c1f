"""Serve the rules to one agent over stdin and stdout: python -m api.mcp (see docs/clients.md).

Logs go to stderr. It ends, with 0, when its client closes stdin; 2 where it cannot begin.
"""

import argparse
import sys
from collections.abc import Sequence

from api.mcp.server import RulesServer
from api.observability import logs, traces
from api.state import open_app_state
from retrieval.errors import RulesError
from retrieval.settings import load


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until stdin ends and return the exit status."""
    argparse.ArgumentParser(prog="python -m api.mcp", description=__doc__).parse_args(argv)
    try:
        settings = load()
        logs.configure(settings.log_level, settings.log_format)
        traces.configure()
        with open_app_state(settings) as opened:
            RulesServer(opened).run("stdio")
    except RulesError as error:
        print(f"api.mcp: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
