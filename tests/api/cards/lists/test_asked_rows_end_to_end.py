"""Rows of tables as people ask for them: by a unit, a range, a column's number, a name, both."""

from dataclasses import replace

import pytest

from api.answer.card_reply import card_reply
from api.answer.cards import render
from retrieval.context import SearchContext
from retrieval.models import Certainty, SearchResult
from retrieval.refusal.decision import worth
from retrieval.search import search
from tests.support.index.ingested import IndexFiles

VAULT = {
    "Tram.md": (
        "# Tram\n\n## Tickets\n\n| Ticket | 1 zone | 2 zones | 3 zones | Valid |\n"
        "|---|---|---|---|---|\n| Short hop | 1.60 | - | - | 4 stops |\n"
        "| Day ticket | 7.00 | 9.50 | 12.50 | until 3 a.m. |\n"
        "| Group day (up to 5) | 13.00 | 17.50 | 23.00 | until 3 a.m. |\n\n"
        "## Delay refunds\n\n| Delay | Refund |\n|---|---|\n| under 20 min | none |\n"
        "| 20–39 min | half a single |\n| 40 min and more | a full single |\n"
    ),
    "Motor insurance.md": (
        "# Motor insurance\n\n## Classes\n\nLegend: Cl = class; % = share of the premium.\n\n"
        "| Cl | Years without claim | % |\n|---|---|---|\n| 3 | 3–4 | 75 |\n| 5 | 8–11 | 50 |\n"
        "| 8 | 25+ | 25 |\n\n## What each cover pays\n\n| Event | TP | FC |\n|---|---|---|\n"
        "| Theft | - | yes |\n| Hail | - | yes |\n\n## Names of the covers\n\n"
        "TP = third party; FC = full cover.\n"
    ),
    "Cards.md": (
        "# Cards\n\n## Limits\n\n| Card | A day at machines | In shops |\n|---|---|---|\n"
        "| Debit | 1,000 | 2,500 |\n| Credit Silver | 500 | 4,000 |\n"
        "| Credit Gold | 1,200 | 10,000 |\n| Youth | 150 | 200 |\n"
    ),
    "Washing.md": (
        "# Washing\n\n## Programs\n\n| Program | Load (kg) | Spin |\n|---|---|---|\n"
        "| Cotton | 7 | 1400 |\n| Wool | 2 | 600 |\n| Silk | 1 | no spin |\n| Sports | 3 | 800 |\n"
    ),
    "Poisons.md": (
        "# Poisons\n\n| Poison | Way | Save |\n|---|---|---|\n| Adder's milk | blade | +1 |\n"
        "| Barrow dust | breath | 0 |\n| Rusted nail | blade | +2 |\n| Sleeper | food | +2 |\n"
    ),
    "Laptops.md": (
        "# Devices\n\n## Company laptops\n\n- The disk is encrypted.\n"
        "- Updates are installed within 14 days.\n- Members have no administrator rights.\n\n"
        "## Discounts\n\n| Who | Discount |\n|---|---|\n| Student | 60% |\n| School | 40% |\n"
        "| Library | 30% |\n"
    ),
    "Spell books.md": (
        "# Spell books\n\n## Kinds of book\n\n| Book | Pages | Cost |\n|---|---|---|\n"
        "| Study book | 100 | 100 |\n| Travelling book | 40 | 75 |\n| Oilskin book | 40 | 110 |\n\n"
        "## Loss\n\nThere are three ways back:\n\n1. Use a duplicate.\n"
        "2. Write down what is still memorised.\n3. Rebuild the book from recollection.\n"
    ),
    "Hotel.md": "# Hotel\n\n## Leaving\n\nGuests check out by 11:00.\n\nLunch is at noon.\n",
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


def marked(context: SearchContext, question: str) -> list[str]:
    card = card_reply(context, question).cards[0]
    return [card.lines[n] for part in card.marked for n in part.numbers]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("day ticket for 2 zones", "| Day ticket | 7.00 | 9.50 | 12.50 | until 3 a.m. |"),
        ("tram 30 minutes late refund", "| 20–39 min | half a single |"),
        ("10 years without a claim", "| 5 | 8–11 | 50 |"),
        ("gold card limits", "| Credit Gold | 1,200 | 10,000 |"),
    ],
)
def test_the_row_that_is_meant_is_marked(context: SearchContext, question: str, row: str) -> None:
    assert marked(context, question) == [row]


@pytest.mark.parametrize(
    "question", ["silk or wool, which one gets spun?", "which one gets spun, wool or silk"]
)
def test_of_two_things_both_rows_are_marked(context: SearchContext, question: str) -> None:
    assert marked(context, question) == ["| Wool | 2 | 600 |", "| Silk | 1 | no spin |"]


@pytest.mark.parametrize(
    ("question", "legend"),
    [
        ("10 years without a claim", "Legend: Cl = class; % = share of the premium."),
        ("does full cover pay for hail", "TP = third party; FC = full cover."),
    ],
)
def test_what_explains_a_tables_signs_is_shown_with_its_rows(
    context: SearchContext, question: str, legend: str
) -> None:
    card = card_reply(context, question).cards[0]
    assert legend in card.lines.values()
    assert legend in render.markdown([card])
    assert legend not in marked(context, question)


def test_signs_are_read_in_bold_and_side_by_side_and_words_are_none(
    index_files: IndexFiles,
) -> None:
    page = (
        "# Baggage\n\n## Things\n\n| Thing | **C** | Cost |\n|---|---|---|\n| Drone | C/H | 9 |\n"
        "| Ski | H | 40 |\n\n## Notes\n\nCost = the base price, paid in advance.\n\n"
        "C = cabin; H = hold.\n"
    )
    context = index_files({"Baggage.md": page}, rag_threshold=-9.0)
    lines = card_reply(context, "cost of a drone").cards[0].lines.values()
    assert "C = cabin; H = hold." in lines
    assert "Cost = the base price, paid in advance." not in lines


def test_a_table_without_signs_gets_no_legend(context: SearchContext) -> None:
    card = card_reply(context, "day ticket").cards[0]
    assert all("=" not in line for line in card.lines.values())


def test_a_verb_and_its_particle_typed_as_one_are_found(context: SearchContext) -> None:
    reply = card_reply(context, "when is checkout")
    assert [(one.typed, one.searched) for one in reply.corrections] == [("checkout", "check out")]
    assert "Guests check out by 11:00." in marked(context, "when is checkout")[0]


def test_two_things_that_are_both_answered_are_as_sure_as_the_less_sure(
    context: SearchContext,
) -> None:
    found = search(context, "day ticket")

    def sure(certainty: Certainty, confidence: float) -> SearchResult:
        return replace(found, certainty=certainty, confidence=confidence)

    unsure = sure("nearest", 0.2)
    high, low = sure("answered", 0.9), sure("answered", 0.6)
    assert worth(unsure, [high, low]) == ("answered", 0.6)
    assert worth(unsure, [high, sure("nearest", 0.3)]) == ("nearest", 0.2)
    assert worth(unsure, []) == ("nearest", 0.2)
    assert worth(replace(unsure, premise=found.hits[0].evidence[0]), [high, low])[0] == "nearest"
    assert worth(sure("answered", 0.7), [high, low]) == ("answered", 0.7)


def test_a_row_need_not_say_the_verb_that_is_asked_with(context: SearchContext) -> None:
    assert marked(context, "which poisons are put on a blade") == [
        "| Adder's milk | blade | +1 |",
        "| Rusted nail | blade | +2 |",
    ]


def test_a_list_that_is_called_so_is_marked_whole(context: SearchContext) -> None:
    every = [
        "- The disk is encrypted.",
        "- Updates are installed within 14 days.",
        "- Members have no administrator rights.",
    ]
    assert marked(context, "rules for company laptops") == every
    assert marked(context, "company laptops") == every
    assert marked(context, "when are updates of company laptops installed") == every[1:2]
    assert marked(context, "company laptops updates") == every[1:2]


def test_who_gets_something_is_answered_by_the_whole_table(context: SearchContext) -> None:
    rows = ["| Student | 60% |", "| School | 40% |", "| Library | 30% |"]
    assert marked(context, "who gets a discount") == rows
    assert marked(context, "what discount does a library get") == rows[2:]


def test_ways_are_no_column_of_what_they_lead_to(context: SearchContext) -> None:
    asked = "ways to get your spells back if the book is gone"
    lines = card_reply(context, asked).cards[0].lines.values()
    assert [line for line in lines if line[:1].isdigit()] == [
        "1. Use a duplicate.",
        "2. Write down what is still memorised.",
        "3. Rebuild the book from recollection.",
    ]
