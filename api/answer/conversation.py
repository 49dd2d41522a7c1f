"""A question of a conversation as it is searched by itself: with what those before are about."""

import re
from collections.abc import Callable, Sequence

from api.answer.question import follow_up, substitution
from api.answer.question.parts import QUESTION_WORD, things_in
from retrieval.context import SearchContext
from retrieval.models import SearchResult, Terms
from retrieval.search import opened
from retrieval.text.normalize import searchable
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import ASKED_FIELD, key, stems_of

_THE = re.compile(r"\b(?:the|its|his|her|their)\b", re.IGNORECASE)
# What a question for a field holds besides: "how long does it last", "how far can it go".
_BESIDES = frozenset(stems_of("last take go reach get be does exactly again then it"))


def standing_alone(
    context: SearchContext,
    typed: str,
    history: Sequence[str],
    terms: Terms,
    searched: Callable[[str], SearchResult],
) -> str:
    """Return a question as it is searched: of a follow-up with what the one before was about.

    That is the heading of what answered it, so `searched` searches the earlier question again, and
    the names in it that the heading does not say (docs/experiments.md, E55). Raises what it raises.
    """
    if not history or _is_new_subject(typed, terms):
        return typed
    typed = opened(context, typed, terms)
    is_field = asks_for_field(typed, terms)
    if not (is_field or follow_up.is_follow_up(typed)):
        return typed
    *history, other = substitution.in_full([*history, typed], terms)
    if other != typed and _fits(context, other):
        return other
    # A question for a field names nothing that the next one could be about.
    named = [one for one in history if not asks_for_field(opened(context, one, terms), terms)]
    *earlier, last = named or history
    before = follow_up.self_contained(last, earlier)
    result = searched(before)
    carried = f"{before} {typed}" if is_field else follow_up.self_contained(typed, history)
    if not result.hits:
        return carried
    heading = result.hits[0].chunk.heading
    names = [name for name in things_in(before, terms) if name.lower() not in heading.lower()]
    whole = " ".join(dict.fromkeys([*names, heading, follow_up.without_link(typed)]))
    # Without the heading it may be short enough.
    return next((one for one in (whole, carried) if _fits(context, one)), typed)


def asks_for_field(question: str, terms: Terms) -> bool:
    """Tell whether a question asks for a field and names nothing that has it: "what is the range".

    So does "how far can it go"; "what is morale" asks what that is.
    """
    text = follow_up.without_link(question)
    name = key(text)
    if name in terms.fields:
        return "?" in text or bool(QUESTION_WORD.search(text) and _THE.search(text))
    rest = ASKED_FIELD.sub(" ", text)
    return rest != text and _BESIDES.issuperset(stems_of(rest))


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
