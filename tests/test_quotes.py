"""Answers without a language model: whole lines of the file, the best first."""

from collections.abc import Iterator

import pytest

from api.answer import quotes
from retrieval.models import Chunk, Entry, Evidence, Hit, SourceNote
from retrieval.rulebook import Rulebook
from retrieval.search import search
from tests.conftest import index_of, write_vault

SPELLS = {
    "Magic/Magic-User/Light.md": "# Light\n\n- Range: 120’\n- Duration: 6 turns +1 per level\n",
    "Magic/Cleric/Light.md": "# Light\n\n- Range: 120’\n- Duration: 12 turns\n",
    "Magic/Cleric/Bless.md": "# Bless\n\n- Range: 60’\n- Duration: 6 turns\n",
    "Combat/Weapons.md": (
        "# Weapons\n\nMelee weapons:\n\n| Weapon | Cost (gp) | Damage |\n|---|---:|---|\n"
        "| Battle axe | 7 | 1d8 |\n| Dagger | 3 | 1d4 |\n| Lance | 5 | 1d6 |\n"
    ),
    "Combat/Morale.md": (
        "# Morale\n\nA monster checks morale when the first of its side dies. "
        "However, undead never check morale.\n\nNothing else is known of it.\n"
    ),
}

WEAPONS = [line for line in SPELLS["Combat/Weapons.md"].splitlines() if "1d" in line]


@pytest.fixture(scope="module")
def rules(
    loaded: Rulebook, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Rulebook]:
    vault = write_vault(tmp_path_factory.mktemp("quotes"), SPELLS)
    with index_of(loaded, server, vault, rag_threshold=-9.0) as rules:
        yield rules


def answer(rules: Rulebook, question: str) -> tuple[list[quotes.Quote], str]:
    found = search(rules, question)
    chosen = quotes.choose(found.hits)
    return chosen, quotes.text(chosen, found.hits)


def test_a_row_is_quoted_with_its_header_and_alone(rules: Rulebook) -> None:
    chosen, text = answer(rules, "How much damage does a lance do?")
    assert chosen[0].entry.quote == "| Lance | 5 | 1d6 |"
    assert (chosen[0].entry.kind, chosen[0].entry.first_line) == ("row", 9)
    assert "| Weapon | Cost (gp) | Damage |\n|---|---:|---|\n| Lance | 5 | 1d6 |" in text
    assert "Dagger" not in text


def test_both_namesakes_are_quoted(rules: Rulebook) -> None:
    _, text = answer(rules, "How long does a Light spell last?")
    assert "Duration: 12 turns" in text
    assert "Duration: 6 turns +1 per level" in text
    assert "**[1] Light** (Magic-User)" in text or "**[1] Light** (Cleric)" in text
    assert "(Magic-User)" in text
    assert "(Cleric)" in text


def test_a_sentence_is_quoted_with_the_one_that_limits_it(rules: Rulebook) -> None:
    chosen, _ = answer(rules, "When does a monster check morale?")
    assert chosen[0].entry.quote.startswith("A monster checks morale")
    assert "However, undead never check morale." in chosen[0].entry.quote


def test_of_the_best_passage_what_is_nearly_as_near_is_quoted_too(rules: Rulebook) -> None:
    chosen, text = answer(rules, "Which weapons are there?")
    assert [quote.entry.quote for quote in chosen if quote.passage == chosen[0].passage][1:] == [
        line for line in WEAPONS if line != chosen[0].entry.quote
    ]
    assert text.count("Weapons**") == 1  # one heading, and then the further places alone
    assert "**[2]** (Combat/Weapons.md:" in text


def test_no_line_is_quoted_twice_and_every_quote_is_of_its_file(rules: Rulebook) -> None:
    for question in ("What is the range?", "turns", "Which weapons are there?"):
        chosen, text = answer(rules, question)
        assert len({(one.passage, one.entry.first_line) for one in chosen}) == len(chosen) > 0
        assert len({quote.passage for quote in chosen}) <= 4
        for number, quote in enumerate(chosen, start=1):
            assert any(quote.entry.quote in source for source in SPELLS.values())
            assert f"[{number}]" in text


def test_no_passage_is_no_quote() -> None:
    assert quotes.choose([]) == []
    assert quotes.text([], []) == ""


BASE, ERRATA = "Arms/Weapons.md", "Errata.md"
NOTES = {ERRATA: SourceNote(ERRATA, "errata", "2nd", (BASE,))}
CROSSBOW = "How much damage does a crossbow do?"


def row(path: str, heading: str, quote: str, words: str, score: float) -> Hit:
    """A passage of one table row; `score` is the passage's and the row's."""
    entry = Entry("row", heading, 5, 5, quote, "| A | B |\n|---|---|", f"{heading}: ", words)
    return Hit(Chunk(path, heading, 5, 5, quote), score, (Evidence(entry, score),))


def crossbow(
    correction: float, words: str = "crossbow 1d6 damage; crossbow 1d8 damage"
) -> list[Hit]:
    """The printed row, and the row of an erratum with this score."""
    printed = row(BASE, "Weapons", "| Crossbow | 1d6 |", "Crossbow: Damage 1d6", 1.0)
    return [printed, row(ERRATA, "Errata", "| Weapons | 1d8 |", words, correction)]


def test_an_erratum_is_quoted_before_what_it_corrects() -> None:
    hits = crossbow(0.9)
    chosen = quotes.choose(hits, CROSSBOW, NOTES)
    assert [quote.passage for quote in chosen] == [2, 1]
    text = quotes.text(chosen, hits, CROSSBOW, NOTES)
    assert text.startswith("**Conflict:** [1] (errata, edition 2nd) stands above [2].")
    assert "**[1] Errata** (errata, edition 2nd) (Errata.md:5)" in text
    assert "**[2] Weapons** (Arms/Weapons.md:5)" in text


def test_an_erratum_is_quoted_however_far_behind_it_is() -> None:
    far = crossbow(0.1)
    assert [quote.passage for quote in quotes.choose(far)] == [1]
    assert [quote.passage for quote in quotes.choose(far, CROSSBOW, NOTES)] == [2, 1]


def test_an_erratum_to_something_else_is_no_conflict() -> None:
    hits = crossbow(0.9, "lance 1d6 damage; lance 1d8 damage")
    chosen = quotes.choose(hits, CROSSBOW, NOTES)
    assert [quote.passage for quote in chosen] == [1, 2]
    assert "Conflict" not in quotes.text(chosen, hits, CROSSBOW, NOTES)


def test_an_optional_rule_stays_behind_and_says_that_it_is_one() -> None:
    hits = crossbow(0.9)
    notes = {ERRATA: SourceNote(ERRATA, "optional", "", (BASE,))}
    chosen = quotes.choose(hits, CROSSBOW, notes)
    assert [quote.passage for quote in chosen] == [1, 2]
    text = quotes.text(chosen, hits, CROSSBOW, notes)
    assert "**Conflict:** [2] (optional) replaces [1] only where it is used." in text
