"""One library beside ours over one set: the same encoder, the same questions, in turn."""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from evals.labels.dataset import Question
from evals.measure.judge import holders
from evals.peer_runs import question_sets
from evals.peer_runs.counting_embedder import CountingEmbedder
from evals.peer_runs.environments import Peer
from evals.peer_runs.question_sets import QuestionSet
from evals.peer_runs.retrievers import OurSearch, Retriever, running
from evals.stale import EditCase, cases
from retrieval.context import open_context
from retrieval.models import Chunk
from retrieval.settings import Settings

SHOWN = 4  # passages that a hit and the words are counted in
_RANKED = 10  # that the reciprocal rank looks at
_EDITS = ("number in prose", "deleted file")  # of evals.stale, whose vault is the handbook


@dataclass(slots=True)
class Measured:
    """What one retriever did over one set, as it is kept in JSON.

    `ranks` are of each question the rank of the last passage that is needed, 0 for none among ten.
    """

    versions: dict[str, str]
    ranks: list[int]
    words: list[int]  # of the first four passages of each question
    index_seconds: float
    query_seconds: list[float]
    update_seconds: float | None = None
    edits: dict[str, str] | None = None  # by the name of an edit: what is found after the update
    off_topic: tuple[int, int] = (0, 0)  # questions that were refused, and all
    cut: tuple[int, int] = (0, 0)  # texts that the encoder did not read to their end, and all
    measured_on: str = ""  # day and commit


def measured(
    name: str, peer: Peer, python: Path, settings: Settings, limit: int | None = None
) -> tuple[Measured, Measured]:
    """Return what we and a peer did over the set `name`.

    Each begins with an empty index. Each question is asked of both before the next, the first in
    turn of either. Raises RetrieverError where the peer ends, DatasetError without the set.
    """
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o711)  # where root starts it, the database runs as somebody else
        asked = question_sets.written(name, Path(place), limit)
        own = {"rag_data_dir": Path(place) / "pg", "database_url": None, "vault": asked.folder}
        with open_context(settings.model_copy(update=own)) as context, ExitStack() as stack:
            served = CountingEmbedder(context.embedder)
            process = stack.enter_context(running(peer, python, served, asked.folder))
            context.warm()
            pair: tuple[Retriever, Retriever] = (OurSearch(context, asked.folder), process)
            times = [_seconds(one.index) for one in pair]
            cut = (served.cut, served.texts)
            both = _asked(pair, asked)
            ours, theirs = (
                Measured({}, ranks, words, seconds, queries)
                for (ranks, words, queries), seconds in zip(both, times, strict=True)
            )
            theirs.versions, theirs.cut = dict(process.versions), cut
            for one, retriever in zip((ours, theirs), pair, strict=True):
                refused = sum(map(retriever.refuses, asked.off_topic))
                one.off_topic = (refused, len(asked.off_topic))
            if name == "handbook":
                _edit(pair, (ours, theirs), asked.folder)
    return ours, theirs


def rank(question: Question, found: Sequence[Chunk]) -> int:
    """Return the rank, from 1, of the last passage that a question needs; 0 where one is missing.

    A passage holds a gold where it is of its file and its text has 90 % of it; of equally good
    places the best counts.
    """
    best = []
    for place in question.places:
        first = [
            next((n for n, c in enumerate(found, 1) if c.path == g.path and holders(g, [c])), 0)
            for g in place
        ]
        if all(first):
            best.append(max(first))
    return min(best, default=0)


def state(case: EditCase, found: Sequence[Chunk]) -> str:
    """Say which words of an edited place are among passages: old, new, both or neither."""
    texts = [" ".join(chunk.text.split()) for chunk in found]
    places = (case.old, case.new)
    old, new = (p is not None and any(p.words in text for text in texts) for p in places)
    return "both" if old and new else "old" if old else "new" if new else "neither"


def _asked(
    pair: Sequence[Retriever], asked: QuestionSet
) -> list[tuple[list[int], list[int], list[float]]]:
    """Ranks, words and seconds of either. Timed is the question that a user asks, of four passages;
    what stands below them is asked again, since some choose otherwise among more."""
    results: list[tuple[list[int], list[int], list[float]]] = [([], [], []) for _ in pair]
    for number, question in enumerate(asked.questions):
        for which in (0, 1) if number % 2 else (1, 0):
            started = perf_counter()
            shown = list(pair[which].search(question.question, SHOWN))
            seconds = perf_counter() - started
            below = pair[which].search(question.question, _RANKED)[len(shown) :]
            ranks, words, queries = results[which]
            ranks.append(rank(question, [*shown, *below]))
            words.append(sum(len(chunk.text.split()) for chunk in shown))
            queries.append(seconds)
    return results


def _edit(pair: Sequence[Retriever], results: Sequence[Measured], folder: Path) -> None:
    """Make each edit, let both follow it, and ask again; the last update is the one timed."""
    for case in (case for case in cases() if case.name in _EDITS):
        before = [state(case, retriever.search(case.question, SHOWN)) for retriever in pair]
        case.edit(folder)
        for retriever, one, was in zip(pair, results, before, strict=True):
            one.update_seconds = _seconds(retriever.update)
            after = state(case, retriever.search(case.question, SHOWN))
            one.edits = (one.edits or {}) | {case.name: after if was == "old" else "not found"}


def _seconds(call: Callable[[], None]) -> float:
    started = perf_counter()
    call()
    return perf_counter() - started
