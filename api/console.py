"""The command `rules-oracle`: serve, ingest, ask, keys, mcp or evals NAME, and their options.

Each is what `python -m` runs: rules-oracle ingest --watch is python -m ingest --watch. They are
started by name, since no room of the programs may import another.
"""

import pkgutil
import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec

_PROGRAMS = {
    "serve": "api",
    "ingest": "ingest",
    "ask": "api.ask",
    "keys": "api.keys",
    "mcp": "api.mcp",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a program as `python -m` does; return 0 for --help, 2 where there is none of the name."""
    command, *rest = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    if command == "evals" and rest and rest[0] in _evals():
        command, *rest = f"evals.{rest[0]}", *rest[1:]
    elif command in _PROGRAMS:
        command = _PROGRAMS[command]
    else:
        stream = sys.stdout if command in {"-h", "--help"} else sys.stderr
        print(f"usage: rules-oracle {{{','.join(_PROGRAMS)}}} [OPTIONS]", file=stream)
        print(f"       rules-oracle evals {{{','.join(_evals())}}} [OPTIONS]", file=stream)
        if stream is sys.stderr:
            given = " ".join([command, *rest[:1]])
            print(f"rules-oracle: there is no {given[:80]!r}", file=stream)
        return 0 if stream is sys.stdout else 2
    sys.argv = [f"python -m {command}", *rest]
    runpy.run_module(command, run_name="__main__", alter_sys=True)
    return 0


def _evals() -> list[str]:
    """The programs of the evals: what stands flat in their folder."""
    found = find_spec("evals")
    places = found.submodule_search_locations if found else None
    return [one.name for one in pkgutil.iter_modules(places or []) if not one.ispkg]


if __name__ == "__main__":
    sys.exit(main())
