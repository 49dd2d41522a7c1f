"""What is shown of a table and of a list's lead-in is shown once."""

from collections.abc import Iterator

import pytest

from retrieval.rulebook import Rulebook
from tests.conftest import index_of, write_vault
from tests.made_cards import VAULT, chosen, first


@pytest.fixture(scope="module")
def rules(
    loaded: Rulebook, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Rulebook]:
    vault = write_vault(tmp_path_factory.mktemp("tables"), VAULT)
    with index_of(loaded, server, vault, rag_threshold=-9.0) as rules:
        yield rules


def test_a_lead_in_that_ends_the_paragraph_above_is_said_once(rules: Rulebook) -> None:
    shown = first(rules, "What does a stowaway who is found at sea owe the master?")
    assert shown.count("A stowaway who is found at sea owes the master of the ship:") == 1


def test_further_cards_show_no_more_rows_of_a_table_that_is_shown(rules: Rulebook) -> None:
    shown = chosen(rules, "What is the wage of a helmsman?")
    of_table = [card for card in shown if card.best.kind == "row" and "Crew" in card.path]
    assert len(of_table) == 1
