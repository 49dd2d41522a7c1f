"""What the words of a vault are: the names and fields of its entries, and their stems.

Learnt from the vault alone: names are what files, headings, rows and bold beginnings are called,
fields are the columns of tables, the keys of stat blocks, and bold beginnings with a colon.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from retrieval.models import LONGEST_NAME, Aliases, Entry, Name, Terms
from retrieval.text.dialects import WIKI, link_words
from retrieval.text.line_marks import ITEM_MARK
from retrieval.text.normalize import searchable, unnumbered
from retrieval.text.words import INDEFINITE, STOP, WORD, alias_key, stem

SELDOM = 2  # times: a word that the rules explain, and not what they call the thing
_INFLECTED = 5  # letters of an alias that has other forms; a shorter one abbreviates something
_RUN_IN = re.compile(r"(?:^|[.;] )([^.:;,|]{2,40}): [^.:|]+,")
_NO_PLURAL = ("s", "ing")  # a meaning that ends so gets no "s"
_BRITISH = re.compile(r"^(\w{3,})our(s|ed|ing|able|ful|y)?$")  # not hour, four, tour
_BAR = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"^[\s|:>]*-[\s|:>-]*$")
_MARKS = re.compile(r"[*_`†]+")
_BOLD = re.compile(rf"\s*(?:>\s*)?(?:{ITEM_MARK}\s+)?(\*{{1,3}}|_{{1,3}})([^*_]{{1,60}}?)\1(:?)")
_KEEPER = "keeper contact manager warden caretaker owner lead responsible"
_LEADER = "instructor teacher trainer tutor leader host"
_MONEY = "gp sp cp euro eur dollar usd gbp"  # "Gift expected (gp)" tells what one costs
# What people ask instead of a field's name; the words on the right are tried as names of fields.
_ASKED = {
    "how long": "duration time period term life",
    "how far": "range distance reach",
    "how much": f"cost price fee charge amount {_MONEY}",
    "how heavy": "weight",
    "how fast": "speed movement rate",
    "faster": "speed movement rate",
    "slower": "speed movement rate",
    "heavier": "weight",
    "lighter": "weight",
    "how big": "size area radius",
    "how large": "size area radius",
    "how often": "frequency interval",
    "what does it cost": f"cost price fee {_MONEY}",
    "expensive": f"cost price fee {_MONEY}",
    "cheap": f"cost price fee {_MONEY}",
    "cost": f"cost price fee {_MONEY}",
    "price": f"cost price fee {_MONEY}",
    "pay": "wage pay price",
    "wage": "wage pay",
    "weigh": "weight",
    "lasts": "duration",
    "how many people": "capacity seats people persons places",
    "looks after": _KEEPER,
    "in charge": _KEEPER,
    "responsible for": _KEEPER,
    "who teaches": _LEADER,
    "who leads": _LEADER,
    "who runs": f"{_LEADER} {_KEEPER}",
}
_PARTED = re.compile(
    rf"(?P<verb>\w+) (?P<object>{'|'.join(sorted(INDEFINITE))}|him|her|it|them) "
    r"(?P<particle>out|off|up|down|over|away|in|on)",
    re.IGNORECASE,
)
ASKED_FIELD = re.compile(rf"\b(?:{'|'.join(_ASKED)})\b", re.IGNORECASE)  # "how long"


def in_vault_words(question: str, terms: Terms) -> str:
    """Return the question with aliases replaced that the rules hardly ever write themselves.

    So are those whose meaning they write more often, unless a thing or a field is called so, and
    the meaning of one that they write alone: "experience points" by "xp".
    The first meaning takes an alias's place, with the plural's "s" where it had one; others stand
    behind in brackets. Of an alias's last word other forms are read, too, "grappled" as "grapple",
    but for a file's own name: "is chasing us" is not about a file that is also called "Chases".
    Longer aliases go first, and what was put in is not read again.
    """
    seldom = {n: m for n, m in terms.aliases.items() if _is_replaced(n, terms)}
    forms = {
        _form(name): meanings
        for name, meanings in seldom.items()
        if len(name) >= _INFLECTED and key(name) not in terms.names
    }
    seldom |= {n: m for n, m in terms.written.items() if key(n) not in terms.names}
    if not seldom:
        return question

    def meant(typed: str) -> str:
        is_said = terms.words.get(typed.lower(), 0) > SELDOM  # "a grappling hook"
        return _meant(typed, seldom, {} if is_said else forms)

    longest = max(name.count(" ") for name in seldom) + 2  # with the word that may part one
    words = list(WORD.finditer(question))
    text, end, at = "", 0, 0
    while at < len(words):
        taken = 1
        for count in range(min(longest, len(words) - at), 0, -1):
            start, stop = words[at].start(), words[at + count - 1].end()
            if said := meant(question[start:stop]) or _parted(question[start:stop], meant):
                text += question[end:start] + said
                end, taken = stop, count
                break
        at += taken
    return text + question[end:]


def _parted(typed: str, meant: Callable[[str], str]) -> str:
    """What an alias means that the one it is done to parts: "knock someone out" of "knock out"."""
    match = _PARTED.fullmatch(typed)
    said = meant(f"{match['verb']} {match['particle']}") if match else ""
    return f"{said} {match['object']}" if match and said else ""


def _is_replaced(alias: str, terms: Terms) -> bool:
    if terms.words.get(alias.lower(), 0) <= SELDOM:
        return True
    called = key(alias)
    return alias in terms.rarer and called not in terms.names and called not in terms.fields


def _meant(typed: str, aliases: Aliases, forms: Aliases) -> str:
    for ending in ("", "'s", "s"):
        alias = typed.removesuffix(ending)
        if typed.endswith(ending) and (meanings := aliases.get(alias_key(alias))):
            return _put(meanings, ending)
    meanings = forms.get(_form(alias_key(typed)), ())
    return _put(meanings, "") if meanings else ""


def _put(meanings: Sequence[str], ending: str) -> str:
    behind = f" ({', '.join(meanings[1:])})" if meanings[1:] else ""
    has_none = meanings[0].endswith(_NO_PLURAL) and ending == "s"  # "treasure types", "falling"
    return meanings[0] + ("" if has_none else ending) + behind


def _form(alias: str) -> str:
    """An alias with its last word as its stem."""
    first, space, last = alias.rpartition(" ")
    return first + space + stemmed(last)


def names_of(path: str, entry: Entry) -> list[str]:
    """Return what an entry is called: its own name first, then those it stands under."""
    own = []
    if entry.kind == "row":
        own = [] if is_field(entry) else _both_ways(cells(entry.quote)[:1])
    elif match := _BOLD.match(entry.quote):
        own = [plain(match[2])]
    return [*own, *reversed(entry.heading.split(" > ")), title(path)]


def _both_ways(names: Sequence[str]) -> list[str]:
    """The names of a row, and of "Horse, riding" also "Horse"."""
    return [part for name in names for part in dict.fromkeys((name, name.split(", ")[0]))]


def is_field(entry: Entry) -> bool:
    """Tell whether a row is a field of its file's thing: key and value, without column names."""
    header = entry.lead.split("\n")[0] if entry.lead else ""
    named = any(cells(header)) and not header_is_row(header)
    return len(cells(entry.quote)) == 2 and not named


def header_is_row(header: str) -> bool:
    """Tell whether a table's header holds data, as the first line of a stat block does."""
    given = cells(header)
    return len(given) == 2 and all(given) and any(c.isdigit() for c in given[1])


def fields_of(entry: Entry) -> list[str]:
    """Return the names of what an entry gives values for."""
    if entry.kind == "row":
        given = cells(entry.quote)
        if is_field(entry):
            return given[:1]
        header = [
            cell for line in entry.lead.split("\n") if "---" not in line for cell in cells(line)
        ]
        return [*(given[:1] if len(given) == 2 else []), *filter(None, header)]
    return [plain(match[2]) for line in entry.quote.split("\n") if (match := _BOLD.match(line))]


def lists_in(entry: Entry) -> list[str]:
    """Return the names of the lists within an entry's sentences: "Tier 1: London, Paris."."""
    return _RUN_IN.findall(entry.quote) if entry.kind == "sentences" else []


def asked_fields(question: str) -> frozenset[str]:
    """Return the stems of fields that a question asks for in other words."""
    phrases = {match.lower() for match in ASKED_FIELD.findall(question)}
    return frozenset(word for phrase in phrases for word in stems_of(_ASKED[phrase]))


def stems_of(text: str) -> list[str]:
    """Return the stems of the words of `text` that say something, in order, as names have them."""
    words = WORD.findall(searchable(text).lower())
    return [stemmed(word) for word in words if word not in STOP]


@lru_cache(maxsize=65_536)
def heading_words(heading: str) -> tuple[str, ...]:
    """Return the words of a heading, folded, as entries have theirs."""
    return tuple(WORD.findall(searchable(heading).lower()))


@lru_cache(maxsize=65_536)
def key(name: str) -> Name:
    """Return a name as it is looked up; () where it says nothing or is a sentence."""
    found = tuple(stems_of(name))
    return found if len(found) <= LONGEST_NAME else ()


def title(path: str) -> str:
    """Return a file's name without folder, suffix and number."""
    return unnumbered(path.rsplit("/", 1)[-1].rsplit(".", 1)[0])


def cells(row: str) -> list[str]:
    """Return the cells of a table's row as words."""
    return list(_cells(row))


@lru_cache(maxsize=65_536)
def _cells(row: str) -> tuple[str, ...]:
    return tuple(plain(cell) for cell in raw_cells(row))


def raw_cells(row: str) -> tuple[str, ...]:
    """Return a table row's cells as they are written, without the space around them."""
    parts = _BAR.split(row.strip())
    parts = parts[1:] if parts and not parts[0].strip() else parts
    parts = parts[:-1] if parts and not parts[-1].strip() else parts
    return tuple(part.strip() for part in parts)


def is_delimiter(line: str) -> bool:
    """Tell whether a line is the row of dashes under a table's header."""
    return bool(_DELIMITER.match(line))


def column_names(lead: str, width: int) -> list[str]:
    """Return a table's columns by name: of two header rows both, "" where none fits the rows."""
    rows = [raw_cells(line) for line in lead.split("\n") if line and not is_delimiter(line)]
    if not rows or any(len(row) != width for row in rows):
        return [""] * width
    names, above = [], ""
    for upper, *lower in zip(*rows, strict=True):
        above = upper or (above if any(lower) else "")
        names.append(" ".join(filter(None, (above, *lower))))
    return names


@lru_cache(maxsize=65_536)
def stemmed(word: str) -> str:
    """Return a word's stem, one for both spellings of "armour"."""
    return stem(_BRITISH.sub(r"\1or\2", word))


def plain(text: str) -> str:
    """Return text without emphasis, its links as their words."""
    return _MARKS.sub("", WIKI.sub(link_words, text)).strip()
