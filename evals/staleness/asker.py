"""A process that asks running APIs all the time: python -m evals.staleness.asker URL… < questions.

Standard input holds the questions as one JSON list, then stays open for as long as they shall be
asked. Every reply is a line of JSON on standard output. After the end of the input each API is
asked everything once more.
"""

import json
import sys
import threading
from collections.abc import Sequence
from time import monotonic, sleep

import httpx2

_TIMEOUT = 30.0  # seconds; an API that takes longer has failed
_PAUSE = 0.05  # seconds between two questions, which leave the ingest a part of the machine
_lock = threading.Lock()


def ask(client: httpx2.Client, api: str, question: str) -> dict[str, object]:
    """Return the reply of one question with when it began and ended.

    Times are seconds of the machine's monotonic clock, which all its processes share. A status of 0
    is a connection that failed; `body` then holds the reason.
    """
    began = monotonic()
    try:
        reply = client.post(f"{api}/ask", json={"question": question})
        status, body = reply.status_code, reply.json()
    except (httpx2.HTTPError, ValueError) as error:  # ValueError: what came is no JSON
        status, body = 0, {"detail": f"{type(error).__name__}: {error}"}
    return {
        "api": api, "question": question, "began": began, "ended": monotonic(), "status": status,
        "body": body,
    }  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Ask until the input ends, each API in a thread of its own; return 0."""
    apis = sys.argv[1:] if argv is None else argv
    questions = json.loads(sys.stdin.readline())
    ended = threading.Event()
    threads = [threading.Thread(target=_ask_all, args=(api, questions, ended)) for api in apis]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join()
    return 0


def _ask_all(api: str, questions: Sequence[str], ended: threading.Event) -> None:
    with httpx2.Client(timeout=_TIMEOUT, trust_env=False) as client:
        last = False
        while not last:
            last = ended.is_set()
            for question in questions:
                line = json.dumps(ask(client, api, question))
                with _lock:
                    print(line, flush=True)
                sleep(_PAUSE)


if __name__ == "__main__":
    sys.exit(main())
