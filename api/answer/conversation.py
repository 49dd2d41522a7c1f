"""A question of a conversation: as it was typed, or with the words of what was asked before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from api.answer.cards.card import Card
from api.answer.question import follow_up, substitution
from api.answer.question.limits import superlative
from retrieval.context import SearchContext
from retrieval.models import SearchResult, Terms
from retrieval.search import opened
from retrieval.text.normalize import searchable
from retrieval.text.words import STOP, WORD, stems
from retrieval.vocabulary.terms import key, raw_cells

# A question is one of its own where it is surer by itself than with the words before it: by this
# much of confidence, less _EACH for each of its own telling words, up to _MOST of them. The more it
# says the less it leaves out (docs/experiments.md, E171).
_SURER = 0.6
_EACH = 0.2
_MOST = 6
_FEW = 2  # words of the last question say what it is about
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

    It is the question before with another thing for its own ("and a sage?"), else its own words and
    behind them the telling ones of what was asked last. Of "which is the cheapest" the row that
    `answered` chose is one of them. None, too, where the encoder does not read so much. Raises what
    `answered` raises.
    """
    if _is_unknown(typed, terms):
        return None
    *before, typed = (opened(context, one, terms) for one in (*history, typed))
    *before, other = substitution.in_full([*before, typed], terms)
    if other != typed and _fits(context, other):
        return GoingOn(other, is_sure=True)
    chosen = _chosen_row(answered(before[-1])) if before and superlative(before[-1]) else ""
    words = dict.fromkeys([*chosen.split(), *_telling(before)])
    whole = f"{typed} ({' '.join(words)})"
    if not words or not _fits(context, whole):
        return None
    refers = follow_up.points(typed) and follow_up.is_follow_up(typed)
    return GoingOn(whole, is_sure=refers or follow_up.is_fragment(typed))


def is_of_its_own(typed: str, alone: SearchResult, together: SearchResult) -> bool:
    """Tell whether a question asks what it says, by what is found for it `alone`.

    Else it asks what it does with the words before it, for which `together` was found.
    """
    first = [result.hits[0].chunk for result in (alone, together) if result.hits]
    if alone.certainty == "answered" and len(first) > 1 and first[0] == first[1]:
        return True
    surer = (alone.confidence or 0.0) - (together.confidence or 0.0)
    return surer > _SURER - _EACH * min(len(set(stems(typed))), _MOST)


def with_first_of(result: SearchResult, other: SearchResult) -> SearchResult:
    """Return what was found with the first passage of the other reading second, if it answers."""
    if other.certainty != "answered" or not result.hits or not other.hits:
        return result
    first, *others = result.hits
    hits = dict.fromkeys([first, other.hits[0], *others])
    return replace(
        result,
        hits=tuple(hits)[: max(len(result.hits), 2)],  # one gives way at most
        notes={**other.notes, **result.notes},
        hashes={**other.hashes, **result.hashes},
        files={**other.files, **result.files},
    )


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
