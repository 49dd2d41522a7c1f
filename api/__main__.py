"""Serve the API: python -m api (HOST, PORT, LOG_LEVEL; see .env.example)."""

import sys

import uvicorn

from api.main import create_app
from api.oracle import open_oracle
from retrieval.errors import RulesError
from retrieval.settings import load


def main() -> int:
    """Serve until interrupted and return the exit status; 2 where it cannot begin."""
    try:
        settings = load()
        with open_oracle(settings) as opened:
            print(f"rules-oracle: http://{settings.host}:{settings.port}", flush=True)
            uvicorn.run(
                create_app(opened),
                host=settings.host,
                port=settings.port,
                log_level=settings.log_level.lower(),
                access_log=False,
                timeout_graceful_shutdown=10,
            )
    except RulesError as error:
        print(f"api: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
