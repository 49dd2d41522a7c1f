"""From a question to an answer that stands on quoted lines, or to a refusal."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal

from api import citations, prompt, quotes
from api.llm import LanguageModel
from api.schema import Answer, AnswerTimings, Citation, RefusalReason, Usage, passages
from retrieval.models import SearchResult
from retrieval.rulebook import Rulebook
from retrieval.search import search


@dataclass(frozen=True, slots=True)
class _Draft:
    text: str
    citations: list[Citation]
    mode: Literal["quotes", "model"]
    refusal: RefusalReason | None = None
    usage: Usage = field(default_factory=Usage)


def ask(
    rules: Rulebook,
    model: LanguageModel | None,
    question: str,
    *,
    history: Sequence[str] = (),
    top_k: int | None = None,
    request_id: str = "",
) -> Answer:
    """Return the answer to `question`: a model's, or exact quotes where `model` is None.

    No passage: the refusal, without calling a model. Raises what `search` and
    `LanguageModel.reply` raise.
    """
    started = perf_counter()
    found = search(rules, question, history=history, top_k=top_k)
    searched = perf_counter()
    draft = _draft(model, found.question, found)
    finished = perf_counter()
    return Answer(
        answer=draft.text,
        refused=draft.refusal is not None,
        refusal_reason=draft.refusal,
        mode=draft.mode,
        citations=draft.citations,
        passages=passages(found),
        usage=draft.usage,
        timings=AnswerTimings(
            embed_ms=found.timings.embed_ms,
            search_ms=found.timings.search_ms,
            rerank_ms=found.timings.rerank_ms,
            generate_ms=1000 * (finished - searched),
            total_ms=1000 * (finished - started),
        ),
        generation=found.generation,
        request_id=request_id,
    )


def _draft(model: LanguageModel | None, question: str, found: SearchResult) -> _Draft:
    if not found.hits:
        mode: Literal["quotes", "model"] = "model" if model else "quotes"
        return _Draft(prompt.REFUSAL, [], mode, "no_passage")
    if model is None:
        chosen = quotes.choose(found.hits)
        return _Draft(
            quotes.text(chosen, found.hits), citations.of_quotes(chosen, found.hits), "quotes"
        )
    reply = model.reply(prompt.messages(question, found.hits))
    usage = Usage(prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens)
    if prompt.is_refusal(reply.text):
        return _Draft(prompt.REFUSAL, [], "model", "model", usage)
    text, cited = citations.of_reply(reply.text, found.hits)
    if not cited:  # a statement that names no source cannot be checked by anybody
        return _Draft(prompt.REFUSAL, [], "model", "no_citation", usage)
    return _Draft(text, cited, "model", None, usage)
