"""Which section a card shows: its best entry's, or the one that is asked for by its name."""

from dataclasses import replace

import pytest

from api.answer.cards import card_selection, from_passage
from api.answer.cards.card import Card
from api.answer.question.intent import Reading
from retrieval.models import Chunk, Evidence, Hit, SearchResult
from retrieval.ranking.lines import QuestionWords
from retrieval.search_trace import Timings
from tests.support.index.indexed_text import indexed_file, terms_of

WATER = "# Fire\n\n* Torches\n  * burn for an hour\n\n# Water\n\n* Torches\n  * go out at once\n"


def test_an_item_is_introduced_by_its_own_section() -> None:
    file = indexed_file(WATER)
    best = next(one for one in file.entries if "go out" in one.quote)
    chunk = Chunk(file.path, best.heading, 1, 9, WATER)
    asked = QuestionWords.of("What goes out at once?", terms_of({file.path: WATER}))
    card = from_passage.card(Hit(chunk, 1.0, (Evidence(best, 1.0),)), file, asked)
    assert {one.first_line for one in card.entries} <= {8, 9}
    assert "Water" in card.heading


def test_an_item_whose_introduction_is_no_entry_is_shown_alone() -> None:
    source = "# S\n\nWhen a ship leaves, the crew must:\n\n- raise the anchor\n- sing\n"
    file = indexed_file(source)
    best = next(one for one in file.entries if "anchor" in one.quote)
    chunk = Chunk(file.path, best.heading, 1, 6, source)
    asked = QuestionWords.of("What must be raised?", terms_of({file.path: source}))
    card = from_passage.card(Hit(chunk, 1.0, (Evidence(best, 1.0),)), file, asked)
    assert card.entries == (best,)


LONG = "A word of it is said here once more and then again, so that it takes a line. " * 4
VOW = f"""# Vow

{LONG}

The vow ends when a monk

1. eats meat;
2. marries; or
3. dies.

{LONG}

A monk who breaks it

- Fast: he eats nothing but bread and drinks nothing but water until the next feast of the order.
- Silence: he speaks with nobody but the abbot, who may ask what he likes and is told the truth.
- Walk: he goes barefoot to the mother house and back, however far it is, and in all weather.
- Gift: he gives what he owns to the poor of the parish, but for a bowl and a spoon.
"""


@pytest.mark.parametrize(
    ("asked", "nearest", "lines"),
    [
        ("What ends the vow?", ("The vow ends", "2. marries"), {5, 7, 8, 9}),  # a sentence
        ("Who breaks it?", ("- Fast", "- Silence", "- Walk"), {13, 15, 16, 17, 18}),  # all but one
    ],
)
def test_a_list_of_which_one_item_is_left_and_one_that_is_a_sentence_are_whole(
    asked: str, nearest: tuple[str, ...], lines: set[int]
) -> None:
    file = indexed_file(VOW)
    evidence = sorted(
        (Evidence(one, 0.9 if one.quote.startswith(nearest) else 0.2) for one in file.entries),
        key=lambda one: -one.score,
    )
    chunk = Chunk(file.path, file.entries[0].heading, 1, 18, VOW)
    words = QuestionWords.of(asked, terms_of({file.path: VOW}))
    shown = from_passage.card(Hit(chunk, 1.0, tuple(evidence)), file, words).lines
    assert lines <= set(shown), shown


HARBOUR = """# Harbour dues

## Mooring

A ship at the quay pays 2 gp a day.

Overdue mooring pay doubles each week.

## Pilots

| Pilot | Fee (gp) |
|---|---|
| Old | 9 |
| Young | 4 |
| Blind | 1 |
| Drunk | 2 |
| Royal | 90 |
| Foreign | 12 |
"""


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ("mooring pay", {5, 7}),  # its name is asked for, and it says the rest
        ("harbour dues", {5, 7}),  # the file is called so: its beginning
        ("pilots", set(range(11, 19))),  # a section's table of up to twelve rows, whole
    ],
)
def test_a_name_shows_its_section_and_not_its_last_line(asked: str, lines: set[int]) -> None:
    nearest = "Overdue" if asked == "mooring pay" else "| Blind"
    assert set(keyword(asked, [(HARBOUR, nearest)]).lines) == lines


CANDLE = """# Candle

**Duration:** 2 hours
**Range:** 10 feet

A candle burns down and is gone.

The smoke stings in the eyes, and the duration of it is short.
"""


@pytest.mark.parametrize(
    ("asked", "best"),
    [
        ("candle smoke", "The smoke"),
        ("candle duration", "**Duration"),  # its field, not the sentence that says the word
        ("candle", "**Duration"),  # nothing else is asked: from its beginning
    ],
)
def test_of_a_name_and_something_else_the_line_that_says_it_is_best(asked: str, best: str) -> None:
    assert keyword(asked, [(CANDLE, "A candle")]).best.quote.startswith(best)


def keyword(asked: str, passages: list[tuple[str, str]]) -> Card:
    """The first card of some words, of passages whose best entry begins as given."""
    files = [indexed_file(text, f"{number}.md") for number, (text, _) in enumerate(passages)]
    hits: list[Hit] = []
    for file, (text, nearest) in zip(files, passages, strict=True):
        evidence = [
            Evidence(one, 1.0 if one.quote.startswith(nearest) else 0.1) for one in file.entries
        ]
        best = max(evidence, key=lambda one: one.score).entry
        evidence.sort(key=lambda one: -one.score)
        chunk = Chunk(file.path, best.heading, 1, len(text.split("\n")), text)
        hits.append(Hit(chunk, 1.0 - 0.01 * len(hits), tuple(evidence)))
    nothing = SearchResult("", (), (), "off", "off", 0.0, "1.1", Timings(0.0, 0.0, 0.0))
    terms = terms_of({file.path: text for file, (text, _) in zip(files, passages, strict=True)})
    found = replace(
        nothing, question=asked, hits=tuple(hits), terms=terms,
        files={file.path: file for file in files},
    )  # fmt: skip
    return card_selection.choose(found, (), Reading("keyword"))[0]
