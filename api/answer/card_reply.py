"""From a question to the cards of its answer: what the API, the page and the evals all call."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from api.answer import conversation, referred
from api.answer.cards import card_selection, follow_up_marks
from api.answer.cards.card import CORRECTING, Card
from api.answer.cards.folders import by_status, collected, folders
from api.answer.cards.folders.folders import Folder
from api.answer.cards.lists import overviews
from api.answer.cards.lists.list_cards import is_numbered, says_steps
from api.answer.fixed_texts import DEFAULT, Texts
from api.answer.question import intent, small_talk, spelling
from api.answer.question.intent import DEGREE, PLAIN, Reading
from api.answer.question.spelling import Correction
from retrieval.context import SearchContext
from retrieval.metadata.filters import Given
from retrieval.models import Certainty, Evidence, SearchResult, Terms
from retrieval.ranking.lines import QuestionWords
from retrieval.refusal import decision, premises
from retrieval.search import check_question, search, written_out
from retrieval.settings import ENGLISH
from retrieval.text.question_phrases import without_manner
from retrieval.text.words import WORD

if TYPE_CHECKING:  # what measures replies needs no HTTP
    from api.checks.readers.verifier import Readers
    from api.http.client_disconnect import ClientDisconnect


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How a question is answered. `generation_id` names another generation than the live one."""

    history: Sequence[str] = ()  # the user's earlier questions
    top_k: int | None = None  # passages; None: RAG_TOP_K
    filters: Given | None = None  # beside those of the settings
    generation_id: int | None = None
    texts: Texts = DEFAULT  # the fixed sentences
    request_id: str = ""
    disconnect: "ClientDisconnect | None" = None  # of the client, which may leave
    streamed: bool = False  # ask a model for its words one by one
    readers: "Readers | None" = None  # of what a model wrote
    notice: str | None = None  # why no model is asked now, which the reply says
    may_quote: bool = False  # the cards, where nothing listens at the model's address


PLAIN_ASK = AskOptions()
# Steps that are asked for ("how do I appeal, step by step") and that say so were right in all of
# six replies over nine vaults, one of them under the limit (docs/experiments.md, E176).
_OF_STEPS = 0.2
# Without these no line names another file.
_LINKING = re.compile(r"[\[*_]|\b(?:see|annex|appendix|schedule)\b", re.IGNORECASE)


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
    elsewhere: bool = False  # what the question's own filters leave out would answer it

    @property
    def hashes(self) -> dict[str, str]:
        """The sha256 of the cards' files by path, as they were indexed."""
        searched = (*self.parts, *([self.found] if self.found else []))
        return {path: sha256 for result in searched for path, sha256 in result.hashes.items()}


@dataclass(frozen=True, slots=True)
class Understood:
    """A question as a vault's words make it: how it is searched, or what is said instead."""

    question: str
    corrections: tuple[Correction, ...] = ()
    reading: Reading = PLAIN
    talk: Talk | None = None


def card_reply(
    context: SearchContext,
    typed: str,
    options: AskOptions = PLAIN_ASK,
    *,
    alone: str | None = None,
    far: bool = False,
) -> CardReply:
    """Return the cards for a question, or what is said where nothing is asked of the rules.

    `alone` is the question as it stands without the history, where something better than the rule
    made it whole; `far` also keeps cards that only a model reads. Raises what `search` raises.
    """
    check_question(context, typed)
    options = replace(options, history=tuple(filter(small_talk.asks, options.history)))
    terms, shown = context.terms_under(options.generation_id, options.filters)
    made = understood(context, typed, options, terms, shown, alone=alone)
    if made.talk:
        of_talk: Certainty = "refused" if made.talk.is_refusal else "answered"
        return CardReply(typed, of_talk, None, talk=made.talk)
    if options.history and not alone:
        made, result = _in_conversation(context, typed, options, made, terms, shown)
    else:
        result = _searched(context, made.question, options)
    question, reading = made.question, made.reading
    parts = [_searched(context, part, options) for part in reading.parts if result.hits]
    listed: tuple[Folder, ...] = ()
    if reading.form in {"list", "which"} or _may_list(question):
        listed = collected.listed(context, result.generation, question, reading, shown)
    certainty, confidence = decision.worth(result, parts)
    bare = CardReply(
        question, certainty, confidence, found=result, parts=tuple(parts),
        folders=listed, corrections=made.corrections, reading=reading,
    )  # fmt: skip
    reply = _with_cards(bare, result, far=far)
    is_of_all = overviews.EVERYTHING.match(typed)
    if is_of_all and (every := overviews.cards(typed, result, reply.cards)):
        return replace(reply, cards=every, certainty="answered", confidence=None)
    if own := _referred(context, reply, options, shown):
        reply = _with_cards(replace(bare, parts=(*parts, *own)), result, far=far)
    if reply.cards and options.history:
        first, *others = reply.cards
        marked = follow_up_marks.of_follow_up(first, typed, options.history, shown)
        reply = replace(reply, cards=(marked, *others))
    if not options.filters or reply.certainty == "answered":
        return reply
    rest = _searched(context, question, replace(options, filters=None))
    return replace(reply, elsewhere=bool(rest.hits) and rest.certainty == "answered")


def _may_list(question: str) -> bool:
    """Whether a question may want files, though no list is asked for: "monsters immune to fear"."""
    is_of_files = folders.OPENING.match(question) or by_status.FILES.search(question)
    return bool(is_of_files or DEGREE.search(question))


def understood(
    context: SearchContext,
    typed: str,
    options: AskOptions,
    terms: Terms,
    shown: Terms,
    *,
    alone: str | None = None,
) -> Understood:
    """Return a question as `card_reply` reads it; the words are those that `terms_under` has."""
    is_about = small_talk.kind(typed) == "about" and WORD.search(typed)
    said = None if options.history and is_about else _talk(typed, terms, shown, options.texts)
    if said:
        return Understood(typed, talk=said)
    question = written_out(context, alone or typed, terms)
    corrections: tuple[Correction, ...] = ()
    if context.settings.language == ENGLISH:  # "ausleihen" is no slip of "ausleihe"
        question, corrections = spelling.corrected(question, terms, context.embedder.tokens.is_word)
    reading = intent.read(question, terms)
    return Understood(without_manner(question), corrections, reading)


def _with_cards(reply: CardReply, result: SearchResult, *, far: bool) -> CardReply:
    if not result.hits:  # whatever was decided: nothing is no answer
        reply = replace(reply, certainty="refused", confidence=0.0)
    if reply.folders:  # the confidence is of the first card
        reply = replace(reply, certainty="answered", confidence=None)
    if reply.certainty == "refused" or not result.hits:
        return reply
    if result.premise:  # the line that contradicts the question is to be seen
        result = replace(result, hits=premises.led_by(result.premise, result.hits))
    cards = card_selection.choose(result, reply.parts, reply.reading, far=far)
    by_value = any(card.by_value for card in cards[:1])
    if by_value and all(one.is_likely for one in reply.folders):
        reply = replace(reply, folders=())  # a table says it: "list all the red machines"
    if reply.folders:  # they stand above, and are what is asked for
        cards = tuple(replace(card, folded=True) for card in cards)
    if result.premise:
        return replace(reply, cards=cards, premise=result.premise, certainty="nearest")
    # Search speaks of its first passage, not of a list, nor of rows that the question chose.
    corrected = [card for card in cards if CORRECTING.isdisjoint(card.badges)]
    first = (*cards[:1], *corrected[:1])  # what corrects a list may stand above it
    if any(card.says_all or card.said or card.is_sure for card in first):
        reply = replace(reply, certainty="answered", confidence=None)
    elif reply.reading.steps and any(map(is_numbered, cards[:1])):
        is_sure = says_steps(cards[0], result) and (reply.confidence or 0.0) >= _OF_STEPS
        reply = replace(reply, certainty="answered" if is_sure else "nearest")
    return replace(reply, cards=cards)


def _referred(
    context: SearchContext, reply: CardReply, options: AskOptions, shown: Terms
) -> list[SearchResult]:
    """What the best line only refers to, as it stands in a file of its own."""
    shown_lines = "\n".join(reply.cards[0].lines.values()) if reply.cards else ""
    if not _LINKING.search(shown_lines):
        return []
    asked = QuestionWords.of(reply.question, shown)
    own = referred.places(reply.cards[0], asked, shown, options.filters)
    found = [_searched(context, words, replace(options, filters=one)) for words, one in own]
    return [one for one in found if one.hits]


def _talk(typed: str, terms: Terms, shown: Terms, texts: Texts) -> Talk | None:
    if kind := small_talk.kind(typed):
        return Talk(small_talk.reply(kind, texts, shown), is_refusal=False)
    own = small_talk.language_of(terms)
    if small_talk.foreign_language(typed, own, terms):
        named = small_talk.LANGUAGES.get(own, own)
        return Talk(texts.language.format(language=named), is_refusal=True)
    return None


def _in_conversation(
    context: SearchContext,
    typed: str,
    options: AskOptions,
    made: Understood,
    terms: Terms,
    shown: Terms,
) -> tuple[Understood, SearchResult]:
    """How a question is understood after others, and what is found: `made`, if of its own."""
    plain = replace(options, top_k=None, history=())
    going_on = conversation.going_on(
        context, typed, options.history, terms,
        lambda before: card_reply(context, before, plain).cards,
    )  # fmt: skip
    if going_on is None:
        return made, _searched(context, made.question, options)
    whole = understood(context, typed, options, terms, shown, alone=going_on.question)
    own = tuple(one for one in whole.corrections if one.typed in typed)
    whole = replace(whole, corrections=own)  # what was misspelt before was said before
    together = _searched(context, whole.question, options)
    if going_on.is_sure:
        return whole, together
    alone = _searched(context, made.question, options)
    is_list = made.reading.form == "list"
    if is_list and collected.listed(context, alone.generation, made.question, made.reading, shown):
        return made, alone
    if conversation.is_of_its_own(typed, alone, together):
        return made, alone
    return whole, together


def _searched(context: SearchContext, question: str, options: AskOptions) -> SearchResult:
    return search(
        context,
        question,
        top_k=options.top_k,
        generation_id=options.generation_id,
        filters=options.filters,
    )
