"""What people ask about that rules seldom hold: the other side of a question's subject.

How near the nearest passage is says little alone, since some ways of asking are near to everything.
Nearer to the weather or to car repair than to any passage says that a question is off the topic.
A vault that is about one of these loses nothing: its own passages are nearer still.
"""

from pathlib import Path

from retrieval.embed import Embedder
from retrieval.models import Vectors

_FILE = Path(__file__).with_name("topics.txt")
_vectors: dict[str, Vectors] = {}  # by the digest of the encoder's weights


def nearest(embedder: Embedder, vector: Vectors) -> float:
    """Return the cosine similarity, -1 to 1, of a question's vector to the nearest topic.

    The first call with a model embeds the topics, some tenths of a second; `warm` does it before.
    """
    return float((_embedded(embedder) @ vector).max())


def warm(embedder: Embedder) -> None:
    """Load the model and embed the topics now instead of at the first question."""
    _embedded(embedder)
    embedder.warm()


def _embedded(embedder: Embedder) -> Vectors:
    digest = embedder.files.digest
    if digest not in _vectors:
        _vectors[digest] = embedder.embed(_FILE.read_text("utf-8").splitlines())
    return _vectors[digest]
