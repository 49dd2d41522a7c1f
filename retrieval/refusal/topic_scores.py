"""What people ask about that rules seldom hold: the other side of a question's subject.

How near the nearest passage is says little alone, since some ways of asking are near to everything.
Near to the weather or to car repair, and not to any passage, says that a question is off the topic.
There are two lists: off_topic_subjects.txt names subjects, off_topic_questions.txt asks questions
as people do. Rules of everyday matters are near to both themselves, so what counts is by how much
nearer to them a question is than the rules' own texts are. What a question is about shows in its
words even more: rules have all of those that they answer, other subjects all of those of other
questions.

The vectors of both for the bundled encoder are stored, since embedding them takes seconds; this
program makes them again after a change of the encoder or of a list:
python -m retrieval.refusal.topic_scores
"""

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from retrieval.encoder.bi_encoder import Embedder, EncodedQuestion, ModelThread
from retrieval.encoder.weights import bundled_encoder
from retrieval.errors import ModelUnavailableError
from retrieval.index.store import Connection, Generation, some_vectors
from retrieval.models import Scope, Vectors
from retrieval.text.normalize import searchable

_HERE = Path(__file__).parent
_LISTS = ("topics", "everyday")
_FILES = {"topics": "off_topic_subjects.txt", "everyday": "off_topic_questions.txt"}
_STORED = _HERE / "topic_scores.safetensors"
_SCALE = ".scale"
_PIECES, _COUNTS = "pieces", "pieces.counts"
_LEVELS = 127  # of either sign in a signed byte
_LARGE = 1.23  # times a vector's mean size: where a value counts as large
_TWO_BITS = np.array([0.567, 1.893], np.float32)  # times the mean size: a small value, a large one
_SAMPLE = 500  # entries of a generation; the mean's standard error is 0.003
_LINES = 100  # nearest ones whose words a question's are compared with
_known: dict[tuple[str, int], "Subjects"] = {}  # by the encoder's weights and its pooling


@dataclass(frozen=True, slots=True)
class Subjects:
    """Both lists as an encoder sees them."""

    lists: tuple[Vectors, ...]  # each of shape (lines, dimension)
    pieces: npt.NDArray[np.uint8]  # as `packed` makes them: the word pieces of all lines, in order
    ends: npt.NDArray[np.int64]  # of each line's pieces


@dataclass(frozen=True, slots=True)
class OffTopicScores:
    """How near a question is to other subjects."""

    near: float  # cosine similarity: the mean of the nearest topic's and of the nearest question's
    pieces: Vectors  # of each of its word pieces to the most similar one of the nearest lines


@dataclass(slots=True)
class BaselineCache:
    """How near the rules are to other subjects; remembered for the index last asked."""

    # Generation, encoder, how near, and the vectors that this was made of.
    _known: tuple[str, str, float, Vectors] | None = None

    def of(
        self,
        conn: Connection,
        generation: Generation,
        embedder: Embedder,
        part: Scope | None = None,
    ) -> float:
        """Return the mean similarity of some entries to the nearest line; 0 without an entry.

        Which entries depends on their texts alone, so equal indexes have an equal one. Of a `part`
        they are its own; a cache is always asked for the same.
        """
        key = (generation.name, embedder.files.digest)
        if self._known is None or self._known[:2] != key:
            vectors = some_vectors(conn, generation.id, _SAMPLE, part)
            known = self._known
            if known and known[1] == key[1] and np.array_equal(vectors, known[3]):
                near = known[2]  # an edit hardly ever reaches one of them
            else:
                lists = _embedded(embedder).lists if len(vectors) else ()
                each = [(vectors @ list_.T).max(axis=1) for list_ in lists]
                near = float(np.mean(each)) if each else 0.0
            self._known = (*key, near, vectors)
        return self._known[2]


def scores(embedder: Embedder, question: EncodedQuestion) -> OffTopicScores:
    """Return how near a question is to other subjects, as a whole and by its words, -1 to 1.

    With another encoder than the bundled one the first call embeds both lists, some seconds; `warm`
    does it before. Raises ModelUnavailableError where the stored vectors cannot be read.
    """
    subjects = _embedded(embedder)
    similar = [list_ @ question.vector for list_ in subjects.lists]
    nearest = np.argsort(-np.concatenate(similar), kind="stable")[:_LINES]
    counts = np.diff(subjects.ends, prepend=0)[nearest]
    # A line's first row, less the rows of those before it, which the running number counts.
    rows = np.repeat(subjects.ends[nearest] - np.cumsum(counts), counts) + np.arange(counts.sum())
    pieces = question.tokens.vectors @ unpacked(subjects.pieces[rows], embedder.token_dimension).T
    return OffTopicScores(
        float(np.mean([cosines.max() for cosines in similar])), pieces.max(axis=1)
    )


def warm(embedder: Embedder) -> None:
    """Load the model and have the lists' vectors now instead of at the first question."""
    _embedded(embedder)
    embedder.warm()


def lines(name: str) -> list[str]:
    """Return a list's lines as they are embedded: "topics" or "everyday"."""
    text = (_HERE / _FILES[name]).read_text("utf-8")
    return [searchable(line) for line in text.splitlines()]


def write(path: Path, embedder: Embedder) -> None:
    """Store both lists: lines as bytes with a scale a row, word pieces in two bits."""
    made = _made(embedder)
    tensors: dict[str, npt.NDArray[np.generic]] = {}
    for name, vectors in zip(_LISTS, made.lists, strict=True):
        scale = (np.abs(vectors).max(axis=1) / _LEVELS).astype(np.float32)
        tensors[name] = np.rint(vectors / scale[:, None]).astype(np.int8)
        tensors[name + _SCALE] = scale
    tensors[_PIECES] = made.pieces
    tensors[_COUNTS] = np.diff(made.ends, prepend=0).astype(np.uint8)
    save_file(tensors, path, dict(_made_of(embedder)))
    path.chmod(0o644)  # it ships: safetensors writes for its owner alone


def read(path: Path, embedder: Embedder) -> Subjects | None:
    """Return what is stored; None where it is of another encoder or of other lines.

    Raises ModelUnavailableError where the file cannot be read.
    """
    try:
        with safe_open(path, "np") as file:
            if file.metadata() != _made_of(embedder):
                return None
            vectors = tuple(
                file.get_tensor(name).astype(np.float32) * file.get_tensor(name + _SCALE)[:, None]
                for name in _LISTS
            )
            ends = np.cumsum(file.get_tensor(_COUNTS), dtype=np.int64)
            return Subjects(vectors, file.get_tensor(_PIECES), ends)
    except (OSError, SafetensorError) as error:
        raise ModelUnavailableError(f"{path.name} cannot be read: {error}; restore it") from error


def _embedded(embedder: Embedder) -> Subjects:
    key = (embedder.files.digest, embedder.pooling)
    if key not in _known:
        _known[key] = read(_STORED, embedder) or _made(embedder)
    return _known[key]


def _made(embedder: Embedder) -> Subjects:
    encoded = [embedder.encode(lines(name)) for name in _LISTS]
    # Line by line: as floats, all of them would take a gigabyte with a large encoder.
    pieces = [
        packed(tokens.values.astype(np.float32)) for list_ in encoded for tokens in list_.tokens
    ]
    return Subjects(
        tuple(list_.vectors for list_ in encoded),
        np.concatenate(pieces),
        np.cumsum([len(tokens) for tokens in pieces]),
    )


def _made_of(embedder: Embedder) -> Mapping[str, str]:
    told = "\n\n".join("\n".join(lines(name)) for name in _LISTS)
    return {
        "model_digest": embedder.files.digest,
        "lines_sha256": hashlib.sha256(told.encode()).hexdigest(),
    }


def packed(vectors: Vectors) -> npt.NDArray[np.uint8]:
    """Return unit vectors, shape (vectors, dimension), in two bits a dimension: rows of bytes.

    The four levels are those with the least mean squared error for normally distributed values
    (Max, "Quantizing for Minimum Distortion", 1960), here around each vector's own mean size.
    """
    sizes = np.abs(vectors)
    large = sizes > _LARGE * sizes.mean(axis=1, keepdims=True)
    return np.packbits(np.concatenate([vectors > 0, large], axis=1), axis=1)


def unpacked(data: npt.NDArray[np.uint8], dimension: int) -> Vectors:
    """Return what `packed` was given, roughly, each vector at length 1."""
    bits = np.unpackbits(data, axis=1, count=2 * dimension)
    positive, large = np.split(bits, 2, axis=1)
    values = _TWO_BITS[large] * (2 * positive.astype(np.float32) - 1)
    unit: Vectors = values / np.linalg.norm(values, axis=1, keepdims=True)
    return unit


def main() -> int:
    """Write the vectors of the bundled encoder; return 0."""
    thread = ModelThread()
    try:
        write(_STORED, Embedder(bundled_encoder(), thread))
    finally:
        thread.close()
    print(f"{_STORED.name}: {', '.join(f'{len(lines(name)):,} {name}' for name in _LISTS)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
