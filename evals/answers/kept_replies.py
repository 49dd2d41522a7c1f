"""A language model whose replies are kept on disk, by what was asked: nothing is paid for twice."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from api.http.client_disconnect import ClientDisconnect
from api.llm.client import LanguageModel
from api.llm.completion import Reply
from retrieval import atomic_write
from retrieval.errors import DatasetError
from retrieval.settings import Settings

_FENCE_KEY = re.compile(r"(?<=-)[0-9a-f]{16}\b")  # new in each prompt, and nothing of its content


@dataclass(slots=True)
class Spent:
    """What the calls for one question took, also where their replies were kept."""

    calls: int = 0
    kept: int = 0  # of the calls
    seconds: float = 0.0  # as they were measured when the server was asked


class KeptModel(LanguageModel):
    """Asks the server only for what is in no file of `folder`. `spent` is that of this turn.

    A file is named by the model, its server, the messages and the schema; the fences of a prompt
    aside. Errors are not kept, so a run that broke off goes on where it was.
    """

    def __init__(self, settings: Settings, folder: Path) -> None:
        super().__init__(settings)
        folder.mkdir(parents=True, exist_ok=True)
        self.spent = Spent()
        self._folder = folder
        self._name = [settings.openai_model, settings.openai_base_url]

    def turn(self) -> None:
        """Begin with the next question."""
        self.spent = Spent()

    def reply(
        self,
        messages: Sequence[dict[str, str]],
        disconnect: ClientDisconnect | None = None,
        *,
        schema: Mapping[str, Any] | None = None,
        seconds: float | None = None,
        tokens: int = 600,
    ) -> Reply:
        """Return the kept reply, else the model's; raises what the model's raises."""
        path = self._folder / f"{self._key(messages, schema, tokens)}.json"
        self.spent.calls += 1
        if path.is_file():
            self.spent.kept += 1
            reply, took = _read(path)
        else:
            began = monotonic()
            reply = super().reply(
                messages, disconnect, schema=schema, seconds=seconds, tokens=tokens
            )
            took = monotonic() - began
            _write(path, reply, took)
        self.spent.seconds += took
        return reply

    def _key(
        self, messages: Sequence[dict[str, str]], schema: Mapping[str, Any] | None, tokens: int
    ) -> str:
        asked = [self._name, tokens, schema, [[m["role"], m["content"]] for m in messages]]
        plain = _FENCE_KEY.sub("fence", json.dumps(asked, sort_keys=True))
        return hashlib.sha256(plain.encode()).hexdigest()


def _read(path: Path) -> tuple[Reply, float]:
    try:
        kept = json.loads(path.read_text("utf-8"))
        reply = Reply(kept["text"], kept["prompt_tokens"], kept["completion_tokens"])
        return reply, float(kept["seconds"])
    except (ValueError, KeyError, TypeError) as error:
        raise DatasetError(f"{path} holds no kept reply ({error!r}); remove it") from error


def _write(path: Path, reply: Reply, seconds: float) -> None:
    """A file is there whole or not at all, also where the run is killed."""
    kept = {
        "text": reply.text, "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens, "seconds": seconds,
    }  # fmt: skip
    atomic_write.write(path, json.dumps(kept))
