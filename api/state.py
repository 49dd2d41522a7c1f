"""What every endpoint uses: the opened rulebook, the language model, and the request's id."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Annotated, TypedDict

from fastapi import Depends, Request

from api.answer import pipeline, texts
from api.answer.question import small_talk
from api.answer.texts import DEFAULT, Texts
from api.llm.client import LanguageModel
from api.page import html
from retrieval.context import Rulebook, open_rulebook
from retrieval.errors import ConfigurationError, RulesError
from retrieval.index import store
from retrieval.models import Terms
from retrieval.refusal import off_topic
from retrieval.settings import Settings

log = logging.getLogger("api")


@dataclass(frozen=True, slots=True)
class Oracle:
    """What the endpoints use: the opened rulebook and, where one is set, a language model."""

    rules: Rulebook
    model: LanguageModel | None
    texts: Texts = DEFAULT


class State(TypedDict):
    """The state of the running app."""

    oracle: Oracle


@contextmanager
def open_oracle(settings: Settings) -> Iterator[Oracle]:
    """Yield what the endpoints use, opened and warm. Raises RulesErrors that say what to do."""
    with ExitStack() as stack:
        rules = stack.enter_context(open_rulebook(settings))
        _check_fitted(rules)
        model = LanguageModel(settings) if settings.openai_model else None
        if model:
            stack.callback(model.close)
        rules.warm()
        html.warm()
        opened = Oracle(rules, model, texts.load(settings.vault))
        _warm(opened)
        yield opened


def _warm(opened: Oracle) -> None:
    """Answer a question of the vault now, or the first person waits for the list of its words.

    No language model is asked. Without an index, or without its database, nothing is warm:
    GET /readyz says what is missing.
    """
    rules = opened.rules

    def read(conn: store.Connection) -> Terms:
        now = store.live(conn)
        rules.sections.of(conn, now.id, now.name)
        return rules.terms.of(conn, now.id, now.name)

    try:
        for question in small_talk.examples(rules.store.read(read), 1):
            pipeline.finished(pipeline.steps(rules, None, question, texts=opened.texts))
    except RulesError as error:
        log.warning("nothing is warmed: %s", error)


def _check_fitted(rules: Rulebook) -> None:
    """Raise ConfigurationError where nothing says which questions are to be refused."""
    if rules.settings.rag_threshold is None and off_topic.fitted(rules) is None:
        raise ConfigurationError(
            f"no refusal was fitted for these models (encoder {rules.embedder.files.name}, "
            f"reranker {rules.reranker.name if rules.reranker else 'off'}), so every question "
            "would be answered; run: python -m evals.calibrate, or set RAG_THRESHOLD"
        )


def oracle(request: Request) -> Oracle:
    """Return what the lifespan opened."""
    opened: Oracle = request.state.oracle
    return opened


def request_id(request: Request) -> str:
    """Return the request's id, which is in the reply's header too."""
    given: str = request.state.request_id
    return given


Opened = Annotated[Oracle, Depends(oracle)]
RequestId = Annotated[str, Depends(request_id)]
