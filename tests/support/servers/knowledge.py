"""Knowledge bases of others behind HTTP, as their documents describe them, that search by words.

A request that lacks what the real one demands is refused, as there, so a client that is too lax
fails here.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from openai.types import VectorStoreSearchResponse

KEY, STORE = "a-key", "store-1"
_DIFY = f"/v1/datasets/{STORE}/retrieve"
_EXTERNAL = "/retrieval"
_OPENAI = f"/v1/vector_stores/{STORE}/search"
_MOST = 50  # of a vector store, and of what an external base may be asked for
Found = tuple[str, str, float]  # path, text, score


@contextmanager
def knowledge_base(files: Mapping[str, str], asked: list[str]) -> Iterator[str]:
    """Yield the origin of a server with these files, text by path; `asked` gets each path asked."""
    pieces = [(path, one) for path, text in files.items() for one in re.split(r"\n(?=#)", text)]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(self.path)
            known = self.headers["Authorization"] == f"Bearer {KEY}"
            answer = _answered(self.path, body, pieces) if known else None
            self.send_response(200 if answer else 400 if known else 401)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer or {"error": "refused"}).encode())

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answered(path: str, body: dict[str, Any], pieces: list[tuple[str, str]]) -> Any:
    """The answer to a body; None for a path that is not there or a body that lacks something."""
    if path not in _ANSWERS or not isinstance(body.get("query"), str):
        return None
    asked = _words(body["query"])
    scored = [(path, text, len(asked & _words(text)) / len(asked)) for path, text in pieces]
    return _ANSWERS[path](body, sorted(scored, key=lambda one: -one[2]))


def _words(text: str) -> set[str]:
    return {word[:4] for word in re.findall(r"\w+", text.lower())}  # falling, fall


def _of_dify(body: dict[str, Any], found: list[Found]) -> Any:
    """A data set of Dify, which returns as many as its own setting says."""
    if set(body) - {"query", "retrieval_model", "external_retrieval_model"}:
        return None
    segments = [
        {"id": str(number), "content": text, "document": {"id": path, "name": path}}
        for number, (path, text, _) in enumerate(found)
    ]
    return {
        "query": {"content": body["query"]},
        "records": [
            {"segment": segment, "child_chunks": [], "score": score}
            for segment, (_, _, score) in zip(segments, found, strict=True)
        ][:4],
    }


def _of_external(body: dict[str, Any], found: list[Found]) -> Any:
    setting = body.get("retrieval_setting")
    if body.get("knowledge_id") != STORE or not isinstance(setting, dict):
        return None
    if set(setting) != {"top_k", "score_threshold"} or not 1 <= setting["top_k"] <= _MOST:
        return None
    return {
        "records": [
            {"content": text, "score": score, "title": "Rules", "metadata": {"path": path}}
            for path, text, score in found[: setting["top_k"]]
            if score >= setting["score_threshold"]
        ]
    }


def _of_openai(body: dict[str, Any], found: list[Found]) -> Any:
    if not 1 <= body.get("max_num_results", 10) <= _MOST:
        return None
    answers = [
        VectorStoreSearchResponse.model_validate(
            {"file_id": f"file-{number}", "filename": path.rpartition("/")[2], "score": score,
             "attributes": None, "content": [{"type": "text", "text": text}]}
        ).model_dump()
        for number, (path, text, score) in enumerate(found[: body.get("max_num_results", 10)])
    ]  # fmt: skip
    return {
        "object": "vector_store.search_results.page", "search_query": [body["query"]],
        "data": answers, "has_more": False, "next_page": None,
    }  # fmt: skip


_ANSWERS: Mapping[str, Callable[[dict[str, Any], list[Found]], Any]] = {
    _DIFY: _of_dify, _EXTERNAL: _of_external, _OPENAI: _of_openai,
}  # fmt: skip
