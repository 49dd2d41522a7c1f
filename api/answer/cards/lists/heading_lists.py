"""The sections of a file as a list of headings, and those of them that a label chooses.

Many rules stand one below the other in a file, each with a line that says of what kind it is:
"**Level:** Hexwright 1", "*1st-level evocation*".
"""

import re

from api.answer.cards.blocks import Block, Part
from api.answer.cards.folders.folders import SAID_WITH_IT
from retrieval.models import IndexedFile
from retrieval.ranking.lines import QuestionWords
from retrieval.text.line_marks import HEADING
from retrieval.vocabulary.terms import title

_DEPTHS = range(2, 5)  # of the headings that a list is made of
_LABEL = re.compile(r"(?:[-+] |\* )?(?:\*\*|__|[*_][^*_\s][^*_]*[*_]$)")
_LONGEST = 80  # characters of a label
_LABELS = 6  # lines below a heading that are looked at
_LEAST = 2  # sections


def of_file(file: IndexedFile, heading: str) -> list[Block]:
    """Return the sections of a file as one list, and those within each of them: their headings.

    `heading` is that of one of its entries.
    """
    inside: dict[str, list[Part]] = {}
    above: list[tuple[int, str]] = []
    name = heading.split(" > ")[0]
    for number in sorted(file.lines):
        match = HEADING.match(file.lines[number])
        if match and len(match[1]) in _DEPTHS:
            above = [one for one in above if one[0] < len(match[1])]
            parent = " > ".join([name, *(called for _, called in above)])
            inside.setdefault(parent, []).append(Part(number, number))
            above.append((len(match[1]), match[2].rstrip("# ")))
    return [Block("headings", parent, None, tuple(parts)) for parent, parts in inside.items()]


def labelled(
    file: IndexedFile, block: Block, asked: QuestionWords
) -> tuple[tuple[Part, ...], frozenset[str]]:
    """Return those headings of a list below which a label says what else is asked, and its stems.

    One label has to say all words that the file's name and the heading above the list do not say,
    and the question's numbers. No headings where nothing else is asked, or where all or one have
    such a label.
    """
    numbers = {word for word in asked.words if word.isdigit()}
    rest = asked.words - asked.stems(f"{title(file.path)} {block.heading}") - SAID_WITH_IT
    wanted = rest | numbers
    if not wanted or (numbers and wanted == numbers):
        return (), wanted
    found = tuple(
        part
        for part in block.parts
        if any(wanted <= asked.stems(label) for label in _labels(file, part.last_line))
    )
    return (found if _LEAST <= len(found) < len(block.parts) else ()), wanted


def _labels(file: IndexedFile, heading: int) -> list[str]:
    """The short lines below a heading that begin in bold, or are emphasised as a whole."""
    found: list[str] = []
    for number in range(heading + 1, heading + 1 + _LABELS):
        line = file.lines.get(number, "")
        if HEADING.match(line):
            break
        if len(line) <= _LONGEST and _LABEL.match(line.strip()):
            found.append(line)
    return found
