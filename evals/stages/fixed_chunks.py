"""Cut a file every 512 word pieces, blind to its structure: what `evals.ablation` measures ours by.

Chunks overlap, and cut sentences, tables and lines wherever the count is reached. What is searched
of a chunk is its text in as many windows as the encoder needs, cleaned and folded as ours is but
without folders, title and headings: only the structure differs.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from pathlib import PurePosixPath

from ingest.chunking import limits
from ingest.chunking.document import IndexedChunk
from ingest.chunking.limits import Count
from ingest.read.plain import plain
from ingest.read.vault import SourceFile
from retrieval.models import Chunk, Entry
from retrieval.text.hidden import visible
from retrieval.text.normalize import compact, searchable

SIZE = 512  # word pieces of a chunk at most
OVERLAP = 64  # word pieces at most that a chunk repeats of the one before
_WORD = re.compile(r"\S{1,64}")  # BERT's tokenizers read a word over 100 characters as one piece


def index(file: SourceFile, *, entry_limit: int, count: Count) -> list[IndexedChunk]:
    """Return the chunks of a file in order, front matter included; none for a file without text.

    A chunk that begins in the middle of a line has that line as its first. `piece` counts from 0
    the chunks that begin in the same line.
    """
    count = lru_cache(maxsize=None)(count)  # few words are new
    heading = PurePosixPath(file.path).stem
    begun: Counter[int] = Counter()
    chunks = []
    for start, stop in _spans(file.text, count):
        text = file.text[start:stop]
        first = file.text.count("\n", 0, start) + 1
        last = first + text.count("\n")
        chunk = Chunk(file.path, heading, first, last, text, piece=begun[first])
        begun[first] += 1
        chunks.append(IndexedChunk(chunk, tuple(_windows(chunk, entry_limit, count))))
    return chunks


def _spans(text: str, count: Count) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each chunk; both are between words."""
    words = list(_WORD.finditer(text))
    # Table padding and long rules take no pieces, as in our chunks.
    totals = [0, *accumulate(count(compact(word[0])) for word in words)]
    first = last = 0
    while last < len(words):
        last = max(first + 1, bisect_right(totals, totals[first] + SIZE) - 1)
        yield words[first].start(), words[last - 1].end()
        first = max(first + 1, bisect_left(totals, totals[last] - OVERLAP))


def _windows(chunk: Chunk, limit: int, count: Count) -> Iterator[Entry]:
    """The chunk in as many windows of lines as the encoder needs; a longer line is cut."""
    lines = chunk.text.split("\n")
    words = [searchable(plain(line)) for line in visible(chunk.text).split("\n")]
    for window in limits.pack([count(line) for line in words], limit):
        quote = "\n".join(lines[i] for i in window)
        first, last = chunk.first_line + window.start, chunk.first_line + window.stop - 1
        for part in limits.split(" ".join(words[i] for i in window if words[i]), limit, count):
            if count(part):
                yield Entry("whole", chunk.heading, first, last, quote, "", "", part)
