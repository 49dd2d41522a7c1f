"""A question of a conversation as it is searched by itself: with what those before are about."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from api.answer.cards.card import CORRECTING, Card
from api.answer.question import follow_up, substitution
from api.answer.question.parts import names_in, things_in
from retrieval.context import SearchContext
from retrieval.models import SearchResult, Terms
from retrieval.search import opened
from retrieval.text.normalize import searchable
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import ASKED_FIELD, key, raw_cells, stems_of, title

_THE_FIELD = re.compile(
    r"\W*(?:what(?: is|s|['’]s| are| was)? (?:the|its|his|her|their)|how (?:much|many)) "
    r"(?P<name>\w+(?: \w+){0,3})\W*",
    re.IGNORECASE,
)
_HEAD_START = 0.1  # of confidence: what the file is given that a follow-up goes on to ask of
# What a question for a field holds besides: "how long does it last", "how far can it go".
_BESIDES = frozenset(stems_of("last take go reach get be does exactly again then it"))


@dataclass(frozen=True, slots=True)
class Alone:
    """A question as it stands alone, and the file that it goes on to ask of; "" for none."""

    question: str
    place: str = ""


def standing_alone(
    context: SearchContext,
    typed: str,
    history: Sequence[str],
    terms: Terms,
    answered: Callable[[str], Sequence[Card]],
) -> Alone:
    """Return a question as it is searched: of a follow-up with what the one before was about.

    Of "and the cards?" it is the whole question before, else the heading of what answered it, so
    `answered` answers the earlier question again, and the names in it that the heading does not
    say (docs/experiments.md, E55); of a table the row that alone was chosen. Raises what `answered`
    raises.
    """
    if not history or _is_new_subject(typed, terms):
        return Alone(typed)
    typed = opened(context, typed, terms)
    is_field = asks_for_field(typed, terms)
    *asked_before, other = substitution.in_full([*history, typed], terms)
    if other != typed and _fits(context, other):
        return Alone(other)
    if not (is_field or follow_up.is_follow_up(typed)):
        return Alone(typed)
    history = asked_before
    # A question for a field names nothing that the next one could be about.
    named = [one for one in history if not asks_for_field(opened(context, one, terms), terms)]
    *earlier, last = named or history
    # "What about goblins?" has what "they" stands for.
    before = last if key(last) in terms.names else follow_up.self_contained(last, earlier)
    cards = answered(before)
    carried = f"{before} {typed}" if is_field else follow_up.self_contained(typed, history)
    if not cards:
        return Alone(carried)
    things = things_in(before, terms) or _items_in(before, terms)
    about = _about(cards, things)
    chunk = about.chunk
    files = {key(one) for one in terms.titles.values()} & {key(thing) for thing in things}
    names_another = bool(things_in(typed, terms))  # "and a large sack", "also for sacks"
    section = chunk.heading if names_another else about.heading
    # Of a file that is named another one is not meant, though it may say more of it.
    heading = section if not files or key(title(chunk.path)) in files else ""
    names = [name for name in things if name.lower() not in heading.lower()]
    row = "" if names_another else _row(about, frozenset(stems_of(before)))
    said = [*names, *filter(None, [heading, row]), follow_up.without_link(typed)]
    whole = " ".join(dict.fromkeys(said))
    if follow_up.is_fragment(typed) and not row:  # what is asked is in the question before
        whole = carried
    # Without the heading it may be short enough.
    alone = next((one for one in (whole, carried) if _fits(context, one)), typed)
    # "Any downside?" names nothing of its own.
    is_bare = not (follow_up.is_linked(typed) or names_another)
    is_same = (is_field or is_bare) and bool(heading) and alone == whole
    return Alone(alone, chunk.path if is_same else "")


def with_first_of(result: SearchResult, own: SearchResult) -> SearchResult:
    """Return what was found with the first passage of one file in front, if that is as likely.

    `own` is what the same question finds in the file that it goes on to ask of.
    """
    enough = (result.confidence or 0.0) - _HEAD_START
    if own.certainty != "answered" or (own.confidence or 0.0) < enough:
        return result
    first, most = own.hits[0], max(len(own.hits), len(result.hits))
    others = [hit for hit in (*result.hits, *own.hits[1:]) if hit.chunk != first.chunk]
    return replace(
        own,
        hits=(first, *dict.fromkeys(others))[:most],  # one of the whole search gives way at most
        overriding=result.overriding,
        notes={**result.notes, **own.notes},
        hashes={**result.hashes, **own.hashes},
        files={**result.files, **own.files},
    )


def _about(cards: Sequence[Card], things: Sequence[str]) -> Card:
    """The first card, or where that is a correction the one that also names what is asked about.

    Errata have a price of the thing, and their heading says nothing of it.
    """
    if not things or CORRECTING.isdisjoint(cards[0].badges):
        return cards[0]
    wanted = {stem for thing in things for stem in key(thing)}
    others = (card for card in cards[1:] if CORRECTING.isdisjoint(card.badges))
    return next((one for one in others if wanted.issubset(stems_of(_called(one)))), cards[0])


def _called(card: Card) -> str:
    return f"{title(card.path)} {card.heading} {card.best.quote}"


def _items_in(text: str, terms: Terms) -> list[str]:
    """The names in a text of what is written as a field is: "**Crowbar:** …"."""
    return [name for name in names_in(text, terms) if not asks_for_field(name, terms)]


def _row(card: Card, asked: frozenset[str]) -> str:
    """What the row of a table is called that a question alone chose or names; "" for none."""
    if card.form != "table":
        return ""
    is_chosen = bool(card.said) and len(card.marked) == 1
    first = card.marked[0].first_line if is_chosen else card.best.first_line
    cells = raw_cells(card.lines.get(first, ""))
    name = next((cell for cell in cells if any(map(str.isalpha, cell))), "")
    is_named = card.best.kind == "row" and not asked.isdisjoint(stems_of(name))
    return name if is_chosen or is_named else ""


def asks_for_field(question: str, terms: Terms) -> bool:
    """Tell whether a question asks for a field and names nothing that has it: "what is the range".

    So do "how far can it go" and "how much xp". "What is morale" asks what that is, and "what are
    the discounts" for a list.
    """
    text = follow_up.without_link(question)
    rest = ASKED_FIELD.sub(" ", text)
    if rest != text and _BESIDES.issuperset(stems_of(rest)):
        return True
    of = _THE_FIELD.fullmatch(text)
    asked = of["name"] if of else text if "?" in text else ""
    is_count = of is not None and of[0].lower().lstrip().startswith("how many")
    is_plural = " " not in asked and asked.lower().endswith("s")
    if is_plural and not is_count and not asked.lower().endswith("ss"):
        return False  # several of them
    name = terms.in_full(key(asked))
    return bool(name) and any(terms.in_full(field) == name for field in terms.fields)


def _is_new_subject(typed: str, terms: Terms) -> bool:
    """Whether a word alone is a thing of the vault, or one that it does not know ("basilisk").

    A field ("range") is asked of what was spoken of before, and so is what has a question mark.
    """
    name = key(typed)
    if "?" in typed or len(WORD.findall(typed)) != 1 or len(name) != 1 or name in terms.fields:
        return False
    return name in terms.names or name[0] not in terms.frequency


def _fits(context: SearchContext, whole: str) -> bool:
    """Whether the encoder reads a follow-up with what it follows to its end."""
    return context.embedder.tokens.count(searchable(whole)) <= context.embedder.limit - 2
