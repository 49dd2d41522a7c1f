"""What a model wrote as it may be shown, and what is wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass

from api.checks import citations, sanitize
from api.checks.citations import CitedReply
from api.checks.guard import findings
from api.checks.guard.findings import Finding, Source
from api.checks.markers import MARKER
from api.schema.passages import Citation, CitationCounts
from retrieval.models import Hit


@dataclass(frozen=True, slots=True)
class Review:
    """A model's text without markup that does something and without markers of nothing.

    It may be shown where `findings` is empty. `changed` tells whether it differs from what the
    model wrote in more than its form: a marker was moved or taken out, or markup was removed.
    """

    text: str
    citations: tuple[Citation, ...]
    counts: CitationCounts
    findings: tuple[Finding, ...]
    changed: bool

    @property
    def states_nothing(self) -> bool:
        """Whether it neither cites anything nor says anything that would need a source."""
        return not self.citations and self.findings == (_SOURCELESS,)


_MOST_MARKERS = 200  # of a reply; checking more takes seconds, and nobody could
_SOURCELESS = Finding(
    "uncited", "the whole answer", "cites no passage that carries what it says", "no source"
)


def of_text(text: str, hits: Sequence[Hit], question: str) -> Review:
    """Return a whole reply with its checked citations and the guard's findings.

    A reply without a citation has a finding even where it states no fact: nobody can check it. So
    has one with more than 200, which is not checked any further.
    """
    cleaned = sanitize.clean(text)
    if (number := len(MARKER.findall(cleaned.text))) > _MOST_MARKERS:
        what = f"is more than {_MOST_MARKERS}; cite a passage once a statement"
        found = Finding("uncited", f"{number} citations", what, "too many")
        return Review("", (), CitationCounts(), (found,), changed=True)
    cited = citations.check_reply(cleaned.text, hits, question)
    moved = cited.counts.repaired + cited.counts.unverified + cited.counts.dropped
    return Review(
        cited.text,
        cited.citations,
        cited.counts,
        faults(cited, cleaned.text, [citations.source(hit) for hit in hits], question),
        changed=bool(cleaned.removed or moved),
    )


def faults(
    cited: CitedReply, written: str, sources: Sequence[Source], question: str
) -> tuple[Finding, ...]:
    """Return what keeps a reply with checked citations from being shown; nothing where it may be.

    `written` is the same reply with the markers that the model gave it: what is wrong is told by
    these, as a wrong number is more than a statement whose marker was taken out.
    """
    found = findings.check(cited.text, sources, question)
    if found:
        return findings.check(written, sources, question) or found
    found = tuple(findings.unfounded(cited.text, sources, question))
    return found if found or cited.citations else (_SOURCELESS,)


def of_sentence(sentence: str, hits: Sequence[Hit], question: str) -> str:
    """Return what a reader may see of a sentence while the reply is still being written.

    "" where the guard finds a fault in it. The whole is checked again in the end, by `of_text`;
    this keeps addresses and unfounded numbers from being shown even for a moment.
    """
    if not sentence.strip():
        return sentence
    found = of_text(sentence, hits, question)
    if any(finding is not _SOURCELESS for finding in found.findings):
        return ""
    before = sentence[: len(sentence) - len(sentence.lstrip())]
    return before + found.text + sentence[len(sentence.rstrip()) :]
