"""What every endpoint uses: the search context, the language model, and the request's id."""

import json
import logging
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, TypedDict

from fastapi import Depends, Request

from api.answer import fixed_texts, pipeline
from api.answer.card_reply import AskOptions
from api.answer.fixed_texts import DEFAULT, Texts
from api.answer.question import small_talk
from api.checks.readers import opening
from api.checks.readers.verifier import Readers
from api.keys.key_file import Key
from api.keys.key_ring import KeyRing
from api.llm.client import LanguageModel
from api.page import html
from retrieval.context import SearchContext, open_context
from retrieval.database.replica import Replica
from retrieval.errors import (
    ConfigurationError,
    DatabaseUnreachableError,
    IndexMismatchError,
    IndexMissingError,
    RulesError,
)
from retrieval.index import store
from retrieval.metadata.filters import Given
from retrieval.refusal import off_topic
from retrieval.settings import Settings

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from api.telemetry.recorder import Recorder

log = logging.getLogger("api")

_NO_FILE: Given = {"not": {}}  # a filter that no file passes
_MOST_PARTS = 32  # each with its words and sections


@dataclass(frozen=True, slots=True)
class AppState:
    """What the endpoints use: the search context and, where one is set, a language model."""

    rules: SearchContext
    model: LanguageModel | None
    texts: Texts = DEFAULT
    readers: Readers = field(default_factory=Readers)  # of what the model writes
    keys: KeyRing | None = None  # without them everybody may ask
    parts: dict[str, "AppState"] = field(default_factory=dict)  # by the filters of keys

    def as_seen_by(self, key: Key | None) -> "AppState":
        """Return it with the rules that a key lets see; where keys are asked for, none without one.

        So nothing shows where a route forgets to ask for a key.
        """
        access = key.filter if key else None if self.keys is None else _NO_FILE
        if access is None:
            return self
        name = json.dumps(access)
        part = self.parts.get(name)
        if part is None:
            if len(self.parts) >= _MOST_PARTS:
                self.parts.clear()
            part = self.parts[name] = replace(self, rules=self.rules.restricted(access))
        return part


class State(TypedDict):
    """The state of the running app."""

    app_state: AppState
    mcp: "StreamableHTTPSessionManager"  # what answers at /mcp
    recorder: "Recorder | None"  # of what became of questions


@contextmanager
def open_app_state(settings: Settings) -> Iterator[AppState]:
    """Yield what the endpoints use, opened and warm. Raises RulesErrors that say what to do."""
    if settings.api_database_url:  # a role that may do less than the owner's
        settings = settings.model_copy(update={"database_url": settings.api_database_url})
    keys = KeyRing(settings.api_keys) if settings.api_keys else None
    with ExitStack() as stack:
        context = stack.enter_context(open_context(settings))
        context = replace(context, replica=stack.enter_context(_replica(context)))
        _check_fitted(context)
        _check_filters(context)
        model = LanguageModel(settings) if settings.openai_model else None
        if model:
            stack.callback(model.close)
        context.warm()
        html.warm()
        readers = opening.readers(context, model)
        opened = AppState(context, model, fixed_texts.load(settings.vault), readers, keys)
        _warm(opened)
        yield opened


@contextmanager
def _replica(context: SearchContext) -> Iterator[Replica | None]:
    url = context.settings.database_read_url
    if url is None:
        yield None
        return
    with closing(Replica(context.store, url.get_secret_value())) as replica:
        replica.open()
        yield replica


def _warm(opened: AppState) -> None:
    """Answer a question of the vault now, or the first person waits for the list of its words.

    No language model is asked. Without an index, or without its database, nothing is warm:
    GET /readyz says what is missing.
    """
    context = opened.rules

    try:
        _read_words(context)
        for question in small_talk.examples(context.terms_under(None)[1], 1):
            pipeline.ask(context, None, question, AskOptions(texts=opened.texts))
    except RulesError as error:
        log.warning("nothing is warmed: %s", error)


def _read_words(context: SearchContext) -> None:
    """Read the words and sections of the index; of a large one it takes longer than a search may.

    Raises IndexMissingError and DatabaseUnreachableError.
    """
    with context.store.connect(autocommit=True) as conn, conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        now = store.live(conn)
        context.terms_at(conn, now)
        context.sections_at(conn, now)


def _check_fitted(context: SearchContext) -> None:
    """Raise ConfigurationError where nothing says which questions are to be refused."""
    if context.settings.rag_threshold is None and not off_topic.is_refused(context):
        raise ConfigurationError(
            f"no refusal was fitted for these models (encoder {context.embedder.files.name}, "
            f"reranker {context.reranked_by}), so every question "
            "would be answered; run: python -m evals.calibrate, or set RAG_THRESHOLD"
        )


def _check_filters(context: SearchContext) -> None:
    """Raise ConfigurationError where FILTERS does not fit the vault, once there is an index."""
    if context.settings.filters:
        try:
            context.terms_under(None)
        except (IndexMissingError, IndexMismatchError, DatabaseUnreachableError) as error:
            log.warning("FILTERS is not checked: %s", error)


def app_state(request: Request) -> AppState:
    """Return what the lifespan opened, as the key that let the request in may see it."""
    opened: AppState = request.state.app_state
    return opened.as_seen_by(key_of(request))


def key_of(request: Request) -> Key | None:
    """Return the key that a request was let in by; None where none was needed, or not yet."""
    return getattr(request.state, "key", None)


def request_id(request: Request) -> str:
    """Return the request's id, which is in the reply's header too."""
    given: str = request.state.request_id
    return given


Opened = Annotated[AppState, Depends(app_state)]
RequestId = Annotated[str, Depends(request_id)]
