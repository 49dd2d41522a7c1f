"""Where golds stand in their files, and how much of them and of anything else passages show.

Characters are counted as `comparable` makes them, so that padding and line breaks do not count.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from evals.labels import quote_locations
from evals.labels.dataset import Gold
from evals.labels.quote_locations import Page
from retrieval.models import Chunk
from retrieval.text.normalize import comparable

PageOf = Callable[[str], Page | None]  # None: no such file
Characters = set[tuple[str, int]]  # path, offset in its page's text


def pages_of(files: Mapping[str, str]) -> PageOf:
    """Return a function from a path to its page, which is made once, when it is asked for."""

    @cache
    def page_of(path: str) -> Page | None:
        return quote_locations.page(path, files[path]) if path in files else None

    return page_of


def lines(gold: Gold, page_of: PageOf) -> tuple[int, int] | None:
    """Return the first and last line of a gold in its file, from 1.

    None where it stands nowhere, or has no quote: then it is the whole file.
    """
    page, quote = page_of(gold.path), comparable(gold.quote)
    if page is None or not quote or quote not in page.text:
        return None
    start = page.text.index(quote)
    return page.line(start), page.line(start + len(quote) - 1)


def shares(
    golds: Sequence[Gold], also: Sequence[Gold], passages: Sequence[Chunk], page_of: PageOf
) -> tuple[float, float] | None:
    """Return the share of the golds' characters that passages show, and the share that is gold.

    The first is span recall, of `golds`, all of which are needed; the second is span precision, for
    which the equally good ones of `also` count as well. Both are 0 to 1, and 0 where nothing was
    returned. A quote that stands in several places counts where most of it is shown. None where a
    gold of `golds` has no quote or stands nowhere: then nothing can be counted.

    Source for both, as token measures: Smith and Troynikov, "Evaluating Chunking Strategies for
    Retrieval", Chroma 2024.
    """
    seen: Characters = set().union(*(_shown(chunk, page_of) for chunk in passages))
    needed = [_best(gold, seen, page_of) for gold in golds]
    if not all(needed):
        return None
    wanted: Characters = set().union(*needed)
    good = wanted.union(*(_best(gold, seen, page_of) for gold in also))
    return len(wanted & seen) / len(wanted), len(good & seen) / len(seen) if seen else 0.0


def _best(gold: Gold, seen: Characters, page_of: PageOf) -> Characters:
    """The characters of a gold at the place of its file where most of them are seen."""
    page, quote = page_of(gold.path), comparable(gold.quote)
    if page is None or not quote:
        return set()
    places = [
        {(gold.path, offset) for offset in range(match.start(), match.end())}
        for match in re.finditer(re.escape(quote), page.text)
    ]
    return max(places, key=lambda place: len(place & seen), default=set())


def _shown(chunk: Chunk, page_of: PageOf) -> Characters:
    """The characters of its file that a passage shows, with the header lines that it repeats."""
    page = page_of(chunk.path)
    if page is None:
        return set()
    start, stop = _offset(page, chunk.first_line), _offset(page, chunk.last_line + 1)
    text = comparable(chunk.text)
    at = page.text.find(text, start, stop)
    found = [range(start, stop) if at < 0 else range(at, at + len(text))]
    for line in filter(None, map(comparable, chunk.context.split("\n"))):
        at = page.text.rfind(line, 0, start)
        if at >= 0:
            found.append(range(at, at + len(line)))
    return {(chunk.path, offset) for part in found for offset in part}


def _offset(page: Page, line: int) -> int:
    """Where a line starts in the page's text; an empty one starts where the next one does."""
    index = bisect_left(page.numbers, line)
    return page.starts[index] if index < len(page.starts) else len(page.text)
