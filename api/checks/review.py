"""What a model wrote as it may be shown: claim by claim it stays, or a line of the rules does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from api.checks import citations, claims, instead, sanitize
from api.checks.citations import CitedReply
from api.checks.claims import Claim
from api.checks.guard.alignment import evidence
from api.checks.guard.findings import UNMARKED
from api.checks.guard.statements import Finding
from api.checks.instead import Quote
from api.checks.markers import MARKER, known_markers, unified
from api.checks.passage_lines import Source
from api.checks.rewriting import rewritten
from api.schema.guard import Became
from api.schema.passages import Citation, CitationCounts
from retrieval.models import Hit

_MOST_MARKERS = 200  # of a reply; checking more takes seconds, and nobody could
_LEANS = Finding("uncited", "", "leans on a claim that was taken out", "leans")
_SOURCELESS = Finding(
    "uncited", "the whole answer", "cites no passage that carries what it says", "no source"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A model's text without markup that does something, its markers checked, as claims."""

    cited: CitedReply
    claims: tuple[Claim, ...]
    hits: Sequence[Hit]
    question: str
    private: str
    removed: bool  # whether markup was
    added: int = 0  # claims that got the marker of the one beside them

    @property
    def passed(self) -> list[Claim]:
        """The claims in which the guard finds no fault, without those that only lead in."""
        return [claim for claim in self.claims if not (claim.findings or claim.leads)]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a claim, by its number, and what became of it.

    `line` is the rule's that stands in its place; None of a claim that was struck.
    """

    claim: int
    finding: Finding
    line: Citation | None = None

    @property
    def became(self) -> Became:
        """Whether a line of the rules stands in the claim's place."""
        return "quoted" if self.line else "struck"


@dataclass(frozen=True, slots=True)
class Review:
    """A model's text as it may be shown; "" where nothing of it is left.

    `changed` tells whether it differs from what the model wrote in more than its form: a claim was
    replaced or taken out, a marker moved or taken out, or markup removed.
    """

    text: str
    citations: tuple[Citation, ...]
    counts: CitationCounts
    faults: tuple[Fault, ...]
    changed: bool
    added: int = 0  # claims that got the marker of the one beside them

    @property
    def states_nothing(self) -> bool:
        """Whether the model neither cites anything nor says what would need a source."""
        return not self.text and {fault.finding for fault in self.faults} == {_SOURCELESS}


def of_text(text: str, hits: Sequence[Hit], question: str, private: str = "") -> Review:
    """Return a whole reply as it may be shown by the rules of the guard alone."""
    return settled(read(text, hits, question, private))


def read(text: str, hits: Sequence[Hit], question: str, private: str = "") -> Reading:
    """Return a reply as claims with checked markers and with what the guard finds in them.

    `private` is what the model was told and must not repeat. Of a reply with more than 200 markers
    one claim is made, which says so.
    """
    cleaned = sanitize.clean(unified(text))  # of another marker it would make plain text
    text, dropped = known_markers(cleaned.text, len(hits))
    if (number := len(MARKER.findall(text)) + dropped) > _MOST_MARKERS:
        what = f"is more than {_MOST_MARKERS}; cite a passage once a statement"
        fault = Finding("uncited", f"{number} citations", what, "too many")
        whole = Claim(1, "", 0, 0, (), marked=False, findings=(fault,))
        empty = CitedReply("", (), CitationCounts())
        return Reading(empty, (whole,), hits, question, private, removed=True)
    sources = [citations.source(hit) for hit in hits]
    found = claims.of_text(text, sources, question, private)
    text, added = _with_markers(text, found, sources)
    written = claims.of_text(text, sources, question, private)
    sound = [(claim.start, claim.end) for claim in written if not claim.findings]
    cited = citations.check_reply(text, hits, question, sound)
    counts = cited.counts.model_copy(update={"dropped": dropped})
    cited = replace(cited, counts=counts)
    if cited.text == text:
        return Reading(cited, written, hits, question, private, bool(cleaned.removed), added)
    found = claims.of_text(cited.text, sources, question, private)
    if len(found) == len(written):  # what is wrong is told by the markers that the model gave
        pairs = zip(found, written, strict=True)
        found = tuple(_as_given(one, before) for one, before in pairs)
    return Reading(cited, found, hits, question, private, bool(cleaned.removed), added)


def _with_markers(text: str, found: Sequence[Claim], sources: Sequence[Source]) -> tuple[str, int]:
    """Give a claim without a marker of its own those of the claim beside it, and count these.

    Only where a line has most of its words. It is checked with them like any other.
    """
    bare = [
        claim for claim in found
        if claim.findings and all(one.check == UNMARKED for one in claim.findings)
    ]  # fmt: skip
    known = evidence(sources if bare else ())
    likely = [one for one in bare if citations.likely(one.text, one.cited, known)]
    for claim in sorted(likely, key=lambda claim: -claim.start):
        end = len(text[: claim.end].rstrip(" .!?:;|"))
        markers = "".join(f"[{number}]" for number in claim.cited)
        text = f"{text[:end]} {markers}{text[end:]}"
    return text, len(likely)


def _as_given(claim: Claim, before: Claim) -> Claim:
    told = before.findings if claim.findings and before.findings else claim.findings
    return replace(claim, findings=told, marked=before.marked, cited=claim.cited or before.cited)


def settled(reading: Reading, denied: Mapping[int, Finding] | None = None) -> Review:
    """Return a reply with every claim kept, replaced by the rule's line, or struck.

    `denied` are findings of readers by the number of their claim. What is left is read again, as a
    claim may have leaned on the marker of another one; without any citation nothing is left.
    """
    bad = {claim.number: claim.findings for claim in reading.claims if claim.findings}
    for number, finding in (denied or {}).items():
        bad.setdefault(number, (finding,))
    text, quotes = reading.cited.text, dict[int, Quote]()
    more = bad
    while more:
        bad = {**more, **bad}
        bad |= _leaning(reading.claims, bad)
        quotes = _quotes(reading, bad)
        text = rewritten(reading.cited.text, reading.claims, bad, quotes)
        again = _of(reading, text)
        kept = [
            one for one in again
            if not any(text[one.start : one.end] in quote.text for quote in quotes.values())
        ]  # fmt: skip
        left = [claim for claim in reading.claims if claim.number not in bad]
        if len(kept) != len(left):  # the sentences run together: nobody knows what is left
            text = ""
            break
        pairs = zip(left, kept, strict=True)
        more = {claim.number: one.findings for claim, one in pairs if one.findings}
    return _review(reading, text, bad, quotes)


def _of(reading: Reading, text: str) -> tuple[Claim, ...]:
    sources = [citations.source(hit) for hit in reading.hits]
    return claims.of_text(text, sources, reading.question, reading.private)


def _leaning(found: Sequence[Claim], bad: Mapping[int, object]) -> dict[int, tuple[Finding, ...]]:
    """The claims without a marker that lean on one that goes: the "Yes." before it."""
    leaning: dict[int, tuple[Finding, ...]] = {}
    for at, claim in enumerate(found):
        if claim.marked or claim.leads or claim.number in bad:
            continue
        behind = next((one for one in found[at + 1 :] if one.marked), None)
        before = next((one for one in reversed(found[:at]) if one.marked), None)
        if (support := behind or before) and support.number in bad:
            leaning[claim.number] = (_LEANS,)
    return leaning


def _quotes(reading: Reading, bad: Mapping[int, Sequence[Finding]]) -> dict[int, Quote]:
    """The rule's line for each claim that goes; no line twice."""
    found: dict[int, Quote] = {}
    taken = list(_kept_citations(reading, bad))
    for claim in reading.claims:
        if claim.number not in bad or bad[claim.number] == (_LEANS,):
            continue
        if quote := instead.of_claim(claim, reading.hits, reading.question, taken):
            found[claim.number] = quote
            taken.append(quote.citation)
    return found


def _kept_citations(reading: Reading, bad: Mapping[int, object]) -> tuple[Citation, ...]:
    if not bad:
        return reading.cited.citations
    plain = rewritten(reading.cited.text, reading.claims, bad, {})
    whole = [(0, len(plain))]
    return citations.check_reply(plain, reading.hits, reading.question, whole).citations


def _review(
    reading: Reading,
    text: str,
    bad: Mapping[int, Sequence[Finding]],
    quotes: Mapping[int, Quote],
) -> Review:
    cited = [*_kept_citations(reading, bad), *(quote.citation for quote in quotes.values())]
    lines = {number: quote.citation for number, quote in quotes.items()} if cited and text else {}
    faults = [
        Fault(number, finding, lines.get(number))
        for number in sorted(bad) for finding in bad[number]
    ]  # fmt: skip
    counts = reading.cited.counts
    if not cited or not text:
        faults = faults or [Fault(0, _SOURCELESS)]
        return Review("", (), counts, tuple(faults), changed=True)
    moved = counts.repaired + counts.unverified + counts.dropped
    ordered = sorted(cited, key=lambda one: (text.find(f"[{one.marker}]"), one.first_line))
    return Review(text, tuple(ordered), counts, tuple(faults),
                  changed=bool(reading.removed or moved or faults or reading.added),
                  added=reading.added)  # fmt: skip


def of_sentence(sentence: str, hits: Sequence[Hit], question: str, private: str = "") -> str:
    """Return what a reader may see of a sentence while the reply is still being written.

    "" where the guard finds a fault in it. The whole is checked again in the end; this keeps
    addresses and unfounded numbers from being shown even for a moment.
    """
    if not sentence.strip():
        return sentence
    reading = read(sentence, hits, question, private)
    if any(claim.findings for claim in reading.claims):
        return ""
    before = sentence[: len(sentence) - len(sentence.lstrip())]
    return before + reading.cited.text + sentence[len(sentence.rstrip()) :]
