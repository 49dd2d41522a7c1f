"""From a question to an answer that stands on quoted lines, or to a refusal."""

import logging
from collections.abc import Generator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from time import perf_counter

from opentelemetry.trace import Span, use_span

from api.answer import compose
from api.answer.card_reply import PLAIN_ASK, AskOptions, CardReply, card_reply
from api.answer.cards import over_http, render
from api.answer.compose import Draft
from api.answer.question import follow_up, rewriting
from api.llm import listwise
from api.llm.client import LanguageModel
from api.schema.answer import Answer, RefusalReason, SpellingCorrection
from api.schema.steps import Delta, SearchResults, Step
from api.schema.usage import AnswerTimings, Usage
from api.sources.vault_file import freshness
from retrieval.context import SearchContext
from retrieval.errors import LlmUnreachableError
from retrieval.index.store import live
from retrieval.metadata.filters import in_words
from retrieval.search_trace import Timings
from retrieval.tracing import KIND, OPERATION, TRACER, stage

_log = logging.getLogger("api")

_WORKFLOW = "invoke_workflow rules-oracle"
_ATTRIBUTES = {
    KIND: "CHAIN", OPERATION: "invoke_workflow", "gen_ai.agent.name": "rules-oracle"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Begun:
    """A question that was searched, before anything is written."""

    context: SearchContext
    options: AskOptions
    reply: CardReply
    usage: Usage  # of making a follow-up stand alone
    started: float  # seconds of `perf_counter`, as is `searched`
    searched: float


def ask(
    context: SearchContext,
    model: LanguageModel | None,
    question: str,
    options: AskOptions = PLAIN_ASK,
) -> Answer:
    """Return the answer to `question`: a model's, or exact quotes where `model` is None.

    A follow-up is made whole with the history before it is searched. On another subject, where the
    rules contradict the question and where folders are listed, no model is called, and for small
    talk nothing is searched. Raises what `search` and `LanguageModel` raise, soon after the client
    left too.
    """
    with stage(_WORKFLOW, attributes=_ATTRIBUTES) as span:
        begun = _begin(context, model, question, options)
        draft: Draft | Delta | None = _without_model(begun, model)
        if draft is None and model:
            *_, draft = _by_model(begun, model)
        return _traced(span, context, _answer(begun, draft))


def steps(
    context: SearchContext, model: LanguageModel | None, question: str, options: AskOptions
) -> Generator[Step]:
    """Yield what was found, a model's words while it writes them, and the answer of `ask`."""
    span = TRACER.start_span(_WORKFLOW, attributes=_ATTRIBUTES)
    try:
        with closing(_steps(context, model, question, options)) as made:
            while True:
                # Each step may run in another thread, so the span is current for one at a time.
                with use_span(span, record_exception=False, set_status_on_exception=False):
                    step = next(made, None)
                if step is None:
                    return
                yield _traced(span, context, step) if isinstance(step, Answer) else step
    finally:
        span.end()


def _steps(
    context: SearchContext, model: LanguageModel | None, question: str, options: AskOptions
) -> Generator[Step]:
    begun = _begin(context, model, question, options)
    if found := begun.reply.found:
        yield SearchResults(
            question=begun.reply.question,
            passages=over_http.passages(found.passages),
            generation=found.generation,
        )
    draft: Draft | Delta | None = _without_model(begun, model)
    if draft is None and model:
        for draft in _by_model(begun, model):
            if isinstance(draft, Delta):
                yield draft
    yield _answer(begun, draft)


def _by_model(begun: _Begun, model: LanguageModel) -> Generator[Delta | Draft]:
    """A model's words and its draft; the cards at once where nothing listens at its address."""
    options = begun.options
    try:
        yield from compose.of_model(model, begun.reply, options)
    except LlmUnreachableError as error:
        if not (options.may_quote and model.reach.is_down):
            raise
        _log.warning("request %s: %s: %s", options.request_id, type(error).__name__, error)
        yield replace(compose.of_cards(begun.reply), notice=options.texts.unreachable)


def _traced(span: Span, context: SearchContext, given: Answer) -> Answer:
    """The answer, of which the span tells what it is; the texts only where that is set."""
    if span.is_recording():
        span.set_attribute("rag.certainty", given.certainty)
        span.set_attribute("rag.refusal_reason", given.refusal_reason or "")
        span.set_attribute("rag.guard.verdict", given.guard.verdict)
        if context.settings.otel_instrumentation_genai_capture_message_content:
            span.set_attribute("input.value", given.question)
            span.set_attribute("output.value", given.answer)
    return given


def _begin(
    context: SearchContext, model: LanguageModel | None, question: str, options: AskOptions
) -> _Begun:
    started = perf_counter()
    alone, usage = None, Usage()
    if model and options.history:  # the rule makes it whole where the model says the same
        made = rewriting.rewrite(model, question, options.history, options.disconnect)
        if made.question != follow_up.self_contained(question, options.history):
            alone, usage = made.question, made.usage
    reranker = None
    if model:
        context, reranker = listwise.asked_by(context, model, options.disconnect)
    reply = card_reply(context, question, options, alone=alone, far=model is not None)
    if reranker:
        usage += reranker.usage
    return _Begun(context, options, reply, usage, started, perf_counter())


def _without_model(begun: _Begun, model: LanguageModel | None) -> Draft | None:
    """What is said without asking a model: refusals first, as they cost no call; else None."""
    reply = begun.reply
    if reply.talk:
        return Draft(
            reply.talk.text, "quotes", refusal="language" if reply.talk.is_refusal else None
        )
    if reply.certainty == "refused" or not (reply.cards or reply.folders):
        reason: RefusalReason = "filters" if reply.elsewhere else "no_passage"
        return Draft("", "model" if model else "quotes", refusal=reason)
    if model is None or reply.premise or reply.folders:
        return compose.of_cards(reply)
    return None


def _answer(begun: _Begun, draft: Draft | Delta | None) -> Answer:
    if not isinstance(draft, Draft):
        raise AssertionError("the steps of an answer ended without it")
    reply, found = begun.reply, begun.reply.found
    refused = draft.refusal is not None
    cards = () if refused else reply.cards
    paths = {card.path for card in cards} | {cited.path for cited in draft.citations}
    vault = begun.context.settings.vault
    fresh = {path: freshness(vault, path, reply.hashes[path]) for path in sorted(paths)}
    return Answer(
        question=reply.question,
        answer=_text(begun, draft),
        certainty="refused" if refused else reply.certainty,
        confidence=0.0 if refused and found else reply.confidence,
        refused=refused,
        refusal_reason=draft.refusal,
        mode=draft.mode,
        notice=_notice(begun, draft),
        corrections=[
            SpellingCorrection(typed=word.typed, searched=word.searched)
            for word in reply.corrections
        ],
        folders=[] if refused else [over_http.folder(folder) for folder in reply.folders],
        cards=[over_http.card(card, fresh[card.path]) for card in cards],
        guard=draft.guard,
        citations=[
            cited.model_copy(update={"fresh": fresh[cited.path]}) for cited in draft.citations
        ],
        citation_counts=draft.counts,
        passages=over_http.passages(found.passages) if found else [],
        usage=begun.usage + draft.usage if draft.usage else begun.usage,
        timings=_timings(begun),
        generation=found.generation if found else begun.context.read(live).name,
        request_id=begun.options.request_id,
    )


def _notice(begun: _Begun, draft: Draft) -> str | None:
    """Why no model wrote the answer that would have."""
    reply = begun.reply
    is_without = draft.refusal or reply.talk or reply.premise or reply.folders  # of any model
    return None if is_without else begun.options.notice or draft.notice


def _text(begun: _Begun, draft: Draft) -> str:
    """The draft, below what was corrected, that it may not answer, and the folders."""
    reply, texts = begun.reply, begun.options.texts
    if reply.talk:
        return draft.text
    if draft.refusal:
        return _filtered(begun.options) if reply.elsewhere else texts.refusal
    notice = _notice(begun, draft)
    opening = [notice] if notice else []
    if reply.corrections:
        words = ", ".join(f"*{word.searched}*" for word in reply.corrections)
        opening.append(f"Searched for {words}.")
    if reply.premise:
        opening.append(texts.premise)
    elif reply.elsewhere:
        opening.append(f"{_filtered(begun.options)} {texts.nearest}")
    elif reply.certainty == "nearest":
        opening.append(texts.nearest)
    return "\n\n".join([*opening, *map(render.folder, reply.folders), draft.text])


def _filtered(options: AskOptions) -> str:
    """That only the rest of the rules says so, with the filter that leaves it out."""
    words = render.as_text(" ".join(in_words(options.filters or {}).split()))
    return options.texts.filtered.format(
        filters=f"*{words}*" if words else "the files under these filters"
    )


def _timings(begun: _Begun) -> AnswerTimings:
    finished = perf_counter()
    spent = begun.reply.found.timings if begun.reply.found else Timings(0.0, 0.0, 0.0)
    return AnswerTimings(
        **asdict(spent),
        generate_ms=1000 * (finished - begun.searched),
        total_ms=1000 * (finished - begun.started),
    )
