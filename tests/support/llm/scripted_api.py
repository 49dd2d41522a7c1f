"""An API whose language model says what a test wrote down, asked whole or streamed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.serving import events


class Scripted(FakeLlm):
    """A model that says each text of `script` in turn, and the last one from then on."""

    script: Sequence[str] = ("",)

    @property
    def reply(self) -> str:
        """The text of the present request."""
        return self.script[min(len(self.requests), len(self.script)) - 1]

    @reply.setter
    def reply(self, _: str) -> None:
        """Keep to the script."""


@dataclass(frozen=True)
class Api:
    """A running API, whole or streamed, and the model that it asks."""

    client: httpx2.Client
    llm: Scripted
    streamed: bool

    def ask(self, question: str, *script: str) -> dict[str, Any]:
        """Return the answer to a question after the model has said these texts in turn."""
        self.llm.forget()
        self.llm.script = script
        body = {"question": question, "stream": self.streamed}
        if self.streamed:
            *_, (name, answer) = events(self.client, body)
            assert name == "final_answer"
            return answer
        answered: dict[str, Any] = self.client.post("/ask", json=body).json()
        return answered
