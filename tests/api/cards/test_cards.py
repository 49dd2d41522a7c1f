"""What an answer shows of the rules: each form in a way that it can be read, and no line twice."""

from dataclasses import replace

import pytest

from api.answer.cards import card_selection, from_passage, render
from api.answer.cards.card import Size
from api.checks import citations
from retrieval.context import SearchContext
from retrieval.models import Entry
from retrieval.ranking.lines import QuestionWords
from retrieval.search import search
from tests.support.index.ingested import IndexFiles
from tests.support.made.made_cards import VAULT, chosen, first, written

QUESTIONS = [
    "What is the wage of a helmsman?",
    "What is the morale of a kraken?",
    "When does a mutiny begin?",
    "What must a ship carry before it leaves the harbour?",
    "How long does Calm last?",
    "What is the harbour toll?",
    "Which sailors sleep aft?",
    "Does the kraken or the selkie have more hit dice?",
    "kraken",
    "List all sailors",
    "What happens to a crew that is not paid?",
    "What does a stowaway who is found at sea owe the master?",
    "What does lightning or a storm cost a ship?",
]


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("What is the morale of a kraken?", "- **Morale:** 9\n\n… 5 more fields"),
        ("What is the morale of a selkie?", "- **Morale:** 6\n\n… 4 more fields"),
        ("How many hp has a selkie?", "- **Hit Dice:** 2 (9hp)\n\n… 4 more fields"),
        ("How long does Fog last?", "- **Duration:** 3 turns\n\n… 1 more field"),
    ],
)
def test_a_field_that_is_asked_for_is_shown_alone(
    context: SearchContext, asked: str, shown: str
) -> None:
    assert first(context, asked) == shown


@pytest.mark.parametrize(
    ("asked", "marked"),
    [("What are the range and duration of Fog?", 2), ("How long does Fog last?", 1)],
)
def test_each_field_that_is_asked_for_is_marked_and_no_other(
    context: SearchContext, asked: str, marked: int
) -> None:
    card = chosen(context, asked)[0]
    assert card.path.endswith("Fog.md")
    assert [part.first_line for part in card.marked] == [3, 4][-marked:]


def test_a_short_section_is_shown_whole(context: SearchContext) -> None:
    card = next(c for c in chosen(context, "When does a mutiny begin?") if "Mutiny" in c.path)
    assert render.text(card) == VAULT[card.path].split("\n\n", 1)[1].strip()


def test_a_list_is_shown_behind_its_lead_in(context: SearchContext) -> None:
    text = first(context, "What must a ship carry before it leaves the harbour?")
    assert text.startswith(
        "Before it leaves the harbour, a ship must carry:\n\n- fresh water for ten days\n"
        "- a chest of tools with\n  - a caulking iron\n  - two hammers\n- one spare sail"
    )


def test_namesakes_of_two_folders_are_both_shown_and_told_apart(context: SearchContext) -> None:
    both = chosen(context, "How long does Calm last?")[:2]
    assert [card.folded for card in both] == [False, False]
    assert {card.path.split("/")[-1] for card in both} == {"Calm.md"}
    text = written(both)
    assert "Calm** (Sea Priests) (3. Magic/1. Sea Priests/Calm.md:3-4)" in text
    assert "Calm** (Wind Mages) (3. Magic/2. Wind Mages/Calm.md:3-4)" in text
    assert "- Duration: 12 turns" in text
    assert "- Duration: 6 turns per level" in text


def test_of_two_things_that_are_compared_each_has_a_card(context: SearchContext) -> None:
    shown = chosen(context, "Does the kraken or the selkie have more hit dice?")
    assert {card.path for card in shown[:2]} == {"2. Beasts/Kraken.md", "2. Beasts/Selkie.md"}
    assert not any(card.folded for card in shown[:2])
    assert "**Hit Dice:** 20" in written(shown)
    assert "**Hit Dice:** 2 (9hp)\n" in written(shown)


def test_an_erratum_stands_directly_above_what_it_corrects(context: SearchContext) -> None:
    shown = chosen(context, "When does a mutiny begin?")
    assert [card.path for card in shown[:2]] == ["9. Errata.md", "1. Ships/3. Mutiny.md"]
    assert (shown[0].badges, shown[1].badges) == (("errata",), ("corrected-above",))
    assert not any(card.folded for card in shown[:2])
    assert "**[1] Errata** (errata) (9. Errata.md:9)" in written(shown)


def test_below_a_section_that_is_asked_for_by_its_name_its_erratum_stands(
    context: SearchContext,
) -> None:
    shown = chosen(context, "mutiny")
    assert [card.path for card in shown[:2]] == ["1. Ships/3. Mutiny.md", "9. Errata.md"]
    assert not any(card.folded for card in shown[:2])


@pytest.mark.parametrize("asked", ["What is the harbour toll?", "harbour toll", "old toll"])
def test_a_superseded_file_is_never_first(context: SearchContext, asked: str) -> None:
    shown = chosen(context, asked)
    assert shown[0].path == "5. Harbour/Tolls.md"
    assert all("superseded" in card.badges for card in shown if card.path.startswith("8. Old"))


@pytest.mark.parametrize("asked", QUESTIONS)
def test_a_further_card_is_one_line_and_the_first_is_not_folded(
    context: SearchContext, asked: str
) -> None:
    shown = chosen(context, asked)
    assert 1 <= len(shown) <= card_selection.MOST
    assert not shown[0].folded
    for card in shown:
        assert render.text(card)
        assert not (card.folded and "\n" in render.text(card))


def test_a_folded_card_shows_its_two_best_entries_in_the_order_of_the_file(
    context: SearchContext,
) -> None:
    card = chosen(context, "List all sailors")[0]
    surgeon, cook = (
        next(one for one in rows(context) if one.quote.startswith(f"| {name} "))
        for name in ("Surgeon", "Cook")
    )
    folded = replace(card, folded=True, best=surgeon, next_best=cook)
    assert render.text(folded) == (
        "Cook · Wage (gp): 25 · Berth: galley … Surgeon · Wage (gp): 80 · Berth: aft"
    )
    assert folded.source == f"{cook.quote}\n{surgeon.quote}"
    assert (folded.first_line, folded.last_line) == (cook.first_line, surgeon.last_line)
    cited = citations.of_cards([folded])
    assert [(one.first_line, one.quote) for one in cited] == [
        (cook.first_line, cook.quote),
        (surgeon.first_line, surgeon.quote),
    ]


def rows(context: SearchContext) -> tuple[Entry, ...]:
    found = search(context, "List all sailors")
    return found.files["1. Ships/1. Crew.md"].entries


def test_a_section_within_the_card_s_own_is_shown_under_its_heading(context: SearchContext) -> None:
    card = chosen(context, "What does lightning or a storm cost a ship?")[0]
    assert (card.heading, sorted(card.lines)) == ("Storms", [3, 5, 7, 9, 11])
    assert render.text(card).split("\n\n")[:3] == [
        "A storm costs a ship 1d6 hull points in each watch.",
        "**Lightning *x***",
        "Lightning that strikes the mast burns one sail.",
    ]


def test_another_section_of_the_passage_is_a_card_of_its_own(context: SearchContext) -> None:
    asked = "Does lightning burn a sail of a ship over ten knots before the storm?"
    found = search(context, asked)
    hit = next(one for one in found.hits if one.chunk.path == "4. Sailing/Storms.md")
    file, question_asked = found.files[hit.chunk.path], QuestionWords.of(asked, found.terms)
    own = from_passage.card(hit, file, question_asked)
    others = from_passage.of_other_sections(hit, file, question_asked)
    assert (own.heading, list(own.lines)) == ("Storms > Speed > 10 knots", [11])
    assert [(one.heading, list(one.lines), one.folded) for one in others] == [
        ("Storms > Lightning <marquee>x</marquee>", [7], True)
    ]
    assert (
        from_passage.of_other_sections(hit, file, QuestionWords.of("ten knots", found.terms)) == []
    )


def test_of_a_name_the_section_called_so_is_shown_from_its_beginning(
    context: SearchContext,
) -> None:
    card = chosen(context, "wages")[0]
    assert card.heading == "Crew > Wages"
    rows = [line for line in card.lines.values() if "| " in line][1:]
    assert (rows[0], len(rows)) == ("| Boatswain | 40 | aft |", 9)  # its whole table


def test_a_sentence_that_introduces_a_list_is_followed_by_it(context: SearchContext) -> None:
    assert first(context, "What does a stowaway who is found at sea owe the master?").endswith(
        "A stowaway who is found at sea owes the master of the ship:\n\n"
        "- the fare of the whole voyage\n- work at the pumps"
    )


def test_what_is_left_out_of_a_long_section_is_marked_and_counted(context: SearchContext) -> None:
    asked = "Which judge may send him to the galleys for a season?"
    found = search(context, asked)
    file = found.files["6. Law/Stowaways.md"]
    hit = next(one for one in found.hits if one.chunk.path == file.path)
    one = Size(section=10, entries=1, words=10)
    card = from_passage.card(hit, file, QuestionWords.of(asked, found.terms), size=one)
    assert (render.text(card)[-3:], card.left_out) == ("\n\n…", 2)


def test_a_card_that_is_far_from_the_question_is_left_out(context: SearchContext) -> None:
    shown = chosen(context, "What is the morale of a kraken?")
    assert [card.path for card in shown if not card.folded] == ["2. Beasts/Kraken.md"]
    limit = shown[0].score - card_selection._FAR, shown[0].nearness - card_selection._FAR_LINE
    assert all(card.score >= limit[0] or card.nearness >= limit[1] for card in shown)
    found = search(context, "What is the morale of a kraken?")
    assert len(shown) < len(found.hits)


@pytest.mark.parametrize("asked", QUESTIONS)
def test_no_line_is_shown_twice_and_each_is_the_file_s_own(
    context: SearchContext, asked: str
) -> None:
    seen: set[tuple[str, int]] = set()
    for card in chosen(context, asked):
        lines = VAULT[card.path].split("\n")
        assert all(lines[number - 1] == line for number, line in card.lines.items())
        assert card.best.quote in VAULT[card.path]
        parts = [part for piece in card.pieces for part in piece.parts]
        spans = card.entries if card.folded else parts
        own = {(card.path, n) for p in spans for n in range(p.first_line, p.last_line + 1)}
        assert own
        assert not own & seen
        seen |= own


@pytest.mark.parametrize(
    ("asked", "heading"),
    [
        ("What does lightning do to the mast?", r"Storms > Lightning \<marquee>x\</marquee>"),
        ("May a ship over ten knots run before the storm?", "Storms > Speed > 10 knots"),
    ],
)
def test_markup_of_a_heading_is_text_and_its_arrows_stay(
    context: SearchContext, asked: str, heading: str
) -> None:
    assert written(chosen(context, asked)).startswith(f"**[1] {heading}** (4. Sailing/Storms.md:")


def test_without_leaves_what_is_new(context: SearchContext) -> None:
    card = chosen(context, "List all sailors")[0]
    left = from_passage.without(card, set(range(9, 17)))
    assert [left.lines[number] for number in sorted(left.lines)] == [
        "| Sailor | Wage (gp) | Berth |",
        "|---|---:|---|",
        "| Surgeon | 80 | aft |",
    ]
    assert from_passage.without(card, card.lines.keys()).pieces == ()
