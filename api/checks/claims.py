"""A model's answer as claims: what each says, where it stands, what the rules of the guard find."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from api.checks.guard import findings
from api.checks.guard.statements import HEADING, Finding, Statement, statements
from api.checks.passage_lines import Source

_SHINGLE = 6  # words in a row that no answer has from the prompt by chance
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence, an item or a table's row of an answer; `start` and `end` are its place there.

    `findings` are the guard's. Nothing is claimed by a line that only leads in a list.
    """

    number: int  # from 1 as they stand; headings come after all others
    text: str  # folded, without markers
    start: int
    end: int
    cited: tuple[int, ...]  # passages, from 1
    marked: bool  # whether it has a marker of its own
    findings: tuple[Finding, ...]

    @property
    def leads(self) -> bool:
        """Whether it only leads in what follows."""
        return self.text.endswith(":")


def of_text(
    text: str, sources: Sequence[Source], question: str, private: str = ""
) -> tuple[Claim, ...]:
    """Return the claims of a text whose markers are all of known passages, in its order.

    What stands in `private`, as the prompt does, is a finding wherever it is said: six words of it
    in a row. Headings are claims where they have one.
    """
    secret = _shingles(private)
    judged = list(findings.judged(text, sources, question))
    foreign = {one.place: found for one, found in findings.unfounded(text, sources, question)}
    spans = groupby(judged, key=lambda pair: pair[0].place)
    found = [_claim(number, place, list(pairs), foreign)
             for number, (place, pairs) in enumerate(spans, start=1)]  # fmt: skip
    found += _headings(text, sources, question, len(found) + 1, secret)
    told = (replace(one, findings=_leak(one, text, secret) or one.findings) for one in found)
    return tuple(sorted(told, key=lambda claim: claim.start))


def places(text: str) -> list[tuple[int, int]]:
    """Return where each claim of a text begins and ends, headings aside, in order."""
    return list(dict.fromkeys(one.place for one in statements(text)))


def _claim(
    number: int,
    place: tuple[int, int],
    pairs: Sequence[tuple[Statement, tuple[Finding, ...]]],
    foreign: dict[tuple[int, int], Finding],
) -> Claim:
    statements = [statement for statement, _ in pairs]
    found = [finding for _, some in pairs for finding in some]
    found = found or ([foreign[place]] if place in foreign else [])
    cited = tuple(dict.fromkeys(number for one in statements for number in one.cited))
    return Claim(number, " ".join(one.text for one in statements), *place, cited,
                 any(one.own for one in statements), tuple(dict.fromkeys(found)))  # fmt: skip


def _headings(
    text: str, sources: Sequence[Source], question: str, number: int,
    secret: frozenset[tuple[str, ...]],
) -> Iterator[Claim]:  # fmt: skip
    """The headings that say what no passage says, or repeat the prompt, one for each finding."""
    offset = 0
    for row in text.split("\n"):
        if HEADING.match(row):
            plain = row.strip().strip("#*: ")
            heading = Claim(number, plain, offset, offset + len(row), (), False, ())
            found = [finding for _, finding in findings.unfounded(plain, sources, question)]
            for finding in found or _leak(heading, text, secret):
                yield replace(heading, number=number, findings=(finding,))
                number += 1
        offset += len(row) + 1


def _leak(claim: Claim, text: str, secret: frozenset[tuple[str, ...]]) -> tuple[Finding, ...]:
    if secret.isdisjoint(_shingles(text[claim.start : claim.end])):
        return ()
    return (Finding("uncited", claim.text, "repeats what the model was told to do", "prompt"),)


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return frozenset(zip(*(words[at:] for at in range(_SHINGLE)), strict=False))
