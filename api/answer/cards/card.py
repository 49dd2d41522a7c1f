"""What an answer is made of: places of the rules, in the form that their structure has.

A card is cut from a section of a file, a `CardPlace`, up to a `Size`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from api.answer.cards.blocks import Block, Part, blocks, introduces
from retrieval.models import BY_CHOICE, ERRATA, HOUSE_RULE, Chunk, Entry, IndexedFile, SourceNote
from retrieval.text.normalize import searchable

BELOW = re.compile(
    r"\b(?:named|listed|given|shown|set out|described|tables?|lists?|steps) below(?=\W*$|[,.;:])|"
    r"\b(?:as follows|the following(?: [a-z]{3,20}s)?)\W*$",
    re.IGNORECASE,
)
# "Five ways": of a list or a table with as many parts.
_COUNTED = re.compile(r"(?<![\w.,-])(\d{1,2}) (?:[a-z-]{2,20} ){0,2}[a-z-]{2,20}s\b")
STEP = re.compile(r"^ {0,8}\d{1,3}[.)]\s")
Form = Literal["section", "table", "list", "fields"]
_has_letter = re.compile(r"[^\W_]").search  # or a digit
_BADGES = {"house-rule": HOUSE_RULE, "errata": ERRATA, "optional": BY_CHOICE}
CORRECTED = "corrected-above"  # the badge of what another card corrects
CORRECTING = frozenset({"errata", "house-rule"})  # badges of what stands above what it corrects


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring parts of one block that a card shows, under the block's header or lead-in.

    `title` is the heading of a section within the card's own, where the piece is its first.
    """

    form: Form
    lead: Part | None
    parts: tuple[Part, ...]
    left_out: int = 0  # parts of the block that are not shown
    title: Part | None = None
    skipped: int = 0  # parts of blocks between this piece and the one before that are not shown


@dataclass(frozen=True, slots=True)
class Card:
    """A place with its lines and those among them that answer.

    `lines` are the file's own, by number: what the pieces show, and no more. A folded card shows
    its one or two best entries alone, on one line.
    """

    path: str
    heading: str
    form: Form
    pieces: tuple[Piece, ...]
    lines: dict[int, str]
    marked: tuple[Part, ...]
    best: Entry
    chunk: Chunk  # that search found
    score: float
    nearness: float = 0.0  # of the best entry to the question
    folded: bool = False
    next_best: Entry | None = None  # what a folded card shows besides
    rest: int = 0  # parts of the section behind the last piece that are not shown
    columns: frozenset[str] = frozenset()  # that are asked for: of a folded wide row the others go
    badges: tuple[str, ...] = ()
    counted: int | None = None  # how many parts the list has that was asked for as a whole
    said: tuple[str, ...] = ()  # words of the question by which its rows were chosen, as typed
    by_signs: bool = False  # whether signs of a legend say so of each of them
    by_value: bool = False  # whether each of them has the one value that is asked for
    listed: Part | None = None  # all lines of that list, those that are not shown as well
    is_sure: bool = False  # that its rows are those that the question compares
    says_all: bool = False  # that is asked: of a list, by its name, its columns and its lines

    @property
    def first_line(self) -> int:
        """The first line that is shown."""
        return self.entries[0].first_line if self.folded else min(self.lines)

    @property
    def last_line(self) -> int:
        """The last line that is shown, inclusive."""
        return self.entries[-1].last_line if self.folded else max(self.lines)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What a folded card shows, in the order of the file."""
        both = (self.best, self.next_best) if self.next_best else (self.best,)
        return tuple(sorted(both, key=lambda entry: (entry.first_line, entry.last_line)))

    @property
    def source(self) -> str:
        """The file's own characters behind what is shown."""
        if self.folded:
            return "\n".join(entry.quote for entry in self.entries)
        return "\n".join(self.lines[number] for number in sorted(self.lines))

    @property
    def covered(self) -> frozenset[int]:
        """The lines that no further card is to show."""
        whole = self.listed.numbers if self.listed else ()
        return frozenset((*self.lines, *whole))

    @property
    def parts(self) -> tuple[int, int]:
        """How many parts of the blocks that it shows are shown, and how many these have.

        Of a list what explains its signs is none.
        """
        own = self.listed.numbers if self.listed else range(max(self.lines, default=0) + 1)
        pieces = [piece for piece in self.pieces if piece.parts[0].first_line in own]
        shown = sum(len(piece.parts) for piece in pieces)
        return shown, shown + sum(piece.left_out for piece in pieces)

    @property
    def left_out(self) -> int:
        """How many rows, items and paragraphs of what it shows a part of are not shown."""
        return sum(piece.left_out + piece.skipped for piece in self.pieces) + self.rest


@dataclass(frozen=True, slots=True)
class Size:
    """How much of a passage a card shows."""

    section: int  # words; a section up to here is shown whole
    entries: int  # else so many of the best entries …
    words: int  # … while they have no more words than this together
    rows: int = 5  # of a table; a larger one is never shown as a part of a short section
    named: bool = False  # nothing but a name is asked: the section called so, from its beginning


@dataclass(frozen=True, slots=True)
class CardPlace:
    """A section: its blocks, and those of its whole file."""

    file: IndexedFile
    blocks: tuple[Block, ...]
    section: tuple[Block, ...]
    size: Size


def form_of(block: Block) -> Form:
    """Return the form that a block's parts are shown in."""
    forms: dict[str, Form] = {"table": "table", "fields": "fields", "paragraph": "section"}
    return forms.get(block.kind, "list")


def numbers(piece: Piece) -> Iterator[int]:
    """Yield the lines of a piece in order, those of its heading, header or lead-in first."""
    for part in (*filter(None, (piece.title, piece.lead)), *piece.parts):
        yield from part.numbers


def words(text: str) -> int:
    """Return how many words a reader has to read; marks of Markdown are none."""
    return sum(1 for word in text.replace("|", " ").split() if _has_letter(word))


def badges_of(note: SourceNote) -> tuple[str, ...]:
    """Return what marks a card of this source: of `errata`, `house-rule`, `optional`, `superseded`.

    Any other status, and an edition, stand as they are written.
    """
    if not note.standing:
        return ()
    status = note.status.casefold()
    named = next((badge for badge, of in _BADGES.items() if status in of), note.status)
    gone = ("superseded",) if note.is_gone else ()
    edition = (f"edition {note.edition}",) if note.edition else ()
    return tuple(dict.fromkeys((*gone, *([named] if named and not gone else []), *edition)))


def place_of(file: IndexedFile, best: Entry, size: Size) -> CardPlace:
    """Return the section that an entry stands in, with all blocks of its file."""
    every = blocks(file)
    at = next((n for n, block in enumerate(every) if block.holds(best)), None)
    if at is None:  # nothing but an entry for the whole: all of its lines are one part
        part = Part(best.first_line, best.last_line)
        alone = (Block("paragraph", best.heading, None, (part,)),)
        return CardPlace(file, alone, alone, size)
    first, last = at, at
    while first > 0 and every[first - 1].heading == every[at].heading:
        first -= 1
    while last + 1 < len(every) and every[last + 1].heading == every[at].heading:
        last += 1
    return CardPlace(file, every, every[first : last + 1], size)


def is_short(place: CardPlace) -> bool:
    """Tell whether a section is shown whole."""
    large = {"table"} if place.size.named else {"table", "fields"}
    if any(b.kind in large and len(b.parts) > place.size.rows for b in place.section):
        return False
    shown = (number for block in place.section for number in numbers(whole(block)))
    return has_at_most(place.size.section, place.file, dict.fromkeys(shown))


def whole(block: Block) -> Piece:
    """Return all parts of a block as one piece."""
    return Piece(form_of(block), block.lead, block.parts)


def has_at_most(most: int, file: IndexedFile, lines: Iterable[int]) -> bool:
    """Tell whether lines have so few words; those of a long section are not read to the end."""
    counted = accumulate(words(file.lines.get(number, "")) for number in lines)
    return all(so_far <= most for so_far in counted)


def introduced(place: CardPlace, last: int) -> Block | None:
    """Return the block directly below a line that leads to it, after nothing but blank lines.

    So does one that counts it: "there are five ways" above five rows.
    """
    lines = place.file.lines
    above = lines.get(last, "")
    following = next((n for n in range(last + 1, max(lines) + 1) if lines.get(n, "").strip()), None)
    starts = {block.parts[0].first_line: block for block in place.blocks}
    starts |= {block.first_line: block for block in place.blocks if block.kind == "table"}
    block = starts.get(following) if following else None
    leads = introduces(above) or BELOW.search(above) or (block and _counts(above, block))
    return block if leads else None


def _counts(line: str, block: Block) -> bool:
    counts = {int(match[1]) for match in _COUNTED.finditer(searchable(line))}
    return block.kind in {"list", "table"} and len(block.parts) in counts


def is_step(file: IndexedFile, part: Part) -> bool:
    """Tell whether a part of a list begins with a number: "3. Pay the deposit"."""
    return STEP.match(file.lines.get(part.first_line, "")) is not None
