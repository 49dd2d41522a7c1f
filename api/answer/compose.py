"""From what a search found to the words of an answer: a model's, exact quotes, or a refusal."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from time import monotonic

from api.answer import prompt, stream_filter, written
from api.answer.card_reply import AskOptions, CardReply
from api.answer.cards import render
from api.checks import citations, review
from api.checks.readers import verifier
from api.checks.readers.verifier import Verdicts
from api.checks.review import Fault, Reading, Review
from api.llm.client import LanguageModel
from api.llm.completion import Reply
from api.schema.answer import Mode, RefusalReason
from api.schema.guard import Guard, GuardFinding, ReaderVerdicts, Verdict
from api.schema.passages import Citation, CitationCounts
from api.schema.steps import Delta
from api.schema.usage import Usage
from retrieval.errors import LlmAbandonedError, LlmError
from retrieval.models import Hit, SearchResult
from retrieval.tracing import KIND, stage


@dataclass(frozen=True, slots=True)
class Draft:
    """What an answer says, before it is known whether its files are fresh."""

    text: str
    mode: Mode
    citations: Sequence[Citation] = ()
    counts: CitationCounts = field(default_factory=CitationCounts)
    refusal: RefusalReason | None = None
    guard: Guard = field(default_factory=Guard)
    usage: Usage | None = None  # None: no model was asked
    notice: str | None = None  # why no model wrote it


@dataclass(slots=True)
class _Work:
    """What writing an answer took so far, and what was found in it."""

    model: LanguageModel
    reply: CardReply
    options: AskOptions
    passages: SearchResult
    faults: list[GuardFinding] = field(default_factory=list)
    verdicts: list[Verdicts] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    seen: Review | None = None


def of_cards(reply: CardReply) -> Draft:
    """Return the cards as they are: nothing but lines of the rules."""
    cited = citations.of_cards(reply.cards)
    counts = CitationCounts(verified=len(cited))
    return Draft(render.markdown(reply.cards), "quotes", cited, counts)


def of_model(
    model: LanguageModel, reply: CardReply, options: AskOptions
) -> Iterator[Delta | Draft]:
    """Yield a model's words while it writes them and in the end the draft that came of them.

    It is given the cards, unfolded. Claims with findings are replaced by the rule's line or struck.
    A reply of which nothing is left is written once more; where nothing is left of that, or it
    fails, the cards take its place. Raises what the model's first reply raises.
    """
    passages = passages_of(reply)
    messages = prompt.messages(passages.question, passages.hits, passages.notes)
    work = _Work(model, reply, options, passages)
    for attempt in (1, 2):
        began, given = monotonic(), None
        try:
            with closing(_attempt(work, messages, attempt)) as parts:
                for part in parts:
                    if isinstance(part, Reply):
                        given = part
                    else:
                        yield part
        except LlmAbandonedError:
            raise
        except LlmError:  # the client has counted it, and quotes need no model
            if work.seen is None:
                raise
            break
        assert given is not None  # `deltas` ends with it
        work.usage += Usage.of(given)
        text = written.as_text(given.text)
        if prompt.is_refusal(text):
            yield _refused("model", work)
            return
        with stage("guard", attributes={KIND: "GUARDRAIL"}):
            reading = review.read(text, passages.hits, passages.question, messages[0]["content"])
            seen = _settled(work, reading, attempt, model.timeout - (monotonic() - began))
        if seen.text:
            yield _as_written(work, seen, attempt)
            return
        found = [fault.finding for fault in seen.faults]
        messages = prompt.again(messages, reading.cited.text, found)
    yield _instead(work)


def _settled(work: _Work, reading: Reading, attempt: int, seconds: float) -> Review:
    """What is left of a reply by the rules and by the readers, who have `seconds` for it."""
    readers = work.options.readers
    verdicts = readers.read(reading, seconds, work.options.disconnect) if readers else []
    for one in verdicts:
        work.usage += one.usage
    work.verdicts += verdicts
    work.seen = review.settled(reading, verifier.findings(reading, verdicts))
    work.faults += [_finding(fault, attempt) for fault in work.seen.faults]
    return work.seen


def passages_of(reply: CardReply) -> SearchResult:
    """Return the search with the cards as its hits: what a model reads, and is checked with.

    A card whose lines stand together, or go beyond its passage, is read alone (lines between that
    are not shown are blank); of another one its whole passage.
    """
    if reply.found is None:
        raise ValueError(f"nothing was searched for {reply.question!r}")
    searched = (reply.found, *reply.parts)
    evidence = {hit.chunk.id: hit for part in searched for hit in part.passages}
    hits: dict[str, Hit] = {}
    for card in reply.cards:
        own = evidence.get(card.chunk.id, Hit(card.chunk, card.score, ()))
        first, last = min(card.lines), max(card.lines)
        chunk = card.chunk
        together = len(card.lines) == last - first + 1
        beyond = first < chunk.first_line or last > chunk.last_line  # a row further down its table
        if (together or beyond) and not chunk.piece:
            text = "\n".join(card.lines.get(number, "") for number in range(first, last + 1))
            chunk = replace(
                chunk, heading=card.heading, first_line=first, last_line=last, text=text, context=""
            )
        hits.setdefault(chunk.id, replace(own, chunk=chunk))
    return replace(reply.found, hits=tuple(hits.values()))


def _attempt(work: _Work, messages: prompt.Messages, attempt: int) -> Generator[Delta | Reply]:
    private, passages, options = messages[0]["content"], work.passages, work.options

    def shown(sentence: str) -> str:
        return review.of_sentence(sentence, passages.hits, passages.question, private)

    if not options.streamed:
        yield work.model.reply(messages, options.disconnect, schema=written.SCHEMA)
        return
    streamed = work.model.stream(messages, options.disconnect, schema=written.SCHEMA)
    with closing(streamed) as parts:
        yield from stream_filter.deltas(parts, shown, attempt=attempt)


def _as_written(work: _Work, seen: Review, attempt: int) -> Draft:
    verdict: Verdict = "retried" if attempt > 1 else "repaired" if seen.changed else "pass"
    guard, usage = _guard(work, verdict), work.usage
    return Draft(seen.text, "model", seen.citations, seen.counts, guard=guard, usage=usage)


def _instead(work: _Work) -> Draft:
    """The cards in place of what the guard keeps back; a refusal where the model states nothing."""
    if work.seen and work.seen.states_nothing:  # twice: the model refuses in words of its own
        return _refused("no_citation", work)
    quoted = of_cards(work.reply)
    return Draft(
        quoted.text, "quotes", quoted.citations, quoted.counts,
        guard=_guard(work, "quotes"), usage=work.usage,
    )  # fmt: skip


def _refused(reason: RefusalReason, work: _Work) -> Draft:
    """Where the first reply refuses there was nothing to check."""
    guard = _guard(work, "refused") if work.faults else Guard()
    return Draft(prompt.REFUSAL, "model", refusal=reason, guard=guard, usage=work.usage)


def _guard(work: _Work, verdict: Verdict) -> Guard:
    first = {fault.model_dump_json(): fault for fault in work.faults}  # two facts, one fault
    readers = [
        ReaderVerdicts(reader=one.reader, outcome=one.outcome, claims=one.claims,
                       denied=len(one.denied), usage=one.usage)
        for one in work.verdicts
    ]  # fmt: skip
    return Guard(verdict=verdict, findings=list(first.values()), readers=readers)


def _finding(fault: Fault, attempt: int) -> GuardFinding:
    line = fault.line
    return GuardFinding(
        kind=fault.finding.kind, message=fault.finding.message, claim=fault.claim,
        attempt=attempt, became=fault.became, path=line.path if line else None,
        first_line=line.first_line if line else None, last_line=line.last_line if line else None,
    )  # fmt: skip
