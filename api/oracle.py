"""What every endpoint uses: the opened rulebook, the language model, and the request's id."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Annotated, TypedDict

from fastapi import Depends, Request

from api.answer import texts
from api.answer.texts import DEFAULT, Texts
from api.llm import LanguageModel
from retrieval.errors import ConfigurationError
from retrieval.refusal import off_topic
from retrieval.rulebook import Rulebook, open_rulebook
from retrieval.settings import Settings


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
        yield Oracle(rules, model, texts.load(settings.vault))


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
