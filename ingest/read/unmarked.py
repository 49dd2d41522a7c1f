"""What a line is that Markdown calls a paragraph: a heading without `#`, or what a page repeats.

Word processors write headings in bold or in capitals, and a PDF keeps the header and the footer of
every page. Pure: lines that stand alone as paragraphs in, what they are out.
"""

import re
from collections.abc import Mapping

LEVEL = 7  # of the outermost such heading: below every one with a mark
_LONGEST = 90  # characters of a heading
_FEWEST = 2  # headings of a file; a single bold line may be a remark
_PAGES = 3  # from which on lines with the number of a page are no chance
_ALL_BOLD = re.compile(r"(?:\*\*|__)([^*_]+)(?:\*\*|__)")
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,3}\b")  # of a heading: "4.2"
_SENTENCE = re.compile(r"[.:;,!?|](?:\*\*|__)?$")  # how text ends, and a lead-in
_LETTERS = 4  # of a heading in capitals; fewer abbreviate something
_DIGITS = re.compile(r"\d+")
_PAGE = re.compile(r"\b(?:page|pg|p)\.? ?\d{1,4}\b", re.IGNORECASE)


def headings(lines: Mapping[int, str]) -> dict[int, tuple[int, str]]:
    """Return the level and the title of those of `lines` that are headings, by line number.

    `lines` are the paragraphs of one line with a text below them. A heading is all bold or all in
    capitals, has at most 90 characters and does not end as a sentence or a lead-in does; a file has
    at least two. All are of one level, but for their numbers ("4.2" is below "4"): which of two
    looks is the greater one differs.
    """
    titles = {number: title for number, line in lines.items() if (title := _title(line))}
    if len(titles) < _FEWEST:
        return {}
    return {number: (LEVEL + _depth(title), title) for number, title in titles.items()}


def _title(line: str) -> str:
    """What a line says as a heading; "" for none."""
    text = line.strip()
    bold = _ALL_BOLD.fullmatch(text)
    title = bold[1].strip() if bold else text
    letters = [char for char in title if char.isalpha()]
    is_upper = len(letters) >= _LETTERS and all(char.isupper() for char in letters)
    ends = _SENTENCE.search(text) or _SENTENCE.search(title)
    return title if letters and (bold or is_upper) and len(title) <= _LONGEST and not ends else ""


def _depth(title: str) -> int:
    number = _NUMBER.match(title)
    return number[0].count(".") if number else 0


def page_lines(lines: Mapping[int, str]) -> frozenset[int]:
    """Return those of `lines`, paragraphs of one line, that a printed document has on every page.

    Such are at least three lines with the number of a page that are else the same ("Handbook, page
    12"), and a line that stands beside each of them.
    """
    pages: dict[str, list[int]] = {}
    for at, line in enumerate(lines.values()):
        if _PAGE.search(line):
            pages.setdefault(_DIGITS.sub("#", line.strip()), []).append(at)
    numbers, found = list(lines), set[int]()
    for same in pages.values():
        if len(same) < _PAGES:
            continue
        for step in (0, -1, 1):
            beside = [numbers[at + step] for at in same if 0 <= at + step < len(numbers)]
            are_same = len({lines[number].strip() for number in beside}) == 1
            if step == 0 or (are_same and len(beside) >= _PAGES):
                found.update(beside)
    return frozenset(found)
