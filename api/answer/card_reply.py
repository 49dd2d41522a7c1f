"""From a question to the cards of its answer: what the API, the page and the evals all call."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from api.answer.cards import folders, precedence, selection
from api.answer.cards.card import Card
from api.answer.cards.folders import Folder
from api.answer.question import follow_up, intent, language, small_talk, spelling
from api.answer.question.intent import PLAIN, Reading
from api.answer.question.spelling import Correction
from api.answer.texts import DEFAULT, Texts
from retrieval.context import SearchContext
from retrieval.index import store
from retrieval.index.terms import key
from retrieval.models import Evidence, SearchResult, Terms
from retrieval.ranking.lines import QuestionWords
from retrieval.refusal import premise
from retrieval.refusal.decision import Certainty, decide
from retrieval.search import check_question, search
from retrieval.text.normalize import searchable
from retrieval.text.words import WORD


@dataclass(frozen=True, slots=True)
class Talk:
    """What is said where nothing is asked of the rules: small talk, or another language."""

    text: str
    is_refusal: bool


@dataclass(frozen=True, slots=True)
class CardReply:
    """What search found for a question, and the cards that are made of it, best first.

    `folders` are listed above them, also where the rest would have been refused. `found` is None
    where nothing was searched, and `talk` is what is said instead. `premise` is
    the entry that contradicts what the question takes for granted.
    """

    question: str  # as it was searched
    certainty: Certainty
    confidence: float | None
    cards: tuple[Card, ...] = ()
    found: SearchResult | None = None
    parts: tuple[SearchResult, ...] = ()
    folders: tuple[Folder, ...] = ()  # that are asked for as a whole
    corrections: tuple[Correction, ...] = ()
    reading: Reading = PLAIN
    premise: Evidence | None = None
    talk: Talk | None = None

    @property
    def hashes(self) -> dict[str, str]:
        """The sha256 of the cards' files by path, as they were indexed."""
        searched = (*self.parts, *([self.found] if self.found else []))
        return {path: one for found in searched for path, one in found.hashes.items()}


def card_reply(
    context: SearchContext,
    typed: str,
    *,
    history: Sequence[str] = (),
    alone: str | None = None,
    top_k: int | None = None,
    generation_id: int | None = None,
    texts: Texts = DEFAULT,
    far: bool = False,
) -> CardReply:
    """Return the cards for a question, or what is said where nothing is asked of the rules.

    `history` are the user's earlier questions; `alone` is the question as it stands without them,
    where something better than the rule made it whole. `generation_id` names another generation
    than the live one; `far` also keeps cards that only a model reads. Raises what `search` raises.
    """
    check_question(context, typed)
    terms = _terms(context, generation_id)
    said = None if history and small_talk.kind(typed) == "about" else _talk(typed, terms, texts)
    if said:
        return CardReply(typed, "refused" if said.is_refusal else "answered", None, talk=said)
    whole = alone or _whole(context, typed, history, terms, generation_id)
    asked, corrections = spelling.corrected(whole, terms, context.embedder.tokens.is_word)
    reading = intent.read(asked, terms)
    found = _searched(context, asked, top_k, generation_id)
    parts = tuple(
        _searched(context, part, top_k, generation_id)
        for part in (reading.parts if found.hits else ())
    )
    decision = decide(context, found, whole)
    listed = folders.asked_for(asked, reading, terms)
    made = CardReply(
        asked, "answered" if listed else decision.certainty,
        None if listed else decision.confidence,  # which is of the first card
        found=found, parts=parts, folders=listed, corrections=corrections, reading=reading,
    )  # fmt: skip
    if made.certainty == "refused" or not found.hits:
        return made
    return _with_cards(made, found, far=far)


def _with_cards(reply: CardReply, found: SearchResult, *, far: bool) -> CardReply:
    against = premise.contradicted(reply.question, found.hits)
    bound = [overridden(part) for part in reply.parts]
    cards = selection.choose(overridden(found), bound, reply.reading, far=far)
    if reply.folders:  # they stand above, and are what is asked for
        cards = tuple(replace(one, folded=True) for one in cards)
    if against:
        return replace(reply, cards=cards, premise=against, certainty="nearest")
    return replace(reply, cards=cards)


def _talk(typed: str, terms: Terms, texts: Texts) -> Talk | None:
    if kind := small_talk.kind(typed):
        return Talk(small_talk.reply(kind, texts, terms), is_refusal=False)
    own = language.of_vault(terms)
    if language.foreign(typed, own, terms):
        named = language.NAMES.get(own, own)
        return Talk(texts.language.format(language=named), is_refusal=True)
    return None


def _whole(
    context: SearchContext,
    typed: str,
    history: Sequence[str],
    terms: Terms,
    generation_id: int | None,
) -> str:
    """The question as it is searched: of a follow-up with what the one before was about.

    That is the heading of what answered it, and the names in it that the heading does not say
    (docs/experiments.md, E55).
    """
    if not history or not follow_up.is_follow_up(typed) or _is_new_subject(typed, terms):
        return typed
    *earlier, last = history
    before = follow_up.self_contained(last, earlier)
    found = _searched(context, before, None, generation_id)
    if not found.hits:
        return follow_up.self_contained(typed, history)
    heading = found.hits[0].chunk.heading
    names = [
        name for name in intent.things_in(before, terms) if name.lower() not in heading.lower()
    ]
    whole = " ".join(dict.fromkeys([*names, heading, typed]))
    return whole if _fits(context, whole) else typed


def _is_new_subject(typed: str, terms: Terms) -> bool:
    """Whether a word alone is a thing of the vault, or one that it does not know ("basilisk").

    A field ("range") is asked of what was spoken of before, and so is what has a question mark.
    """
    name = key(typed)
    if "?" in typed or len(WORD.findall(typed)) != 1 or len(name) != 1 or name in terms.fields:
        return False
    return name in terms.names or name[0] not in terms.frequency


def _terms(context: SearchContext, generation_id: int | None) -> Terms:
    def read(conn: store.Connection) -> Terms:
        wanted = (
            store.live(conn) if generation_id is None else store.generation(conn, generation_id)
        )
        return context.terms.of(conn, wanted.id, wanted.name)

    return context.store.read(read)


def _fits(context: SearchContext, whole: str) -> bool:
    """Whether the encoder reads a follow-up with what it follows to its end."""
    return context.embedder.tokens.count(searchable(whole)) <= context.embedder.limit - 2


def _searched(
    context: SearchContext, asked: str, top_k: int | None, generation_id: int | None
) -> SearchResult:
    return search(context, asked, top_k=top_k, generation_id=generation_id)


def overridden(found: SearchResult) -> SearchResult:
    """Return the search with the passages of errata that bind what was asked."""
    return precedence.with_overriding(found, QuestionWords.of(found.question, found.terms))
