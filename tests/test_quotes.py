"""Answers without a language model: whole lines of the file, the best first."""

from collections.abc import Iterator

import pytest

from api import quotes
from ingest import pipeline
from retrieval.rulebook import Rulebook, open_rulebook
from retrieval.search import search
from retrieval.settings import Settings
from tests.conftest import new_database, write_vault

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


@pytest.fixture(scope="module")
def rules(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rulebook]:
    vault = write_vault(tmp_path_factory.mktemp("quotes"), SPELLS)
    with new_database(server) as url:
        values = {"database_url": url, "vault": vault, "rag_threshold": -9.0}
        with open_rulebook(Settings.model_validate(values)) as rules:
            pipeline.run(rules, vault)
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


def test_a_sentence_is_quoted_with_the_one_that_limits_it(rules: Rulebook) -> None:
    chosen, _ = answer(rules, "When does a monster check morale?")
    assert chosen[0].entry.quote.startswith("A monster checks morale")
    assert "However, undead never check morale." in chosen[0].entry.quote


def test_a_passage_is_quoted_once_and_every_quote_is_of_its_file(rules: Rulebook) -> None:
    for question in ("What is the range?", "turns", "Which weapons are there?"):
        chosen, text = answer(rules, question)
        assert len({quote.passage for quote in chosen}) == len(chosen) > 0
        for number, quote in enumerate(chosen, start=1):
            assert any(quote.entry.quote in source for source in SPELLS.values())
            assert f"[{number}]" in text


def test_no_passage_is_no_quote() -> None:
    assert quotes.choose([]) == []
    assert quotes.text([], []) == ""
