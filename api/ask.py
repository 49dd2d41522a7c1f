"""Ask a running server from the terminal: python -m api.ask "How long does a torch burn?"

API_KEY of the environment is the key, where the server asks for one. The newest index answers, also
where the server searches a replica that lacks it yet. Exit status: 0 an answer or a refusal, 2 no
answer.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

import httpx2

from retrieval.errors import RulesError
from retrieval.settings import load
from retrieval.text.normalize import compact

_TIMEOUT = 120.0  # seconds: the server has deadlines of its own
_NEWEST = "9" * 18  # of the index: what no replica has, so the primary answers


def main(argv: Sequence[str] | None = None) -> int:
    """Print the answer with its lines and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m api.ask", description=__doc__)
    parser.add_argument("question", nargs="+", help='after "--" where it begins with a dash')
    question = " ".join(parser.parse_args(argv).question)
    try:
        settings = load()
        url = f"http://{settings.host}:{settings.port}/ask"
        key = os.environ.get("API_KEY")
        headers = {"X-Index-Version": _NEWEST} | ({"Authorization": f"Bearer {key}"} if key else {})
        reply = httpx2.post(url, json={"question": question}, headers=headers, timeout=_TIMEOUT)
    except RulesError as error:
        return _failed(str(error))
    except httpx2.HTTPError as error:
        return _failed(
            f"no server at {url} ({type(error).__name__}); start it: make run; one at another port "
            "is asked with it: PORT=8001 make ask"
        )
    try:
        body = reply.json()
    except ValueError:
        return _failed(f"something else than rules-oracle answers at {url}; check PORT")
    if reply.status_code != 200:
        return _failed(_printable(str(body.get("detail", reply.text))))
    try:
        _show(body)
        sys.stdout.flush()
    except BrokenPipeError:  # "| head" has seen enough; Python must not flush again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _show(answer: dict[str, Any]) -> None:
    print(_printable(compact(answer["answer"])))
    for cited in answer["citations"]:
        if answer["mode"] == "model":  # quotes name their lines
            print(_printable(f"\n{_place(cited)}  ({cited['heading']})"))
        if cited["fresh"] != "fresh":
            became = cited["fresh"].replace("-", " ")
            print(_printable(f"\n{_place(cited)}: {became} since it was indexed; make ingest"))


def _place(cited: dict[str, Any]) -> str:
    last = f"-{cited['last_line']}" if cited["last_line"] > cited["first_line"] else ""
    return f"[{cited['marker']}] {cited['path']}:{cited['first_line']}{last}"


def _failed(reason: str) -> int:
    print(f"ask: {reason}", file=sys.stderr)
    return 2


def _printable(text: str) -> str:
    """Escape what a terminal would obey instead of show."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


if __name__ == "__main__":
    sys.exit(main())
