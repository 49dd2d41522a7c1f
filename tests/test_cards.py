"""What an answer shows of the rules: each form in a way that it can be read, and no line twice."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from api.answer import cards, precedence, question, render, selection
from api.answer.card import Card
from retrieval.ranking.lines import Asked
from retrieval.rulebook import Rulebook
from retrieval.search import search
from tests.conftest import index_of, write_vault
from tests.made_vault import FILES

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
]


@pytest.fixture(scope="module")
def rules(
    loaded: Rulebook, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Rulebook]:
    vault = write_vault(tmp_path_factory.mktemp("cards"), FILES)
    with index_of(loaded, server, vault, rag_threshold=-9.0) as rules:
        yield rules


def chosen(rules: Rulebook, asked: str) -> tuple[Card, ...]:
    found = search(rules, asked)
    reading = question.read(asked, found.terms)
    parts = [search(rules, part) for part in reading.parts]
    whole = precedence.with_overriding(found, Asked.of(asked, found.terms))
    return selection.choose(whole, parts, reading)


def written(shown: Sequence[Card]) -> str:
    return render.markdown(shown, precedence.variants([card.path for card in shown]))


def first(rules: Rulebook, asked: str) -> str:
    return render.text(chosen(rules, asked)[0])


def test_a_row_is_shown_under_its_header_with_the_nearest_of_its_table(rules: Rulebook) -> None:
    header, delimiter, *rows, _, more = first(rules, "What is the wage of a helmsman?").split("\n")
    assert (header, delimiter) == ("| Sailor | Wage (gp) | Berth |", "|---|---:|---|")
    assert "| Helmsman | 45 | aft |" in rows
    assert (len(rows), more) == (5, "… 4 more rows")


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("What is the morale of a kraken?", "- **Morale:** 9\n\n… 5 more fields"),
        ("What is the morale of a selkie?", "- **Morale:** 6\n\n… 4 more fields"),
        ("How long does Fog last?", "- **Duration:** 3 turns\n\n… 1 more field"),
    ],
)
def test_a_field_that_is_asked_for_is_shown_alone(rules: Rulebook, asked: str, shown: str) -> None:
    assert first(rules, asked) == shown


def test_a_short_section_is_shown_whole(rules: Rulebook) -> None:
    card = next(c for c in chosen(rules, "When does a mutiny begin?") if "Mutiny" in c.path)
    assert render.text(card) == FILES[card.path].split("\n\n", 1)[1].strip()


def test_of_a_long_section_the_lines_that_answer_are_shown(rules: Rulebook) -> None:
    card = chosen(rules, "What does a surgeon earn?")[0]
    assert "| Surgeon | 80 | aft |" in render.text(card)
    assert "| Cook |" not in render.text(card)


def test_a_list_is_shown_behind_its_lead_in(rules: Rulebook) -> None:
    text = first(rules, "What must a ship carry before it leaves the harbour?")
    assert text.startswith(
        "Before it leaves the harbour, a ship must carry:\n\n- fresh water for ten days\n"
        "- a chest of tools with\n  - a caulking iron\n  - two hammers\n- one spare sail"
    )


def test_namesakes_of_two_folders_are_both_shown_and_told_apart(rules: Rulebook) -> None:
    both = chosen(rules, "How long does Calm last?")[:2]
    assert [card.folded for card in both] == [False, False]
    assert {card.path.split("/")[-1] for card in both} == {"Calm.md"}
    text = written(both)
    assert "Calm** (Sea Priests) (3. Magic/1. Sea Priests/Calm.md:3-4)" in text
    assert "Calm** (Wind Mages) (3. Magic/2. Wind Mages/Calm.md:3-4)" in text
    assert "- Duration: 12 turns" in text
    assert "- Duration: 6 turns per level" in text


def test_of_two_things_that_are_compared_each_has_a_card(rules: Rulebook) -> None:
    shown = chosen(rules, "Does the kraken or the selkie have more hit dice?")
    assert {card.path for card in shown[:2]} == {"2. Beasts/Kraken.md", "2. Beasts/Selkie.md"}
    assert not any(card.folded for card in shown[:2])
    assert "**Hit Dice:** 20" in written(shown)
    assert "**Hit Dice:** 2\n" in written(shown)


def test_an_erratum_stands_directly_above_what_it_corrects(rules: Rulebook) -> None:
    shown = chosen(rules, "When does a mutiny begin?")
    assert [card.path for card in shown[:2]] == ["9. Errata.md", "1. Ships/3. Mutiny.md"]
    assert (shown[0].badges, shown[1].badges) == (("errata",), ())
    assert not any(card.folded for card in shown[:2])
    assert "**[1] Errata** (errata) (9. Errata.md:9)" in written(shown)


@pytest.mark.parametrize("asked", ["What is the harbour toll?", "harbour toll", "old toll"])
def test_a_superseded_file_is_never_first(rules: Rulebook, asked: str) -> None:
    shown = chosen(rules, asked)
    assert shown[0].path == "5. Harbour/Tolls.md"
    assert all("superseded" in card.badges for card in shown if card.path.startswith("8. Old"))


@pytest.mark.parametrize("asked", QUESTIONS)
def test_a_further_card_is_one_line_and_the_first_is_not_folded(
    rules: Rulebook, asked: str
) -> None:
    shown = chosen(rules, asked)
    assert 1 <= len(shown) <= selection.MOST
    assert not shown[0].folded
    for card in shown:
        assert render.text(card)
        assert not (card.folded and "\n" in render.text(card))


def test_a_folded_row_names_its_columns(rules: Rulebook) -> None:
    cook = next(
        card
        for card in chosen(rules, "Which sailor works in the galley?")
        if "| Cook |" in card.best.quote
    )
    folded = replace(cook, folded=True)
    assert render.text(folded) == "Cook: Wage (gp) 25 · Berth galley"
    assert written([folded]) == (
        "**[1] Crew > Wages** (1. Ships/1. Crew.md:11): Cook: Wage (gp) 25 · Berth galley"
    )


@pytest.mark.parametrize("asked", QUESTIONS)
def test_no_line_is_shown_twice_and_each_is_the_file_s_own(rules: Rulebook, asked: str) -> None:
    seen: set[tuple[str, int]] = set()
    for card in chosen(rules, asked):
        lines = FILES[card.path].split("\n")
        assert all(lines[number - 1] == line for number, line in card.lines.items())
        assert card.best.quote in FILES[card.path]
        parts = [part for piece in card.pieces for part in piece.parts]
        spans = card.marked if card.folded else parts
        own = {(card.path, n) for p in spans for n in range(p.first_line, p.last_line + 1)}
        assert own
        assert not own & seen
        seen |= own


@pytest.mark.parametrize(
    ("asked", "heading"),
    [
        ("What does lightning do to the mast?", r"Storms > Lightning \<script>x\</script>"),
        ("May a ship over ten knots run before the storm?", "Storms > Speed > 10 knots"),
    ],
)
def test_markup_of_a_heading_is_text_and_its_arrows_stay(
    rules: Rulebook, asked: str, heading: str
) -> None:
    assert written(chosen(rules, asked)).startswith(f"**[1] {heading}** (4. Sailing/Storms.md:")


def test_without_leaves_what_is_new(rules: Rulebook) -> None:
    card = chosen(rules, "List all sailors")[0]
    left = cards.without(card, set(range(9, 17)))
    assert [left.lines[number] for number in sorted(left.lines)] == [
        "| Sailor | Wage (gp) | Berth |",
        "|---|---:|---|",
        "| Surgeon | 80 | aft |",
    ]
    assert cards.without(card, card.lines.keys()).pieces == ()
