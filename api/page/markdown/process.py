"""Make the page of a long file in a process of its own, so that it takes no time from who asks.

In a thread, the seconds of it would be taken from every search: one interpreter runs one of them
at a time. The process starts with the first long file and ends with the one that started it.
"""

import atexit
import os
import pickle
import subprocess
import sys
from contextlib import suppress
from threading import Lock, Timer
from typing import IO

from markupsafe import Markup

from api.page.markdown.render import Heading, with_outline
from api.page.markdown.writer import Shown
from retrieval.errors import OverloadedError

_SHORT = 20_000  # characters: some 50 ms
_SECONDS = 20.0  # for one file

Page = tuple[Markup, tuple[Heading, ...]]

_lock = Lock()
_process: subprocess.Popen[bytes] | None = None


def rendered(source: str, shown: Shown) -> Page:
    """Return what `render.with_outline` does, which see.

    Raises OverloadedError where it takes longer than 20 s.
    """
    if len(source) <= _SHORT:
        return with_outline(source, shown)
    with _lock:
        process = _running()
        late = Timer(_SECONDS, process.kill)
        late.start()
        try:
            assert process.stdin
            assert process.stdout
            _send(process.stdin, (source, shown))
            page: Page = pickle.load(process.stdout)  # noqa: S301  # of our own process
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
            process.kill()
            _end()
            raise OverloadedError(
                f"the file takes longer than {_SECONDS:g} s to be shown, or what shows it was "
                "ended; read its lines instead"
            ) from error
        finally:
            late.cancel()
    return page


def _running() -> subprocess.Popen[bytes]:
    global _process
    if _process is None:
        command = [sys.executable, "-m", "api.page.markdown.process"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        _process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
    return _process


@atexit.register
def _end() -> None:
    global _process
    if _process and _process.stdin and _process.stdout:
        with suppress(BrokenPipeError):
            _process.stdin.close()
        _process.stdout.close()
        _process.wait()
        _process = None


def _send(stream: IO[bytes], what: object) -> None:
    pickle.dump(what, stream)
    stream.flush()


def _work() -> None:
    os.nice(5)  # who asks goes first
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            source, shown = pickle.load(sys.stdin.buffer)  # noqa: S301  # of who started us
            _send(sys.stdout.buffer, with_outline(source, shown))


if __name__ == "__main__":
    _work()
