"""From a question to an answer that stands on quoted lines, or to a refusal."""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from api.answer import compose
from api.answer.card_reply import CardReply, card_reply, overridden
from api.answer.cards import over_http, render
from api.answer.compose import Asking, Draft
from api.answer.question import follow_up
from api.answer.question.follow_up import Rewritten
from api.answer.texts import DEFAULT, Texts
from api.http.client_disconnect import ClientDisconnect
from api.http.events import Delta, SearchResults, Step
from api.llm.client import LanguageModel
from api.schema.answer import Answer, Mode, RefusalReason, SpellingCorrection
from api.schema.guard import Guard
from api.schema.passages import CitationCounts, passages
from api.schema.usage import AnswerTimings, Usage
from api.sources.freshness import freshness
from retrieval.context import SearchContext
from retrieval.index.store import live
from retrieval.models import SearchResult, Timings


@dataclass(frozen=True, slots=True)
class _Clock:
    """When the parts of an answer began, in seconds of `perf_counter`."""

    started: float
    searched: float


def ask(
    context: SearchContext,
    model: LanguageModel | None,
    question: str,
    *,
    history: Sequence[str] = (),
    top_k: int | None = None,
    request_id: str = "",
    disconnect: ClientDisconnect | None = None,
    texts: Texts = DEFAULT,
) -> Answer:
    """Return the answer to `question`: a model's, or exact quotes where `model` is None.

    Raises what `steps` raises.
    """
    return finished(
        steps(
            context,
            model,
            question,
            history=history,
            top_k=top_k,
            request_id=request_id,
            disconnect=disconnect,
            texts=texts,
        )
    )


def finished(made: Iterable[Step]) -> Answer:
    """Return the answer that `steps` end with."""
    *_, last = made
    if not isinstance(last, Answer):
        raise AssertionError("the steps of an answer ended without it")
    return last


def steps(
    context: SearchContext,
    model: LanguageModel | None,
    question: str,
    *,
    history: Sequence[str] = (),
    top_k: int | None = None,
    request_id: str = "",
    disconnect: ClientDisconnect | None = None,
    streamed: bool = False,
    texts: Texts = DEFAULT,
) -> Generator[Step]:
    """Yield what was found, a model's words while it writes them, and the checked answer.

    A follow-up is made whole with `history`, the user's earlier questions, before it is searched.
    On another subject, where the rules contradict the question and where folders are listed, no
    model is called, and for small talk nothing is searched. `texts` are the fixed sentences.
    `streamed` asks the model for its words one by one; all of them are checked again for the
    answer. Raises what `search` and `LanguageModel` raise, soon after `disconnect` too.
    """
    started = perf_counter()
    alone = _alone(model, question, history, disconnect)
    shown = card_reply(
        context, question, history=history, alone=alone.question if alone else None, top_k=top_k,
        texts=texts, far=model is not None,
    )  # fmt: skip
    clock = _Clock(started, perf_counter())
    if shown.found is None:
        yield _nothing_searched(context, shown, clock, request_id)
        return
    yield SearchResults(
        question=shown.question,
        passages=passages(overridden(shown.found)),
        generation=shown.found.generation,
    )
    asking = Asking(model, streamed, disconnect) if model else None
    made = yield from _draft(asking, shown, texts)
    made = replace(made, usage=(alone.usage if alone else Usage()) + made.usage)
    yield _answer(context, shown, made, clock, request_id)


def _alone(
    model: LanguageModel | None,
    question: str,
    history: Sequence[str],
    disconnect: ClientDisconnect | None,
) -> Rewritten | None:
    """A follow-up as a model makes it stand alone; None where the rule is to do it."""
    if model is None or not history:
        return None
    made = follow_up.rewrite(model, question, history, disconnect)
    return None if made.question == follow_up.self_contained(question, history) else made


def _draft(asking: Asking | None, shown: CardReply, texts: Texts) -> Generator[Delta, None, Draft]:
    """The layers of refusal first: they cost no call of a model."""
    if shown.certainty == "refused" or not (shown.cards or shown.folders):
        mode: Mode = "model" if asking else "quotes"
        return Draft(texts.refusal, mode, refusal="no_passage")
    if asking is None or shown.premise or shown.folders:
        made = compose.of_cards(shown)
    else:
        made = yield from compose.of_model(asking, shown)
    if made.refusal:
        return replace(made, text=texts.refusal)
    listed = map(render.folder, shown.folders)
    return replace(made, text="\n\n".join([*_opening(shown, texts), *listed, made.text]))


def _opening(shown: CardReply, texts: Texts) -> list[str]:
    """What is said above the cards: what was corrected, and that they may not answer."""
    said = []
    if shown.corrections:
        words = ", ".join(f"*{one.searched}*" for one in shown.corrections)
        said.append(f"Searched for {words}.")
    if shown.premise:
        said.append(texts.premise)
    elif shown.certainty == "nearest":
        said.append(texts.nearest)
    return said


def _nothing_searched(
    context: SearchContext, shown: CardReply, clock: _Clock, request_id: str
) -> Answer:
    """The reply to small talk, or to a question in another language."""
    if shown.talk is None:
        raise AssertionError("nothing was searched, and nothing is said instead")
    refusal: RefusalReason | None = "language" if shown.talk.is_refusal else None
    return Answer(
        question=shown.question, answer=shown.talk.text, certainty=shown.certainty,
        confidence=shown.confidence, refused=refusal is not None, refusal_reason=refusal,
        mode="quotes", corrections=[], folders=[], cards=[], guard=Guard(), citations=[],
        citation_counts=CitationCounts(), passages=[], usage=Usage(),
        timings=_timings(None, clock), generation=context.store.read(live).name,
        request_id=request_id,
    )  # fmt: skip


def _answer(
    context: SearchContext, shown: CardReply, made: Draft, clock: _Clock, request_id: str
) -> Answer:
    found = shown.found
    if found is None:
        raise AssertionError("an answer needs a search")
    refused = made.refusal is not None
    cards = () if refused else shown.cards
    paths = {card.path for card in cards} | {one.path for one in made.citations}
    fresh = {
        path: freshness(context.settings.vault, path, shown.hashes[path]) for path in sorted(paths)
    }
    return Answer(
        question=shown.question,
        answer=made.text,
        certainty="refused" if refused else shown.certainty,
        confidence=0.0 if refused else shown.confidence,
        refused=refused,
        refusal_reason=made.refusal,
        mode=made.mode,
        corrections=[
            SpellingCorrection(typed=one.typed, searched=one.searched) for one in shown.corrections
        ],
        folders=[] if refused else [over_http.folder(one) for one in shown.folders],
        cards=[over_http.card(card, fresh[card.path]) for card in cards],
        guard=made.guard,
        citations=[one.model_copy(update={"fresh": fresh[one.path]}) for one in made.citations],
        citation_counts=made.counts,
        passages=passages(overridden(found)),
        usage=made.usage,
        timings=_timings(found, clock),
        generation=found.generation,
        request_id=request_id,
    )


def _timings(found: SearchResult | None, clock: _Clock) -> AnswerTimings:
    finished = perf_counter()
    spent = found.timings if found else Timings(0.0, 0.0, 0.0)
    return AnswerTimings(
        embed_ms=spent.embed_ms,
        search_ms=spent.search_ms,
        rerank_ms=spent.rerank_ms,
        generate_ms=1000 * (finished - clock.searched),
        total_ms=1000 * (finished - clock.started),
    )
