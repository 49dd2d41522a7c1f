"""From what a search found to the words of an answer: a model's, exact quotes, or a refusal."""

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from api.answer import prompt, stream_filter
from api.answer.card_reply import CardReply
from api.answer.cards import precedence, render
from api.checks import citations, review
from api.checks.guard.findings import Finding
from api.checks.review import Review
from api.http.client_disconnect import ClientDisconnect
from api.http.events import Delta
from api.llm.client import LanguageModel
from api.llm.completion import Reply
from api.schema.answer import Mode, RefusalReason
from api.schema.guard import Guard, GuardFinding, Verdict
from api.schema.passages import Citation, CitationCounts
from api.schema.usage import Usage
from retrieval.errors import LlmAbandonedError, LlmError
from retrieval.models import Hit, SearchResult


@dataclass(frozen=True, slots=True)
class Draft:
    """What an answer says, before it is known whether its files are fresh."""

    text: str
    mode: Mode
    citations: Sequence[Citation] = ()
    counts: CitationCounts = field(default_factory=CitationCounts)
    refusal: RefusalReason | None = None
    guard: Guard = field(default_factory=Guard)
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked: whole or piece by piece, for a client that may leave."""

    model: LanguageModel
    streamed: bool = False
    disconnect: ClientDisconnect | None = None


@dataclass(frozen=True, slots=True)
class _Attempt:
    review: Review
    refuses: bool
    usage: Usage


def of_cards(reply: CardReply) -> Draft:
    """Return the cards as they are: nothing but lines of the rules."""
    names = precedence.variants([card.path for card in reply.cards])
    cited = citations.of_cards(reply.cards)
    counts = CitationCounts(verified=len(cited))
    return Draft(render.markdown(reply.cards, names), "quotes", cited, counts)


def of_model(asking: Asking, reply: CardReply) -> Generator[Delta, None, Draft]:
    """Yield a model's words while it writes them and return the draft that came of them.

    It is given the cards, unfolded. A reply with findings is written once more. Where that has some
    as well, or fails, the cards take its place. Raises what the model's first reply raises.
    """
    found = passages_of(reply)
    asked = prompt.messages(found.question, found.hits, found.notes)
    first = yield from _attempt(asking, asked, found, 1)
    if first.refuses:
        return Draft(prompt.REFUSAL, "model", refusal="model", usage=first.usage)
    faults = first.review.findings
    if not faults:
        return _shown(first.review, "repaired" if first.review.changed else "pass", (), first.usage)
    again = prompt.again(asked, first.review.text, faults)
    try:
        second = yield from _attempt(asking, again, found, 2)
    except LlmAbandonedError:
        raise
    except LlmError:  # the client has counted it, and quotes need no model
        return _instead(reply, first.review, faults, first.usage)
    usage = first.usage + second.usage
    if second.refuses:
        return _refused("model", faults, usage)
    if not second.review.findings:
        return _shown(second.review, "retried", faults, usage)
    return _instead(reply, second.review, (*faults, *second.review.findings), usage)


def passages_of(reply: CardReply) -> SearchResult:
    """Return the search with the cards as its hits: what a model reads, and is checked with.

    A card whose lines stand together, or go beyond its passage, is read alone (lines between that
    are not shown are blank); of another one its whole passage.
    """
    if reply.found is None:
        raise ValueError(f"nothing was searched for {reply.question!r}")
    searched = (reply.found, *reply.parts)
    evidence = {hit.chunk.id: hit for found in searched for hit in (*found.hits, *found.overriding)}
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


def _attempt(
    asking: Asking, messages: prompt.Messages, found: SearchResult, number: int
) -> Generator[Delta, None, _Attempt]:
    def shown(sentence: str) -> str:
        return review.of_sentence(sentence, found.hits, found.question)

    with closing(_parts(asking, messages)) as parts:
        reply = yield from stream_filter.deltas(parts, shown, attempt=number)
    refuses = prompt.is_refusal(reply.text)
    return _Attempt(
        review.of_text(reply.text, found.hits, found.question), refuses, Usage.of(reply)
    )


def _parts(asking: Asking, messages: prompt.Messages) -> Generator[str | Reply]:
    if asking.streamed:
        yield from asking.model.stream(messages, asking.disconnect)
    else:
        yield asking.model.reply(messages, asking.disconnect)


def _shown(seen: Review, verdict: Verdict, faults: Sequence[Finding], usage: Usage) -> Draft:
    guard = _guard(verdict, faults)
    return Draft(seen.text, "model", seen.citations, seen.counts, guard=guard, usage=usage)


def _instead(reply: CardReply, last: Review, faults: Sequence[Finding], usage: Usage) -> Draft:
    """The cards in place of what the guard keeps back; a refusal where the model states nothing."""
    if last.states_nothing:  # twice: the model refuses in words of its own
        return _refused("no_citation", faults, usage)
    quoted = of_cards(reply)
    return Draft(
        quoted.text, "quotes", quoted.citations, quoted.counts,
        guard=_guard("quotes", faults), usage=usage,
    )  # fmt: skip


def _refused(reason: RefusalReason, faults: Sequence[Finding], usage: Usage) -> Draft:
    guard = _guard("refused", faults)
    return Draft(prompt.REFUSAL, "model", refusal=reason, guard=guard, usage=usage)


def _guard(verdict: Verdict, faults: Sequence[Finding]) -> Guard:
    found = dict.fromkeys((fault.kind, fault.message) for fault in faults)
    return Guard(
        verdict=verdict,
        findings=[GuardFinding(kind=kind, message=message) for kind, message in found],
    )
