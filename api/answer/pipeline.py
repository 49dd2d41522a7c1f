"""From a question to an answer that stands on quoted lines, or to a refusal."""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from api import refusal
from api.answer import compose, follow_up, prompt, quotes
from api.answer.compose import Asking, Draft
from api.answer.follow_up import Rewritten
from api.events import Delta, SearchResults, Step
from api.freshness import freshness
from api.hangup import Hangup
from api.llm import LanguageModel
from api.schema import Answer, AnswerTimings, Citation, passages
from retrieval.models import SearchResult
from retrieval.rulebook import Rulebook
from retrieval.search import check_question, search

_PREMISE = "The question takes something for granted that the rules contradict:"


@dataclass(frozen=True, slots=True)
class _Clock:
    """When the parts of an answer began, in seconds of `perf_counter`."""

    started: float
    searched: float


def ask(
    rules: Rulebook,
    model: LanguageModel | None,
    question: str,
    *,
    history: Sequence[str] = (),
    top_k: int | None = None,
    request_id: str = "",
    hangup: Hangup | None = None,
) -> Answer:
    """Return the answer to `question`: a model's, or exact quotes where `model` is None.

    Raises what `steps` raises.
    """
    return finished(
        steps(
            rules,
            model,
            question,
            history=history,
            top_k=top_k,
            request_id=request_id,
            hangup=hangup,
        )
    )


def finished(made: Iterable[Step]) -> Answer:
    """Return the answer that `steps` end with."""
    *_, last = made
    if not isinstance(last, Answer):
        raise AssertionError("the steps of an answer ended without it")
    return last


def steps(
    rules: Rulebook,
    model: LanguageModel | None,
    question: str,
    *,
    history: Sequence[str] = (),
    top_k: int | None = None,
    request_id: str = "",
    hangup: Hangup | None = None,
    streamed: bool = False,
) -> Generator[Step]:
    """Yield what was found, a model's words while it writes them, and the checked answer.

    A follow-up is made whole with `history`, the user's earlier questions, before it is searched.
    On another subject, or where the rules contradict the question, no model is called. `streamed`
    asks the model for its words one by one; all of them are checked again for the answer. Raises
    what `search` and `LanguageModel` raise, soon after `hangup` too.
    """
    started = perf_counter()
    whole = _whole(rules, model, question, history, hangup)
    found = quotes.with_overriding(search(rules, whole.question, top_k=top_k))
    clock = _Clock(started, perf_counter())
    yield SearchResults(
        question=found.question, passages=passages(found), generation=found.generation
    )
    asking = Asking(model, streamed, hangup) if model else None
    made = yield from _draft(rules, asking, found)
    made = replace(made, usage=whole.usage + made.usage)
    yield _answer(rules, found, made, clock, request_id)


def _whole(
    rules: Rulebook,
    model: LanguageModel | None,
    question: str,
    history: Sequence[str],
    hangup: Hangup | None,
) -> Rewritten:
    if model is None:
        return Rewritten(follow_up.self_contained(question, history))
    check_question(rules, question)  # before a model gets it
    return follow_up.rewrite(model, question, history, hangup)


def _draft(
    rules: Rulebook, asking: Asking | None, found: SearchResult
) -> Generator[Delta, None, Draft]:
    """The layers of refusal first: they cost no call of a model."""
    if refusal.refuses(found, refusal.fitted(rules)):
        return Draft(prompt.REFUSAL, "model" if asking else "quotes", refusal="no_passage")
    rule = refusal.contradicted(found.question, found.hits)
    if rule:
        quoted = compose.of_quotes(found, [rule])
        if not quoted.refusal:
            return replace(quoted, text=f"{_PREMISE}\n\n{quoted.text}", refusal="premise")
    if asking is None:
        return compose.of_quotes(found)
    return (yield from compose.of_model(asking, found))


def _answer(
    rules: Rulebook, found: SearchResult, made: Draft, clock: _Clock, request_id: str
) -> Answer:
    cited = _fresh(rules, found, made.citations)
    finished = perf_counter()
    return Answer(
        question=found.question,
        answer=made.text,
        refused=made.refusal is not None,
        refusal_reason=made.refusal,
        mode=made.mode,
        guard=made.guard,
        citations=cited,
        citation_counts=made.counts,
        passages=passages(found),
        usage=made.usage,
        timings=AnswerTimings(
            embed_ms=found.timings.embed_ms,
            search_ms=found.timings.search_ms,
            rerank_ms=found.timings.rerank_ms,
            generate_ms=1000 * (finished - clock.searched),
            total_ms=1000 * (finished - clock.started),
        ),
        generation=found.generation,
        request_id=request_id,
    )


def _fresh(rules: Rulebook, found: SearchResult, cited: Sequence[Citation]) -> list[Citation]:
    """The citations, with what became of their files since what was searched was indexed."""
    paths = sorted({citation.path for citation in cited})
    now = {path: freshness(rules.settings.vault, path, found.hashes[path]) for path in paths}
    return [one.model_copy(update={"fresh": now[one.path]}) for one in cited]
