"""Add, list and revoke API keys: python -m api.keys add NAME --scope ask,feedback.

A running server sees each change at once. The token is printed once and kept nowhere.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from api.keys import key_file, key_ring
from retrieval import exit_status, rates
from retrieval.errors import ConfigurationError
from retrieval.settings import load


def main(argv: Sequence[str] | None = None) -> int:
    """Change or show the file and return the exit status: 0, or 2 with the reason on stderr."""
    arguments = _parser().parse_args(argv)
    return exit_status.of("api.keys", lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> None:
    if arguments.command == "add" and arguments.print:
        key, token = key_file.made(*_key(arguments))
        print(f"{token}\n{key.line}")
        return
    path = arguments.file or key_ring.program_file(load().api_keys)
    if arguments.command == "add":
        print(key_file.add(path, *_key(arguments)))
    elif arguments.command == "revoke":
        key_file.revoke(path, arguments.name)
    else:
        for key in key_file.read(path):
            seen = json.dumps(key.filter) if key.filter is not None else ""
            tokens = f"{key.tokens} tokens" if key.tokens else ""
            print(key.name, ",".join(key.scopes), key.rate or "", tokens, seen)


def _key(
    arguments: argparse.Namespace,
) -> tuple[str, tuple[str, ...], str | None, dict[str, Any] | None, str | None]:
    filters = arguments.filter or [None]
    seen = filters[0] if len(filters) == 1 else {"and": filters}
    return arguments.name, arguments.scope, arguments.rate, seen, arguments.tokens


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m api.keys", description=__doc__)
    parser.add_argument("--file", type=Path, help="the file of keys; default: API_KEYS")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="print a new token, once")
    add.add_argument("name")
    add.add_argument("--scope", type=_scopes, required=True, help=",".join(key_file.SCOPES))
    add.add_argument("--rate", type=_rate, help="questions: 60/m,2000/d; default: RATE_LIMIT_KEY")
    add.add_argument("--tokens", type=_rate, help="of the model: 9000/m; default: TOKEN_LIMIT_KEY")
    add.add_argument(
        "--filter",
        type=_filter,
        action="append",
        help="of which files it may see, FIELD=VALUE or JSON (docs/filters.md); of several all",
    )
    add.add_argument(
        "--print", action="store_true", help="change no file: print the line for API_KEYS as well"
    )
    commands.add_parser("list", help="names and scopes")
    commands.add_parser("revoke", help="remove a key").add_argument("name")
    return parser


def _scopes(text: str) -> tuple[str, ...]:
    scopes = tuple(text.split(","))
    if unknown := set(scopes) - set(key_file.SCOPES):
        raise argparse.ArgumentTypeError(f"no scope {min(unknown)!r}; {', '.join(key_file.SCOPES)}")
    return scopes


def _rate(text: str) -> str:
    try:
        rates.read(text)
    except ConfigurationError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def _filter(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        try:
            return dict(json.loads(text))
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{text!r} is no JSON: {error}") from error
    field, equals, value = text.partition("=")
    if not (field and equals and value):
        raise argparse.ArgumentTypeError(f"{text!r} is no filter; write status=public, or JSON")
    return {field: value}


if __name__ == "__main__":
    sys.exit(main())
