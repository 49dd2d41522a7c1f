"""What a foreign retriever returned, in the known shapes, and where it stands in the vault.

A passage's text decides what it holds, since line numbers of a foreign index may be old ones. A
path that is known narrows it to that file; without one, every file that holds the text counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from evals.measure.span_overlap import PageOf
from retrieval.errors import RetrieverError
from retrieval.models import Chunk
from retrieval.text.normalize import comparable

LIMIT = 50  # passages of a question that are looked at
UNPLACED = "(not of the vault)"  # stands for the path of text that no file of it holds
_TEXTS = ("text", "content", "page_content")
_PATHS = ("path", "source", "file_path", "filename", "file_name")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text as it was returned, and the path that came with it, if any."""

    text: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A passage as a chunk of the vault; `files` are all that hold it, none where none does.

    `claimed` is the file of the vault that its path names, whether or not that holds its text.
    """

    chunk: Chunk
    files: tuple[str, ...] = ()
    claimed: str | None = field(default=None)


def passages(returned: object) -> list[Passage]:
    """Return the first `LIMIT` passages of what a retriever returned, in its order.

    A passage is a string, a mapping with text, content or page_content, an object with one of these
    (LangChain's Document), or LlamaIndex's node (`get_content`), with its score or without. Raises
    RetrieverError, naming the value, for anything else.
    """
    if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Sequence):
        raise RetrieverError(
            f"the retriever returned {_short(returned)}, which is no list of passages; "
            "return a list, best first (an async function cannot be measured)"
        )
    return [_passage(item) for item in returned[:LIMIT]]


def placed(found: Sequence[Passage], page_of: PageOf, paths: Sequence[str]) -> list[Placed]:
    """Return where each passage stands in the vault, whose `paths` are all its files."""
    return [_placed(passage, rank, page_of, paths) for rank, passage in enumerate(found, start=1)]


def _passage(item: object) -> Passage:
    if isinstance(item, str):
        return Passage(item)
    node = getattr(item, "node", item)  # LlamaIndex: a node with its score
    content = getattr(node, "get_content", None)
    text = content() if callable(content) else _first(node, _TEXTS)
    if not isinstance(text, str):
        raise RetrieverError(
            f"a passage is {_short(item)}; it needs its text as {', '.join(_TEXTS)}, or be a string"
        )
    metadata = _first(node, ("metadata",))
    path = _first(node, _PATHS) or _first(metadata, _PATHS)
    return Passage(text, str(path) if path else None)


def _first(item: object, names: Sequence[str]) -> object:
    """The first of these fields that an item has, whether a mapping or an object."""
    fields = item if isinstance(item, Mapping) else {n: getattr(item, n, None) for n in names}
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _placed(passage: Passage, rank: int, page_of: PageOf, paths: Sequence[str]) -> Placed:
    claimed = _file(passage.path, paths) if passage.path else None
    text = comparable(passage.text)
    looked = [claimed] if claimed else paths
    files = tuple(p for p in looked if text and (page := page_of(p)) and text in page.text)
    path = files[0] if files else claimed or UNPLACED
    page = page_of(path)
    first = last = 1
    if files and page:
        start = page.text.index(text)
        first, last = page.line(start), page.line(start + len(text) - 1)
    return Placed(Chunk(path, "", first, last, passage.text, piece=rank), files, claimed)


def _file(path: str, paths: Sequence[str]) -> str | None:
    """The one file of the vault that a path ends with; None for none or several."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    for start in range(len(parts)):
        name = "/".join(parts[start:])
        if name in paths:
            return name
    ends = [known for known in paths if known.endswith("/" + "/".join(parts))]
    return ends[0] if len(ends) == 1 else None


def _short(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text[:80]}{'…' if len(text) > 80 else ''}"
