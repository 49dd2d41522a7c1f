"""Write cards as Markdown: the one function that makes the words of an answer without a model."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import takewhile

from api.answer.cards.blocks import Part
from api.answer.cards.card import Card, Piece
from api.answer.cards.folders.folders import Folder, ListedFile
from api.checks import sanitize
from api.checks.url_pattern import ADDRESS
from retrieval.models import Entry
from retrieval.text.dialects import BLOCK_ID, MARKS, WIKI, callouts, link_words, plain_markdown
from retrieval.text.hidden import visible
from retrieval.text.line_marks import ITEM, ITEM_MARK
from retrieval.text.normalize import compact, unnumbered
from retrieval.vocabulary.terms import column_names, is_delimiter, is_field, raw_cells

_SEPARATOR = " … "  # between the entries of a folded card
_WIDE = 5  # columns of a row on one line, beyond which those that are asked for stand alone
_COMMENT = re.compile(r"(?<!\S)%%.*?%%(?!\S)", re.DOTALL)  # as Obsidian has them
_MARKUP = re.compile(r"([\\`*_\[\]<&~|$!])")
_PAIRED = re.compile(r"\*[^*]+\*|(?<!\w)_[^_]+_|`[^`]+`|\[[^\[\]]*\]|~~|</?\w")
_CALLED_OUT = re.compile(r"^\[!\w+\][+-]?\s*")
_HEADING_MARK = re.compile(r"^#{1,6}[ \t]+")  # of a list of sections
_MARK = re.compile(rf"^(?:\s*>)*\s*(?:#{{1,6}}\s+|{ITEM_MARK}\s+(?:\[[ xX]\]\s+)?)?")


def markdown(cards: Sequence[Card]) -> str:
    """Return the answer's Markdown: each card under its place, numbered from 1 as citations are.

    Namesakes are told apart by their folders.
    """
    apart = variants([card.path for card in cards])
    shown = [
        _shown(number, card, variant)
        for number, (card, variant) in enumerate(zip(cards, apart, strict=True), start=1)
    ]
    return "\n\n".join(shown)


def folder(found: Folder) -> str:
    """Return a folder's files as Markdown: how many, and their titles on one line.

    Of one that is listed by words each file stands on a line, with what says them.
    """
    shown = len(found.files)
    name = f"{as_text(found.path)}/" if found.path else "Vault"
    first = f", the first {shown}" if shown < found.count else ""
    if found.words:
        words = as_text(" ".join(found.words))
        lines = "\n".join(f"- {_listed(one)}" for one in found.files)
        files = f"{found.count} file{'s' if found.count > 1 else ''}"
        return f"**{name}**: {files} found by *{words}*{first}\n\n{lines}"
    titles = " · ".join(as_text(one.title) for one in found.files)
    more = " · …" if first else ""
    return f"**{name}**: {found.count} files{first}\n\n{titles}{more}"


def _listed(file: ListedFile) -> str:
    entry = file.entry
    if entry is None:
        return as_text(file.title)
    last = f"-{entry.last_line}" if entry.last_line > entry.first_line else ""
    place = f"({as_text(file.path)}:{entry.first_line}{last})"
    return f"**{as_text(file.title)}** {place}: {listed_line(entry)}"


def listed_line(entry: Entry, asked: Collection[str] = ()) -> str:
    """Return an entry on one line of Markdown; of a wide row the columns `asked`, by name."""
    return sanitize.clean(_one_line(entry, asked)).text


def text(card: Card) -> str:
    """Return a card's Markdown without its place, of a folded card on one line."""
    if card.folded:
        return sanitize.clean(
            _SEPARATOR.join(_one_line(entry, card.columns) for entry in card.entries)
        ).text
    shown: list[str] = []
    for piece in card.pieces:
        shown += ["…"] if piece.skipped and shown else []
        shown.append(_piece(card, piece))
    shown += ["…"] if card.rest and not card.pieces[-1].left_out else []
    return sanitize.clean("\n\n".join(filter(None, shown))).text


def _shown(number: int, card: Card, variant: str) -> str:
    about = as_text("; ".join(part for part in (variant, *card.badges) if part))
    last = f"-{card.last_line}" if card.last_line > card.first_line else ""
    place = f"({as_text(card.path)}:{card.first_line}{last})"
    title = f"**[{number}] {as_text(card.heading)}**{f' ({about})' if about else ''} {place}"
    if card.folded:
        return f"{title}: {text(card)}"
    count = f"\n\n**{_counted(card)}**" if card.counted else ""
    return f"{title}{count}\n\n{text(card)}"


def _counted(card: Card) -> str:
    shown, of = card.parts
    noun = {"table": "row", "fields": "field"}.get(card.form, "item")
    noun += "" if (of if card.said else card.counted) == 1 else "s"
    found = (
        f" of {of} {noun} found by *{as_text(' '.join(card.said))}*" if card.said else f" {noun}"
    )
    more = f", the first {shown}:" if shown < (card.counted or 0) else ":"
    return f"{card.counted}{found}{more}"


def _piece(card: Card, piece: Piece) -> str:
    if piece.title:
        title = _MARK.sub("", _lines(card, piece.title)).rstrip(" #")
        return f"**{title.replace('**', '')}**\n\n{_piece(card, replace(piece, title=None))}"
    if piece.form == "table":
        return table(card, piece)
    if piece.form == "fields":
        return _fields(card, piece)
    lead = [_dedented(_lines(card, piece.lead))] if piece.lead else []
    shown: list[str] = []
    for part in piece.parts:
        shown.append(_HEADING_MARK.sub("- ", _dedented(_lines(card, part))))
    gap = "\n" if piece.form == "list" else "\n\n"
    body = gap.join(line for line in shown if line)
    return "\n\n".join([*lead, body, *_more(piece, "items")])


def table(card: Card, piece: Piece) -> str:
    """Return rows under their header; without one they get empty names, as Markdown wants some."""
    header = _lines(card, piece.lead).split("\n") if piece.lead else []
    rows = [_lines(card, part) for part in piece.parts]
    if not any(is_delimiter(line) for line in header):
        width = max(len(raw_cells(row)) for row in rows)
        header = ["|" + "  |" * width, "|" + "---|" * width]
    # Padding that lines up a source of hundreds of columns is unreadable in a terminal.
    return "\n".join(compact(line.lstrip()) for line in (*header, *rows)) + "".join(
        f"\n\n{one}" for one in _more(piece, "rows")
    )


def _fields(card: Card, piece: Piece) -> str:
    shown = []
    for part in piece.parts:
        line = _lines(card, part).strip()
        if line.startswith("|"):
            name, *values = raw_cells(line)
            line = f"**{name.strip('*')}:** {'; '.join(values)}"
        shown.append(line if ITEM.match(line) else f"- {line}")
    return "\n".join(shown) + "".join(f"\n\n{one}" for one in _more(piece, "fields"))


def _more(piece: Piece, noun: str) -> list[str]:
    if not piece.left_out:
        return []
    return [f"… {piece.left_out} more {noun if piece.left_out > 1 else noun.removesuffix('s')}"]


def _one_line(entry: Entry, asked: Collection[str] = ()) -> str:
    """An entry on one line; a table's row names its columns, a wide one those that are asked."""
    if entry.kind != "row":
        lines = BLOCK_ID.sub("", plain(entry.quote)).rstrip().split("\n")
        return " ".join(_CALLED_OUT.sub("", _MARK.sub("", line)) for line in lines)
    name, *values = raw_cells(entry.quote) or (entry.quote,)
    if is_field(entry):  # what heads its column is the first field: "| AC | 3 |"
        return plain(f"{name}: {values[0]}")
    columns = column_names(entry.lead, len(values) + 1)[1:]
    pairs = [pair for pair in zip(columns, values, strict=True) if pair[1]]
    if len(pairs) == 1 and not pairs[0][0]:
        return plain(f"{name}: {pairs[0][1]}")
    kept = pairs
    if len(pairs) > _WIDE:
        kept = [pair for pair in pairs if pair[0] in asked] or pairs[:_WIDE]
    said = [f"{column}: {value}" if column else value for column, value in kept]
    return plain(" · ".join(filter(None, (name, *said, "" if kept == pairs else "…"))))


def _lines(card: Card, part: Part) -> str:
    return plain("\n".join(card.lines.get(number, "") for number in part.numbers))


def plain(shown: str) -> str:
    """Return text without what a browser hides, and what only its own program reads."""
    if MARKS.search(shown):
        shown = callouts(plain_markdown(shown).text, unnamed=False).strip("\n")
    return WIKI.sub(
        link_words, _COMMENT.sub("", visible(shown) if "<" in shown else shown)
    ).rstrip()


def _dedented(shown: str) -> str:
    lines = shown.split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] if line[:indent].isspace() else line for line in lines)


def as_text(words: str) -> str:
    """Return a name or heading of the vault as text: nothing of it becomes markup or a link."""
    plain_words = ADDRESS.sub("", words)
    if sanitize.is_suspicious(words) or _PAIRED.search(words):
        plain_words = _MARKUP.sub(r"\\\1", plain_words)
    return sanitize.visible(plain_words)


def variants(paths: Sequence[str]) -> list[str]:
    """Return for each path what tells it from its namesakes among `paths`; "" where it has none.

    "Magic/Cleric Spells/Light.md" and "Magic/Magic-User Spells/Light.md" are "Cleric Spells" and
    "Magic-User Spells"; numbers before a folder's name are left out.
    """
    return [_variant(path, paths) for path in paths]


def _variant(path: str, paths: Sequence[str]) -> str:
    *folders, name = path.split("/")
    others = [other.split("/")[:-1] for other in paths if other != path and _name(other) == name]
    if not others:
        return ""
    start = min(_common(folders, other) for other in others)
    end = min(_common(folders[::-1], other[::-1]) for other in others)
    differing = folders[start : max(len(folders) - end, start)] or folders[-1:]
    return " > ".join(unnumbered(folder) for folder in differing)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
