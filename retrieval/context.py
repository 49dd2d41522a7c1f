"""What is opened once a process and closed with it: the database, the models, the settings."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from threadpoolctl import threadpool_limits

from retrieval.database.embedded.postgres import serve
from retrieval.database.pool import Store
from retrieval.database.replica import Replica
from retrieval.encoder.bi_encoder import ENCODING_VERSION, Embedder, ModelThread
from retrieval.encoder.chosen_models import encoder_files, reranker_files
from retrieval.errors import IndexMismatchError
from retrieval.fitted import Models
from retrieval.index.store import Connection, Generation, chosen
from retrieval.metadata.filters import Given
from retrieval.metadata.scope import MetadataCache
from retrieval.models import Scope, Terms
from retrieval.ranking import calibration
from retrieval.ranking.calibration import Weights
from retrieval.ranking.reranking import CrossEncoderReranker, ListwiseReranker, Reranker
from retrieval.refusal import topic_scores
from retrieval.refusal.topic_scores import BaselineCache
from retrieval.settings import BUNDLED, BUNDLED_CANDIDATES, ENGLISH, LLM, Settings
from retrieval.text.normalize import FOLDING_VERSION
from retrieval.vocabulary.file_terms import TermsCache
from retrieval.vocabulary.sections import Sections, SectionsCache

_log = logging.getLogger(__name__)
Fingerprint = Mapping[str, str | int]
_Result = TypeVar("_Result")
_UNSAID = {"language": ENGLISH}  # of an index from before it was said


@dataclass(frozen=True, slots=True)
class SearchContext:
    """Everything that search needs. Made by `open_context` alone."""

    settings: Settings
    store: Store
    embedder: Embedder
    reranker: Reranker | None
    weights: Weights
    threshold: float  # of the score that a passage is sorted by; lower is dropped
    baseline: BaselineCache = field(default_factory=BaselineCache)
    terms: TermsCache = field(default_factory=TermsCache)
    sections: SectionsCache = field(default_factory=SectionsCache)
    metadata: MetadataCache = field(default_factory=MetadataCache)
    access: Given | None = None  # a filter: which files there are for who asks; None: all
    listwise: ListwiseReranker | None = None  # orders after all else; of one request
    replica: Replica | None = None  # what users search is read from it, as far as it may be

    def restricted(self, access: Given) -> "SearchContext":
        """Return the search context of somebody for whom no other files than these exist.

        Words, fields, statistics and limits are those of an index of these files alone.
        """
        return replace(
            self, access=access,
            baseline=BaselineCache(), terms=TermsCache(), sections=SectionsCache())  # fmt: skip

    def read(self, work: Callable[[Connection], _Result]) -> _Result:
        """Return `work(connection)` for a user, and raise, as `Store.read`, or `Replica.read`."""
        return (self.replica or self.store).read(work)

    @property
    def fingerprint(self) -> Fingerprint:
        """What a question's vector and words depend on: another index cannot be searched."""
        return fingerprint_of(self.embedder, self.settings.language)

    @property
    def reranked_by(self) -> str:
        """The name of what reranks; "off" where nothing does."""
        if self.settings.reranker_model == LLM:
            return f"llm ({self.settings.openai_model})"
        return self.reranker.name if self.reranker else "off"

    def warm(self) -> None:
        """Load the models now instead of at the first question."""
        topic_scores.warm(self.embedder)
        if self.reranker:
            self.reranker.warm()

    def terms_of(self, generation_id: int | None) -> Terms:
        """Return the words of a generation; None is the live one. Raises IndexMissingError."""

        return self.read(lambda conn: self.terms_at(conn, chosen(conn, generation_id)))

    def terms_under(
        self, generation_id: int | None, filters: Given | None = None
    ) -> tuple[Terms, Terms]:
        """Return the words of a generation, by which a question is understood, and what is shown.

        The latter are the same with the titles of those files alone that pass FILTERS and
        `filters`. Raises what `scope_of` and `terms_of` raise.
        """

        def read(conn: Connection) -> tuple[Terms, Terms]:
            wanted = chosen(conn, generation_id)
            scope = self.scope_of(conn, wanted, filters)
            terms = self.terms_at(conn, wanted)
            return terms, terms if scope is None else terms.within(scope.paths)

        return self.read(read)

    def terms_at(self, conn: Connection, generation: Generation) -> Terms:
        """Return the words of a generation, as far as it exists for who asks."""
        return self.terms.of(conn, generation.id, generation.name, self.existing(conn, generation))

    def sections_at(self, conn: Connection, generation: Generation) -> Sections:
        """Return the sections of a generation, as far as it exists for who asks."""
        part = self.existing(conn, generation)
        _, rows = self.terms.with_rows(conn, generation.id, generation.name, part)
        return self.sections.of(conn, generation.id, generation.name, rows, part)

    def existing(self, conn: Connection, generation: Generation) -> Scope | None:
        """Return the part of a generation that exists for who asks; None for all of it.

        Raises what `MetadataCache.scope` raises.
        """
        if self.access is None:
            return None
        return self.metadata.scope(conn, generation.id, generation.name, access=self.access)

    def scope_of(
        self, conn: Connection, generation: Generation, filters: Given | None = None
    ) -> Scope | None:
        """Return what FILTERS and `filters` leave of what exists; None where nothing filters.

        Raises what `MetadataCache.scope` raises.
        """
        default = self.settings.filters
        if not (default or filters):
            return self.existing(conn, generation)
        return self.metadata.scope(
            conn, generation.id, generation.name,
            access=self.access, default=default, asked=filters,
        )  # fmt: skip

    def check(self, generation: Generation) -> None:
        """Raise IndexMismatchError where this generation was made by other models."""
        for name, ours in self.fingerprint.items():
            theirs = generation.fingerprint.get(name, _UNSAID.get(name))
            if theirs != ours and name != "model":  # a name is for people; the digest decides
                raise IndexMismatchError(
                    f"the index was made with {name} {theirs!r} and this process has {ours!r}; "
                    "run: python -m ingest"
                )


def fingerprint_of(embedder: Embedder, language: str) -> Fingerprint:
    """Return what a question's vector and words depend on, where `embedder` makes it."""
    return {
        "model": embedder.files.name,
        "model_digest": embedder.files.digest,
        "dimension": embedder.dimension,
        "token_dimension": embedder.token_dimension,
        "token_pooling": embedder.pooling,
        "folding": FOLDING_VERSION,
        "encoding": ENCODING_VERSION,
        "language": language,
    }


@contextmanager
def open_context(settings: Settings) -> Iterator[SearchContext]:
    """Yield the search context: users, evals and LangChain all search through this one.

    A language model as reranker is put in by `api.llm.listwise`. Models are found and checked now
    and loaded at their first use. Raises ModelUnavailableError and DatabaseUnreachableError.
    """
    # OpenBLAS ends its threads wherever the process forks, as it does when root starts a dead
    # server again: a search that multiplies meanwhile would wait for them for ever.
    threadpool_limits(1, user_api="blas")
    with ExitStack() as stack:
        thread = ModelThread()
        stack.callback(thread.close)
        embedder = Embedder(encoder_files(settings), thread, settings.rag_token_pooling)
        given = settings.cross_encoder
        reranker = CrossEncoderReranker(reranker_files(settings), thread) if given else None
        url = stack.enter_context(database_url(settings))
        store = Store(url, None if settings.database_url else partial(_revive, settings))
        store.open()
        stack.callback(store.close)
        yield SearchContext(
            settings, store, embedder, reranker, *_fit(settings, embedder, reranker)
        )


def with_reranker(context: SearchContext, name: str) -> SearchContext:
    """Return the context with a cross-encoder, as RERANKER_MODEL names it, and what was fitted.

    The rest is shared. Raises ModelUnavailableError.
    """
    candidates = {"rag_candidates": BUNDLED_CANDIDATES} if name == BUNDLED else {}
    settings = context.settings.model_copy(update={"reranker_model": name, **candidates})
    reranker = CrossEncoderReranker(reranker_files(settings), context.embedder.thread)
    fitted = _fit(settings, context.embedder, reranker)
    return replace(
        context, settings=settings, reranker=reranker, weights=fitted[0], threshold=fitted[1]
    )


@contextmanager
def database_url(settings: Settings) -> Iterator[str]:
    """Yield the URL of DATABASE_URL, or of the embedded database, which runs meanwhile.

    It holds the password: do not print it. Raises DatabaseUnreachableError.
    """
    if settings.database_url:
        yield settings.database_url.get_secret_value()
    else:
        with serve(settings.rag_data_dir) as url:
            yield url


def _revive(settings: Settings, seconds: float) -> None:
    """Start the embedded server again where it died; no more than a look where it runs."""
    with serve(settings.rag_data_dir, start_timeout=seconds):
        pass


def calibrated_for(settings: Settings, embedder: Embedder, reranker: Reranker | None) -> Models:
    """Return what a fit depends on, as calibration.json holds it."""
    return {
        "encoder": embedder.files.digest,
        "reranker": reranker.digest if reranker else "off",
        "late_interaction": settings.rag_late_interaction,
        "folding": FOLDING_VERSION,
    }


def _fit(
    settings: Settings, embedder: Embedder, reranker: Reranker | None
) -> tuple[Weights, float]:
    """What was fitted for these models, or what suits most; the operator's threshold if any."""
    fit = calibration.find(calibrated_for(settings, embedder, reranker))
    if fit is None:
        _log.warning(
            "nothing was fitted for these models (%s, reranker %s): nothing is refused, and the "
            "stages have weights of other models; run: python -m evals.calibrate",
            embedder.files.name,
            reranker.name if reranker else "off",
        )
    fit = fit or calibration.UNFITTED
    threshold = fit.threshold if settings.rag_threshold is None else settings.rag_threshold
    return fit.weights, threshold
