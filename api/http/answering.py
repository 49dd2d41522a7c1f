"""Answer over HTTP: every reply is counted before it leaves."""

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace

from fastapi import Request

from api.answer import pipeline, prompt
from api.answer.card_reply import AskOptions
from api.http.client_disconnect import ClientDisconnect
from api.keys import limits
from api.llm import listwise
from api.llm.client import LanguageModel
from api.observability import metrics
from api.observability.request_id import LOGGED
from api.schema.answer import Answer
from api.schema.steps import Delta, SearchResults, Step
from api.schema.usage import Usage
from api.state import AppState, app_state, request_id
from retrieval.errors import LlmAbandonedError
from retrieval.metadata.filters import Given
from retrieval.models import SearchResult
from retrieval.search import search
from retrieval.settings import LLM


def options(
    request: Request,
    disconnect: ClientDisconnect,
    history: Sequence[str],
    *,
    top_k: int | None = None,
    filters: Given | None = None,
    streamed: bool = False,
) -> AskOptions:
    """Return how a request's question is answered."""
    return AskOptions(
        history=history,
        top_k=top_k,
        filters=filters,
        texts=app_state(request).texts,
        request_id=request_id(request),
        disconnect=disconnect,
        streamed=streamed,
        readers=app_state(request).readers,
    )


def answer(request: Request, question: str, asked: AskOptions) -> Answer:
    """Return the answer to a request's question. Raises what `pipeline.ask` raises."""
    opened = app_state(request)
    model, asked = _affordable(opened, asked)
    given = pipeline.ask(opened.rules, model, question, asked)
    _keep(request, given)
    return given


def local_answer(opened: AppState, question: str, asked: AskOptions) -> Answer:
    """Return the answer to a question of this machine's user. Raises what `answer` raises."""
    model, asked = _affordable(opened, asked)
    given = pipeline.ask(opened.rules, model, question, asked)
    limits.charge(opened, None, given.usage)
    return given


def _affordable(opened: AppState, asked: AskOptions) -> tuple[LanguageModel | None, AskOptions]:
    """The model and the options, or no model and why: a day's budget, or a server that is down."""
    why = None
    if opened.model and limits.is_budget_spent(opened):
        why = opened.texts.budget
    elif opened.model and opened.model.reach.is_down:
        why = opened.texts.unreachable
    return None if why else opened.model, replace(asked, notice=why, may_quote=True)


def passages(
    opened: AppState,
    request: Request | None,
    question: str,
    *,
    top_k: int | None,
    filters: Given | None,
    disconnect: ClientDisconnect | None = None,
) -> SearchResult:
    """Return what a search finds, in a model's order where that is set, and charge its tokens.

    Raises what `search` raises.
    """  # fmt: skip
    rules, reranker = opened.rules, None
    is_set = rules.settings.reranker_model == LLM
    if opened.model and is_set and not limits.is_budget_spent(opened):
        rules, reranker = listwise.asked_by(rules, opened.model, disconnect)
    found = search(rules, question, top_k=top_k, filters=filters)
    if reranker:
        limits.charge(opened, request, reranker.usage)
    return found


def steps(request: Request, question: str, asked: AskOptions) -> Generator[Step]:
    """Yield the steps of the answer; closing them before it counts a client that left."""
    opened = app_state(request)
    ended = False
    read, written = "", ""  # by the model, as far as it is known
    model, asked = _affordable(opened, asked)

    def charge_cut() -> None:
        if model and written:  # before its first words it may not have been asked
            limits.charge(opened, request, _estimated(opened, read, written))

    with closing(pipeline.steps(opened.rules, model, question, asked)) as made:
        try:
            for step in made:
                if isinstance(step, SearchResults):
                    read = " ".join([prompt.SYSTEM, *(one.text for one in step.passages)])
                elif isinstance(step, Delta):
                    written += step.text
                if isinstance(step, Answer):
                    ended = True
                    _keep(request, step)
                yield step
        except LlmAbandonedError:  # the client left while the next words were waited for
            charge_cut()
            raise
        except GeneratorExit:  # it left between two of them
            if not ended:
                metrics.abandoned(request)
                charge_cut()
            raise


def _estimated(opened: AppState, read: str, written: str) -> Usage:
    """The tokens of a call that was cut, whose server has not said: word pieces of the encoder."""
    count = opened.rules.embedder.tokens.count
    return Usage(prompt_tokens=count(read), completion_tokens=count(written))


def _keep(request: Request, given: Answer) -> None:
    metrics.answered(request, given)
    if (opened := app_state(request)).model:
        limits.charge(opened, request, given.usage)
    said = {
        "certainty": given.certainty, "refusal_reason": given.refusal_reason, "mode": given.mode,
        "guard": given.guard.verdict, "generation": given.generation,
        **given.usage.model_dump(), **{n: round(ms, 1) for n, ms in given.timings},
    }  # fmt: skip
    setattr(request.state, LOGGED, said)
