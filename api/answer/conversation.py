"""A question of a conversation: as it was typed, or with the words of what was asked before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from api.answer.cards.card import CORRECTED, CORRECTING, Card
from api.answer.question import follow_up, substitution
from api.answer.question.parts import things_in
from api.answer.question.superlatives import superlatives
from retrieval.context import SearchContext
from retrieval.models import SearchResult, Terms
from retrieval.search import opened
from retrieval.text.normalize import searchable
from retrieval.text.words import STOP, WORD, stems
from retrieval.vocabulary.terms import key, raw_cells, stems_of

# A question is one of its own where it is surer by itself than with the words before it: by this
# much of confidence, less _EACH for each of its own telling words, up to _MOST of them. The more it
# says the less it leaves out (docs/experiments.md, E171).
_SURER = 0.6
_EACH = 0.2
_MOST = 6
_FEW = 2  # words of a question say what it is about
_ENDS = "?!.,;:()\"'"


@dataclass(frozen=True, slots=True)
class GoingOn:
    """A question that goes on with those before it, made whole.

    `is_sure` where it is known to; else it may be a question of its own.
    """

    question: str
    is_sure: bool = False


def going_on(
    context: SearchContext,
    typed: str,
    history: Sequence[str],
    terms: Terms,
    answered: Callable[[str], Sequence[Card]],
) -> GoingOn | None:
    """Return what a question asks where it goes on with those before it; None where it cannot.

    It is the question before with another thing for its own ("and a sage?"). One that a word links
    and that asks ("and what if it rains") follows the heading of what `answered` the one before;
    any other one is its own words, and behind them the telling ones of what was asked last, with
    the row that was chosen where that asked for the cheapest. None, too, where the encoder does not
    read so much. `history` has one question at least. Raises what `answered` raises.
    """
    if _is_unknown(typed, terms):
        return None
    *before, typed = (opened(context, one, terms) for one in (*history, typed))
    *before, other = substitution.in_full([*before, typed], terms)
    if other != typed and _fits(context, other):
        return GoingOn(other, is_sure=True)
    needs_one, is_linked = follow_up.is_follow_up(typed), follow_up.is_linked(typed)
    if needs_one and is_linked and follow_up.asks(typed):
        last = follow_up.self_contained(before[-1], before[:-1])
        linked = _of_place(answered(last), last, typed, terms)
        if linked and _fits(context, linked):
            return GoingOn(linked, is_sure=True)
    chosen = _chosen_row(answered(before[-1])) if superlatives(before[-1]) else ""
    words = dict.fromkeys([*chosen.split(), *_telling(before)])
    whole = f"{typed} ({' '.join(words)})"
    if not words or not _fits(context, whole):
        return None
    return GoingOn(whole, is_sure=needs_one and (is_linked or follow_up.points(typed)))


def is_of_its_own(typed: str, alone: SearchResult, together: SearchResult) -> bool:
    """Tell whether a question asks what it says, by what is found for it `alone`.

    Else it asks what it does with the words before it, for which `together` was found. What is
    refused alone is its own by two telling words, or by one that no rule has ("are there
    elephants"): with other words any rule would be found for it.
    """
    if alone.certainty == "refused":
        said = set(stems_of(typed))
        is_unknown = said.isdisjoint(alone.terms.frequency)
        return len(said) >= _FEW or (is_unknown and follow_up.asks(typed))
    first = [result.hits[0].chunk for result in (alone, together) if result.hits]
    if alone.certainty == "answered" and len(first) > 1 and first[0] == first[1]:
        return True  # what was typed says enough
    surer = (alone.confidence or 0.0) - (together.confidence or 0.0)
    return surer > _SURER - _EACH * min(len(set(stems(typed))), _MOST)


def _of_place(cards: Sequence[Card], before: str, typed: str, terms: Terms) -> str:
    """A question with the heading that answered the one before, and the names that this lacks."""
    if not cards:
        return ""
    # What else is asked stands where the rule does, not where its correction does.
    rules = [one for one in cards if CORRECTING.isdisjoint(one.badges)]
    if not rules:
        return ""
    heading = next((one for one in rules if CORRECTED in one.badges), rules[0]).heading
    names = [name for name in things_in(before, terms) if name.lower() not in heading.lower()]
    return " ".join(dict.fromkeys([*names, heading, follow_up.without_link(typed)]))


def _is_unknown(typed: str, terms: Terms) -> bool:
    """Whether a question is one word that no rule has: "basilisk", but not "lisbon?"."""
    stems = key(typed)
    is_word = len(WORD.findall(typed)) == len(stems) == 1 and "?" not in typed
    return is_word and stems[0] not in terms.frequency


def _telling(before: Sequence[str]) -> list[str]:
    """The words that say what was asked last: of the last questions, as far as those go on."""
    telling: list[str] = []
    for earlier in reversed(before):
        said = (word.strip(_ENDS) for word in earlier.split())
        telling += (word for word in said if word and word.lower() not in STOP)
        if len(telling) >= _FEW and not follow_up.is_follow_up(earlier):
            break
    return telling


def _chosen_row(cards: Sequence[Card]) -> str:
    """What the one row of a table is called that a question chose; "" for none."""
    if not cards or cards[0].form != "table" or len(cards[0].marked) != 1:
        return ""
    row = cards[0].lines.get(cards[0].marked[0].first_line, "")
    return next((cell for cell in raw_cells(row) if any(map(str.isalpha, cell))), "")


def _fits(context: SearchContext, whole: str) -> bool:
    """Whether the encoder reads a follow-up with what it follows to its end."""
    return context.embedder.tokens.count(searchable(whole)) <= context.embedder.limit - 2
