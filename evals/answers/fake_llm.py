"""A language model that follows a script, in this process: only the way over HTTP is left out.

It reads the passages of the prompt and replies as its script says, rightly or wrong in one known
way, so that what leaves the API can be measured without a key and equally every time.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from api.answer import prompt
from api.http.client_disconnect import ClientDisconnect
from api.llm.client import LanguageModel
from api.llm.completion import Reply
from api.llm.faults import Reachability
from evals.answers.fake_replies import Prompt, Script
from evals.labels.dataset import Question

_PASSAGE = re.compile(r"<passage-(\w+) number=\d+[^>\n]*>\n(.*?)\n</passage-\1>", re.DOTALL)


class ScriptedModel(LanguageModel):
    """Say with `turn` which question comes next; `planted` is what its reply hid.

    `planted` holds the words of the last reply that must not leave the API.
    """

    def __init__(self, script: Script) -> None:
        # Not the client's own: there is no server to connect to.
        self.planted: tuple[str, ...] = ()
        self.reach = Reachability()
        self._script = script
        self._question: Question | None = None

    @property
    def timeout(self) -> float:
        """The seconds that a reply may take: a script takes none."""
        return 30.0

    def turn(self, question: Question) -> None:
        """Begin with the next question: its labels are what the script knows of the answer."""
        self._question, self.planted = question, ()

    def reply(
        self,
        messages: Sequence[dict[str, str]],
        disconnect: ClientDisconnect | None = None,
        *,
        schema: Mapping[str, Any] | None = None,
        seconds: float | None = None,
        tokens: int = 0,
    ) -> Reply:
        """Return the script's reply to a prompt; to one without passages the whole question."""
        if self._question is None:
            raise AssertionError("a scripted model was asked before its turn")
        text = "\n".join(message["content"] for message in messages)
        passages = tuple(match[2] for match in _PASSAGE.finditer(text))
        if not passages:  # no question of rules: to make a follow-up stand for itself
            whole = " ".join([*self._question.history[-1:], self._question.question])
            return Reply(whole, 0, len(whole.split()))
        may_refuse = prompt.REFUSAL in messages[0]["content"]
        made = self._script(self._question, Prompt(passages, may_refuse))
        self.planted = made.planted
        return Reply(made.text, 0, len(made.text.split()))
