"""Find where quotes stand in a vault, where those went that are gone, and what must not stand."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from rapidfuzz.fuzz import partial_ratio_alignment

from evals.labels.dataset import Gold
from ingest.read import vault
from retrieval.errors import VaultError
from retrieval.text.normalize import comparable, fold

SHORTEST = 12  # characters of a quote; a shorter one stands in any file
LONGEST = 1_200  # a longer one fits no passage
_ALIKE = 60.0  # of 100: a passage less alike is no suggestion
_CASE_SENSITIVE = re.compile(r"\(\?[a-z]*-[a-z]*i")


@dataclass(frozen=True, slots=True)
class Page:
    """A file of a vault, as quotes and patterns are compared with it."""

    shown: str  # its path with the vault's folder, as printed
    lowered: str  # folded, in small letters, its lines as in the file
    text: str  # all lines as one text, as `comparable` makes it
    starts: tuple[int, ...]  # where in `text` each line that is not empty starts
    numbers: tuple[int, ...]  # the number of that line in the file, from 1

    def line(self, offset: int) -> int:
        """Return the line that holds this character of `text`."""
        return self.numbers[bisect_right(self.starts, offset) - 1]

    def lines(self, start: int, end: int) -> str:
        """Return the whole lines that hold `text[start:end]`."""
        first = self.starts[bisect_right(self.starts, start) - 1]
        following = bisect_right(self.starts, end - 1)
        return self.text[first : self.starts[following] if following < len(self.starts) else None]


Pages = Mapping[str, Page]  # by path below the vault


def read(root: Path) -> dict[str, Page]:
    """Return the files of a vault by path. Raises VaultError where there is none."""
    files = vault.read(root).files
    if not files:
        raise VaultError(f"no Markdown file in {str(root)!r}")
    return {file.path: page(f"{root}/{file.path}", file.text) for file in files}


def page(shown: str, source: str) -> Page:
    """Return a file's text with the line of each of its characters."""
    lines = [(number, comparable(line)) for number, line in enumerate(source.split("\n"), start=1)]
    lines = [(number, line) for number, line in lines if line]
    starts = accumulate((len(line) + 1 for _, line in lines), initial=0)
    return Page(
        shown,
        fold(source).lower(),
        " ".join(line for _, line in lines),
        tuple(start for start, _ in zip(starts, lines, strict=False)),
        tuple(number for number, _ in lines),
    )


def quote_faults(gold: Gold, pages: Pages, *, shortest: int = SHORTEST) -> Iterator[str]:
    """Yield what makes a gold quote unwinnable, ambiguous or wrong.

    `shortest` is how many characters it must have. Where it is below SHORTEST, an item of a list
    may be one word, and one word may stand in its file more than once.
    """
    quote = comparable(gold.quote)
    if not any(character.isalnum() for character in quote):
        yield f"unwinnable: the quote {gold.quote!r} holds no word"
        return
    shown = f'the quote "{shortened(quote)}"'
    if len(gold.quote) < shortest:
        yield f"{shown} has {len(gold.quote)} characters, fewer than {shortest}: lengthen it"
    if len(gold.quote) > LONGEST:
        yield f"unwinnable: {shown} has {len(gold.quote):,} characters, over {LONGEST:,}: cut it"
    page = pages.get(gold.path)
    if page is None or quote not in page.text:
        yield _gone(gold.path, quote, shown, pages)
        return
    lines = [page.line(match.start()) for match in re.finditer(re.escape(quote), page.text)]
    if len(lines) > 1 and shortest >= SHORTEST:
        times = f"{len(lines)} times in {page.shown}, at lines {', '.join(map(str, lines))}"
        yield f"ambiguous: {shown} stands {times}: lengthen it"


def absence_faults(pattern: str, pages: Pages) -> Iterator[str]:
    """Yield why a regular expression does not prove an absence: it must match nowhere."""
    if _CASE_SENSITIVE.search(pattern):
        yield f"absent {pattern!r} switches to case-sensitive: drop the flag"
    small = pattern == pattern.lower()  # then small letters will do, in half the time
    try:
        compiled = re.compile(fold(pattern), re.NOFLAG if small else re.IGNORECASE)
    except re.error as error:
        yield f"absent {pattern!r} does not compile: {error}"
        return
    found = [(page, match) for page in pages.values() if (match := compiled.search(page.lowered))]
    if found:
        page, match = found[0]
        line = page.lowered.count("\n", 0, match.start()) + 1
        more = f" (and in {len(found) - 1} more)" if len(found) > 1 else ""
        words = shortened(" ".join(match[0].split()))
        yield f'absent {pattern!r} matches "{words}" at {page.shown}:{line}{more}'


def shortened(text: str, length: int = 70) -> str:
    """Return a text for a message: at most `length` characters."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def _gone(path: str, quote: str, shown: str, pages: Pages) -> str:
    """Say where a quote that its file does not hold has gone."""
    whence = pages[path].shown if path in pages else f"{path!r}, which is no file of the vault"
    moved = [
        f"{page.shown}:{page.line(page.text.index(quote))}"
        for page in pages.values()
        if quote in page.text
    ]
    if moved:
        return f"moved: {shown} is not in {whence}, but at {' or '.join(moved[:3])}"
    own = [pages[path]] if path in pages else []  # first: between equals it is the likelier one
    nearest = _nearest(quote, [*own, *pages.values()])
    if nearest is None:
        return f"gone: {shown} is not in {whence}, and nothing in the vault is like it"
    return f"gone: {shown} is not in {whence}; nearest is {nearest}"


def _nearest(quote: str, pages: Sequence[Page]) -> str | None:
    """The passage most like a quote: its place, how much alike (0 to 100), its lines."""
    best, place = _ALIKE, None
    for page in pages:
        if len(page.text) < len(quote) / 2:  # a text inside of the quote is not the quote
            continue
        found = partial_ratio_alignment(quote, page.text, score_cutoff=best)
        if found and found.score > best:
            best, slack = found.score, (found.dest_end - found.dest_start) // 8
            start, end = found.dest_start + slack, found.dest_end - slack  # no line by its edge
            lines = shortened(page.lines(start, end).strip(), 200)
            place = f'{page.shown}:{page.line(start)} ({best:.0f} % alike): "{lines}"'
    return place
