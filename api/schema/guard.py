"""What code found of a model's answer, and what became of it."""

from typing import Literal

from pydantic import BaseModel, Field

from api.checks.guard.statements import FindingKind
from api.schema.usage import Usage

Became = Literal["quoted", "struck"]
ReaderName = Literal["llm", "model"]
ReaderOutcome = Literal["read", "skipped", "failed"]
Verdict = Literal["pass", "repaired", "retried", "quotes", "refused", "off"]


class GuardFinding(BaseModel):
    """A fault of what the model wrote. Its own words are left out: they must not get out."""

    kind: FindingKind
    message: str
    claim: int = Field(
        description="the number of the sentence, item or row, from 1; 0 of the whole answer"
    )
    attempt: int = Field(default=1, description="1, or 2 for the second answer")
    became: Became = Field(
        description="quoted: the line below stands in its place; struck: nothing does"
    )
    path: str | None = None
    first_line: int | None = None
    last_line: int | None = None


class ReaderVerdicts(BaseModel):
    """What a model said that read the claims which the rules let pass; its tokens are in `usage`.

    skipped: the deadline left it no time. failed: it gave no verdicts, so that none of the claims
    is shown.
    """

    reader: ReaderName
    outcome: ReaderOutcome
    claims: int
    denied: int
    usage: Usage = Usage()


class Guard(BaseModel):
    """What became of a model's answer.

    pass: shown as it was written. repaired: claims with `findings` were taken out or the rule's
    line stands in their place, markers were moved or taken out, or markup was removed. retried:
    nothing of it was left, and this is the second one. quotes: nor of that, so the cards stand
    alone. refused: nor is there anything to quote, or the second one refuses. off: there was
    nothing to check, as no model answered or it refused at once.
    """

    verdict: Verdict = "off"
    findings: list[GuardFinding] = []
    readers: list[ReaderVerdicts] = []
