"""Put the lists that a question may ask for among the cards that search found for it."""

import re
from dataclasses import replace

from api.answer.cards.card import STEP, Card
from api.answer.cards.lists import listing, section_records
from api.answer.cards.lists.list_marks import is_of_first, unclaimed
from api.answer.cards.lists.list_names import (
    is_headed,
    is_of_one_item,
    is_whole,
    says_all,
    words_of_name,
)
from api.answer.question import conditions
from api.answer.question.intent import Reading, asks_for_some
from api.answer.question.limits import amount
from api.answer.question.modality import modality
from api.answer.question.plain_words import PLAIN
from api.answer.question.superlatives import superlatives
from retrieval.models import SearchResult
from retrieval.ranking.lines import QuestionWords
from retrieval.text.normalize import searchable
from retrieval.text.question_phrases import without_command
from retrieval.vocabulary.terms import key, title

# "What topics do the bath rules cover": the headings of the file that is named besides.
_TOPICS = re.compile(
    r"\W*(?:what|which|list(?: all)?(?: the)?) "
    r"(?P<noun>topics|sections|chapters|headings|subjects) "
    r"(?:do|does|are (?:there )?in|of|in)\b(?!.*\b(?:needs?|require|may|must|can|should)\b)",
    re.IGNORECASE,
)
_COVERS = re.compile(r"\b(?:covers?|contains?|have|has|treats?)\b", re.IGNORECASE)
_EVERY = re.compile(r"\bevery \d", re.IGNORECASE)
_NAMED = 0.3  # of a question: what a list has to be called that goes first though it is not all
_ROWS_OF_ALL = 3  # parts: where all is asked for, fewer are no answer
# What is asked of the things of a list, which may stand in a sentence: "what do red boats need".
_OF_EACH = re.compile(r"\b(?:needs?|requires?|costs?|weighs?)\b", re.IGNORECASE)
_MOSTLY = 0.5  # of a question: what stands above a list that is asked for as a whole


def with_lists(found: list[Card], whole: SearchResult, reading: Reading) -> list[Card]:
    """Return the cards with the lists that may be asked for: first where one is, else the likeliest
    second, or none.

    Of several things named in a few words only a list that is called so may be.
    """
    question = conditions.plain(whole.question)
    if not _EVERY.search(question):  # "at least every 6 weeks" is no lower limit
        question = without_command(question)
    topics = _TOPICS.match(whole.question)
    name = key(topics["noun"]) if topics else ()
    if topics and name not in whole.terms.fields and name not in whole.terms.names:
        question = _COVERS.sub(" ", question.replace(topics["noun"], " "))
    else:
        topics = None
    asked = QuestionWords.of(question, whole.terms)
    compared = bool(superlatives(whole.question))
    some = (
        compared
        or asks_for_some(whole.question)
        or any(map(str.isdigit, searchable(whole.question)))
        or amount(whole.question) is not None
    )
    forbidden = modality(whole.question) == "must not"
    by_words = some or bool(reading.several) or forbidden
    listed = listing.cards(
        whole, asked, by_words=by_words, headings=bool(topics), steps=reading.steps
    )
    if not any(one.said for one in listed) and (of_sections := section_records.card(whole, asked)):
        listed = [of_sections]
    if topics and listed:
        return [replace(listed[0], says_all=True), *found]
    if forbidden:  # a table, a list of all, or one of headings, forbids nothing
        is_text = ((one, one.form != "table" and not _is_all(one, reading)) for one in listed)
        listed = [one for one, may_forbid in is_text if one.said or may_forbid]
    if reading.form != "list":
        listed = [one for one in listed if one.said or not is_of_one_item(one, whole, asked)]
    if compared:  # of all of a list nobody asked, nor of rows by other words
        listed = []
    if reading.several:
        nouns = [asked.stems(one.split()[-1]) for one in reading.several]
        called = (
            any(n <= words_of_name(one, whole, asked) | PLAIN for n in nouns) for one in listed
        )
        listed = [one for one, is_so in zip(listed, called, strict=True) if is_so or one.by_signs]
    listed = [replace(one, says_all=says_all(one, whole, asked)) for one in listed]
    if not any(one.said for one in listed):
        # One that is called nothing of what is asked goes last: prices, for "list all traps".
        listed.sort(key=lambda one: not asked.share(words_of_name(one, whole, asked)))
    is_all = reading.form == "list"
    least = _ROWS_OF_ALL if is_all else 1
    placed = [
        one if not one.counted or one.said or is_whole(one, whole, asked)
        else unclaimed(one, whole, asked, least=least, is_all=is_all)
        for one in _placed(found, listed, reading, whole, asked)
    ]  # fmt: skip
    if not placed:
        return placed
    first, *others = placed
    if reading.steps and says_steps(first, whole):  # all of them are asked for
        first = replace(first, marked=listed[0].marked)
    is_overridden = any(note.overrides(first.path) for note in whole.notes.values())
    if not first.says_all or is_overridden or _OF_EACH.search(whole.question):
        return [first, *others]
    return [first, *(replace(one, folded=one.folded or one.counted is None) for one in others)]


def says_steps(card: Card, whole: SearchResult) -> bool:
    """Tell whether numbered steps are those that a question asks for.

    They stand in the section of what search found nearest, or say most of the question themselves:
    "how do I appeal" is not told by the steps of joining.
    """
    if not is_numbered(card):
        return False
    if is_of_first(card, whole):
        return True
    asked = QuestionWords.of(without_command(whole.question), whole.terms)
    own = f"{card.heading.rsplit(' > ', 1)[-1]} {' '.join(card.lines.values())}"
    return asked.share(asked.stems(own)) >= _MOSTLY


def _placed(
    found: list[Card],
    listed: list[Card],
    reading: Reading,
    whole: SearchResult,
    asked: QuestionWords,
) -> list[Card]:
    """The cards with the lists where they belong."""
    if not found:
        return listed
    if listed and listed[0].by_value:
        return [*listed, *found]
    begins_so = bool(listed) and is_headed(listed[0], asked)
    # "The languages that elves know" are a field that says all.
    if not begins_so and _is_field_of_its_thing(found[0], asked):
        return found
    # So does a sentence: "which cities are tier 1".
    if asked.asks_for_list(found[0].best) and not begins_so:
        return [found[0], *listed[:1], *found[1:]]
    if begins_so and reading.form == "list":
        return [*listed, *found]
    # "Which weapons can a dwarf use?" may want one line: that is first unless the list has it.
    if listed and _is_meant(listed[0], found[0], reading, whole, asked):
        return [*listed, *found]
    further = [] if found[0].form == "fields" or reading.form == "open" else listed[:1]
    return [found[0], *(replace(one, folded=True) for one in further), *found[1:]]


def _is_all(listed: Card, reading: Reading) -> bool:
    """Whether a list is shown as it is where one alone could be meant, or has headings alone."""
    return reading.form == "open" or all(line.startswith("#") for line in listed.lines.values())


def _is_meant(
    listed: Card, first: Card, reading: Reading, whole: SearchResult, asked: QuestionWords
) -> bool:
    """Whether a list that may be asked for is better than the card of the best passage."""
    of_others = asked.stems(title(listed.path)) - words_of_name(listed, whole, asked)
    if not listed.said and not asked.words.isdisjoint(of_others):
        return False
    if reading.form == "list":
        is_near = asked.share(words_of_name(listed, whole, asked)) >= _NAMED
        is_same = (listed.path, listed.heading) == (first.path, first.heading)
        is_steps = reading.steps and is_numbered(listed)
        return bool(listed.said) or is_steps or is_near or is_same or _is_more_of(listed, first)
    called = asked.stems(listed.heading.rsplit(" > ", 1)[-1])
    if listed.said or listed.says_all or any(asked.stems(one) <= called for one in reading.several):
        return True
    return reading.form == "which" and (_is_more_of(listed, first) or _is_below(listed, first))


def is_numbered(card: Card) -> bool:
    """Tell whether a card is a list whose first item has a number: what is done step by step."""
    listed = card.listed.numbers if card.listed else ()
    parts = [part for piece in card.pieces for part in piece.parts if part.first_line in listed]
    return bool(parts) and STEP.match(card.lines.get(parts[0].first_line, "")) is not None


def _is_below(listed: Card, first: Card) -> bool:
    """Whether the first card's line is the prose above a list, in its section."""
    is_same = (listed.path, listed.heading) == (first.path, first.heading)
    is_prose = first.best.kind not in {"row", "item"} and first.form != "fields"
    return is_same and is_prose and bool(listed.listed) and first.best.last_line < listed.first_line


def _is_more_of(listed: Card, first: Card) -> bool:
    """Whether a list holds a line that answers in the first card: that shows a part of it."""
    if listed.path != first.path or not listed.listed:
        return False
    marked = {number for part in first.marked for number in part.numbers}
    answering = marked or set(range(first.best.first_line, first.best.last_line + 1))
    return not answering.isdisjoint(listed.listed.numbers)


def _is_field_of_its_thing(card: Card, asked: QuestionWords) -> bool:
    """Whether a card is a field that the question names, of the thing that it names."""
    name = asked.stems(card.best.quote.strip("|-*+ ").split(":")[0].split("|")[0])
    thing = asked.stems(card.heading.rsplit(" > ", 1)[-1])
    return card.form == "fields" and bool(name and thing) and name | thing <= asked.words
