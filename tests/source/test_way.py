"""A question that no model answers passes through few files, so a reader can follow it.

Counted are the files of this repository a function of which runs, in whatever thread, from the
call of the endpoint of POST /ask to its reply; what the middlewares do before and after is not.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from starlette.testclient import TestClient

import api.main
from api.main import create_app
from api.state import AppState
from retrieval.context import SearchContext

ROOT = Path(__file__).parents[2]
ENDPOINT = {"ask", "ask.<locals>.whole"}
MOST = 53  # files; fewer is better, and whoever reaches fewer writes it here


@contextmanager
def counting(files: set[str]) -> Iterator[None]:
    """Add to `files` what runs meanwhile for a question, in threads that begin meanwhile."""
    inside = threading.local()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if code.co_filename == api.main.__file__ and code.co_qualname in ENDPOINT:
            inside.now = event == "call"  # a coroutine returns wherever it waits
            files.add("api/main.py")
        elif event == "call" and getattr(inside, "now", False):
            path = Path(code.co_filename)
            if path.is_relative_to(ROOT) and ".venv" not in path.parts:
                files.add(str(path.relative_to(ROOT)))

    threading.setprofile(profile)
    try:
        yield
    finally:
        threading.setprofile(None)
        sys.setprofile(None)


@pytest.mark.parametrize(
    "question",
    [
        "What does a battle axe cost?",
        "What happens to whoever goes under?",
        "How far does it fall?",
    ],
)
def test_a_question_passes_through_few_files(
    search_context: SearchContext, question: str, record_property: Any
) -> None:
    files: set[str] = set()
    app = create_app(AppState(search_context, None))
    with counting(files), TestClient(app, base_url="http://127.0.0.1") as client:
        # For the caches, that of everyday words as well.
        client.post("/ask", json={"question": "What does whoever loses a dagger pay?"})
        files.clear()
        reply = client.post("/ask", json={"question": question})
    assert reply.status_code == 200
    assert {"api/main.py", "retrieval/search.py"} <= files
    assert len(files) <= MOST, sorted(files)
