"""What people ask about that rules seldom hold: the other side of a question's subject.

How near the nearest passage is says little alone, since some ways of asking are near to everything.
Near to the weather or to car repair, and not to any passage, says that a question is off the topic.
There are two lists: topics.txt names subjects, everyday.txt asks questions as people do. Rules of
everyday matters are near to both themselves, so what counts is by how much nearer to them a
question is than the rules' own texts are.

The vectors of both for the bundled encoder are stored, since embedding them takes seconds; this
program makes them anew after a change of the encoder or of a list: python -m retrieval.elsewhere
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

from retrieval import sketch
from retrieval.embed import Embedder, ModelThread
from retrieval.errors import ModelUnavailableError
from retrieval.fold import searchable
from retrieval.models import Vectors
from retrieval.sketch import Sketch
from retrieval.store import Connection, Generation, some_vectors
from retrieval.weights import bundled_encoder

_HERE = Path(__file__).parent
_LISTS = ("topics", "everyday")
_STORED = _HERE / "elsewhere.safetensors"
_SCALE = ".scale"
_LEVELS = 127  # of either sign in a signed byte
_SAMPLE = 500  # entries of a generation; the mean's standard error is 0.003
_vectors: dict[str, tuple[Vectors, ...]] = {}  # by the digest of the encoder's weights


@dataclass(frozen=True, slots=True)
class Own:
    """What some of the rules' own entries say of the whole."""

    near: float  # how near they are to other subjects: the mean of `nearest`; 0 without an entry
    vault: Sketch  # which vault it is


@dataclass(slots=True)
class Background:
    """What is known of the rules as a whole; remembered for the index last asked."""

    _known: tuple[str, str, Own] | None = None  # generation, encoder

    def of(self, conn: Connection, generation: Generation, embedder: Embedder) -> Own:
        """Return what some entries of a generation say.

        Which entries depends on their texts alone, so equal indexes have an equal one.
        """
        asked = (generation.name, embedder.files.digest)
        if self._known is None or self._known[:2] != asked:
            digests, vectors = some_vectors(conn, generation.id, _SAMPLE)
            lists = _embedded(embedder) if digests else ()
            near = [(vectors @ list_.T).max(axis=1) for list_ in lists]
            vault = sketch.of(digests)
            self._known = (*asked, Own(float(np.mean(near)) if near else 0.0, vault))
        return self._known[2]


def nearest(embedder: Embedder, vector: Vectors) -> float:
    """Return how near a question's vector is to other subjects, a cosine similarity, -1 to 1.

    It is the mean of the nearest topic's and the nearest everyday question's. With another encoder
    than the bundled one the first call embeds both lists, some seconds; `warm` does it before.
    Raises ModelUnavailableError where the stored vectors cannot be read.
    """
    return float(np.mean([(list_ @ vector).max() for list_ in _embedded(embedder)]))


def warm(embedder: Embedder) -> None:
    """Load the model and have the lists' vectors now instead of at the first question."""
    _embedded(embedder)
    embedder.warm()


def lines(name: str) -> list[str]:
    """Return a list's lines as they are embedded: "topics" or "everyday"."""
    text = (_HERE / f"{name}.txt").read_text("utf-8")
    return [searchable(line) for line in text.splitlines()]


def write(path: Path, embedder: Embedder) -> None:
    """Store both lists' vectors as bytes with a scale a row, and what they were made of."""
    tensors: dict[str, npt.NDArray[np.generic]] = {}
    for name in _LISTS:
        vectors = np.asarray(embedder.embed(lines(name)))
        scale = (np.abs(vectors).max(axis=1) / _LEVELS).astype(np.float32)
        tensors[name] = np.rint(vectors / scale[:, None]).astype(np.int8)
        tensors[name + _SCALE] = scale
    save_file(tensors, path, dict(_made_of(embedder)))


def read(path: Path, embedder: Embedder) -> tuple[Vectors, ...] | None:
    """Return the stored vectors of each list, shape (lines, dimension); None of others' ones.

    Others' are those of another encoder or of other lines. Raises ModelUnavailableError where the
    file cannot be read.
    """
    try:
        with safe_open(path, "np") as file:
            if file.metadata() != _made_of(embedder):
                return None
            return tuple(
                file.get_tensor(name).astype(np.float32) * file.get_tensor(name + _SCALE)[:, None]
                for name in _LISTS
            )
    except (OSError, SafetensorError) as error:
        raise ModelUnavailableError(f"{path.name} cannot be read: {error}; restore it") from error


def _embedded(embedder: Embedder) -> tuple[Vectors, ...]:
    digest = embedder.files.digest
    if digest not in _vectors:
        stored = read(_STORED, embedder)
        _vectors[digest] = stored or tuple(embedder.embed(lines(name)) for name in _LISTS)
    return _vectors[digest]


def _made_of(embedder: Embedder) -> Mapping[str, str]:
    told = "\n\n".join("\n".join(lines(name)) for name in _LISTS)
    return {
        "model_digest": embedder.files.digest,
        "lines_sha256": hashlib.sha256(told.encode()).hexdigest(),
    }


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
