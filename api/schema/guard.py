"""What code found of a model's answer, and what became of it."""

from typing import Literal

from pydantic import BaseModel

from api.checks.guard.findings import FindingKind

Verdict = Literal["pass", "repaired", "retried", "quotes", "refused", "off"]


class GuardFinding(BaseModel):
    """A fault of what the model wrote. Its own words are left out: they must not get out."""

    kind: FindingKind
    message: str


class Guard(BaseModel):
    """What became of a model's answer.

    pass: shown as it was written. repaired: markers moved or taken out, or markup removed.
    retried: it had `findings`, the second one has none. quotes: both had some, so exact quotes
    take their place. refused: nor is there anything to quote, or the second one refuses. off:
    there was nothing to check, as no model answered or it refused at once.
    """

    verdict: Verdict = "off"
    findings: list[GuardFinding] = []
