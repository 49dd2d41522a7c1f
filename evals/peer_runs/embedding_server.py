"""Our encoder behind an endpoint of OpenAI's shape, for the libraries that are compared with us."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from retrieval.encoder.bi_encoder import Embedder
from retrieval.encoder.tokens import tokenizer


@dataclass(slots=True)
class EmbeddingServer:
    """Where it is, and how many texts it was given and how many of these it cut."""

    url: str
    texts: int = 0
    cut: int = 0


@contextmanager
def serving(embedder: Embedder) -> Iterator[EmbeddingServer]:
    """Yield a server on a free port of this machine, which ends afterwards."""
    words = tokenizer(embedder.files)  # of its own: one that a model uses is not for two threads

    def readable(text: str) -> str:
        """What the encoder reads of a text: others cut one that is too long and say nothing."""
        pieces = words.encode(text, add_special_tokens=False)
        if len(pieces.ids) > embedder.limit - 2:
            served.cut += 1
            for last in range(embedder.limit - 2, 0, -1):  # a cut word may have more pieces
                text = text[: pieces.offsets[last - 1][1]]
                if embedder.tokens.count(text) <= embedder.limit - 2:
                    break
        return text if pieces.ids else "."

    def vectors(texts: Sequence[str]) -> list[list[float]]:
        served.texts += len(texts)
        return [list(map(float, row)) for row in embedder.embed([readable(t) for t in texts])]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each reply waits 40 ms for an acknowledgement

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            data = [
                {"object": "embedding", "index": number, "embedding": row}
                for number, row in enumerate(vectors(texts))
            ]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            reply = {"object": "list", "model": asked["model"], "data": data, "usage": usage}
            body = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served = EmbeddingServer(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
