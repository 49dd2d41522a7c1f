"""The names of a statement, and whether the passages that it cites have them."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from api.checks.guard.alignment import Evidence
from api.checks.guard.occurrences import content
from api.checks.guard.statements import Finding, GuardCase, Statement
from retrieval.text.units import UNITS
from retrieval.text.words import STOP, abbreviates, stem

_TOKEN = re.compile(r"(?<!\w)[^\W\d_][\w']*(?:-[\w']+)*|[^\w\s]+|\n")
_ENDS = re.compile(r"[.!?:;\n(\"|#]|^\*+$|^-+$")
_CALENDAR_WORDS = (
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday i ok"
)
_OPENING = STOP | {"unlike", "like", "except", "besides", "neither", "using"}
_EMPHASIS = "*"
_WORD = re.compile(r"[A-Za-z][\w']*|[^\w\s*_\[\]]|\d+|\n")
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")
_ARTICLES = frozenset(("a", "an", "the"))
_FEWEST = 2  # words between two nouns that make them one phrase: "touch of a ghoul"
_CALENDAR = frozenset(_CALENDAR_WORDS.split())


def names(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of folded `text`, each as its words.

    The first word of a sentence counts only where a capitalised word follows it: its own capital
    says nothing.
    """
    return tuple(tuple(run) for run in _runs(text) if run)


def unfounded_names(statement: Statement, case: GuardCase) -> Iterator[Finding]:
    """Yield the names of a statement that no passage cited has, and nouns put in another's place.

    Names are capitalised words inside a sentence, neighbours taken together.
    """
    asked = set(content(case.question))
    for name in names(statement.text):
        needed = [word for part in _parts(name) for word in content(part)]
        missing = [word for word in needed if word not in asked]
        if not any(_holds(case.known, number, missing, name) for number in case.cited):
            message = f"does not stand in passage {case.passages}"
            yield Finding("name", " ".join(name), message, "name")
    texts = [case.texts[number - 1] for number in case.cited]
    for word, theirs in _exchanged(statement.text, texts, case.question):
        yield Finding(
            "name", word, f'no passage cited has it; "{theirs}" stands in its place', "noun"
        )


def _holds(known: Evidence, number: int, missing: Sequence[str], name: Sequence[str]) -> bool:
    """Whether a passage has all words of a name, or an abbreviation of it: HD, CON."""
    words = known.words[number - 1]
    cells = (cell for line in known.lines if line.passage == number for cell in line.cells)
    if len(name) == 1 and any(abbreviates(name[0].lower(), content(c.text)) for c in cells):
        return True
    initials = "".join(word[0] for word in _parts(tuple(name)))
    if set(missing) <= words or (len(initials) > 1 and initials in words):
        return True
    return all(word in words or (len(word) > 3 and word[:3] in words) for word in missing)


def _parts(name: tuple[str, ...]) -> list[str]:
    """A name's words in small letters, hyphened words apart: Magic-User is magic, user."""
    pieces = [piece for word in name for piece in re.split(r"-", word)]
    return [piece.lower() for piece in pieces if piece and piece.lower() not in STOP]


def _exchanged(text: str, passages: Sequence[str], question: str) -> Iterator[tuple[str, str]]:
    """The nouns of a statement that none of its passages has, and what stands there instead.

    All are folded. A noun is compared behind the same words: "the touch of a ghast" where the
    passage has "the touch of a ghoul". An address must stand as it is.
    """
    given = "\n".join((*passages, question))
    for address in _ADDRESS.findall(text):
        if address not in given:
            yield address, next(iter(_ADDRESS.findall(given)), "nothing")
    known, said = _stems(given), _stems(text)
    for before, noun in _slots(text):
        if stem(noun) in known:
            continue
        found = (word for passage in passages for words, word in _slots(passage) if words == before)
        other = next((word for word in found if stem(word) not in said), "")
        if other:
            yield noun, other


@lru_cache(maxsize=512)
def _slots(text: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The nouns behind an article, each with the words from the last one that says something."""
    slots: list[tuple[tuple[str, ...], str]] = []
    before: list[str] = []
    for match in _WORD.finditer(text.lower()):
        token = match[0]
        if token in STOP:
            before.append(token)
            continue
        phrase = len(before) > _FEWEST and before[-1] in _ARTICLES and before[0].isalpha()
        if phrase and token.isalpha() and before[0] not in UNITS:
            slots.append(((stem(before[0]), *before[1:]), token))
        before = [token]
    return tuple(slots)


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(token) for token in _WORD.findall(text.lower()))


def _runs(text: str) -> Iterator[list[str]]:
    run: list[str] = []
    opens, first = True, False  # a sentence begins here; the run began with its first word
    before, starred = "", False  # the run stands behind a "*"
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0].isupper() and token.lower() not in _CALENDAR:
            first, starred = (first, starred) if run else (opens, before == _EMPHASIS)
            run.append(token)
            opens = False
            continue
        yield _counted(run, first=first and not (starred and token == _EMPHASIS))
        run, before = [], token
        opens = not token[0].isalpha() and (opens or bool(_ENDS.search(token)))
    yield _counted(run, first=first)


def _counted(run: list[str], *, first: bool) -> list[str]:
    """The run without ordinary words that only begin the sentence ("The Elf", "No Elf")."""
    words = list(run)
    if first and len(words) == 2 and words[1].isupper() and not words[0].isupper():
        del words[0]  # "Extra XP"
    if first and len(words) == 1 and not words[0].isupper():
        return []
    while words and words[0].lower() in _OPENING:
        del words[0]
    return words if any(len(word) > 1 for word in words) else []
