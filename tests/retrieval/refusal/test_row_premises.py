"""A value that a question takes for granted of a table's row, and that is another row's."""

import pytest

from retrieval.models import Entry, Hit, Terms
from retrieval.ranking.lines import QuestionWords
from retrieval.refusal.row_premises import contradicted_row
from tests.support.made.made_entries import entry, hit, learnt, row

TOLLS = "| Duty | Rate | Paid to |"
APPEALS = "| Decision | Days | Goes to | Deposit |"
ROWS = [
    row("| Bridge | 1 sp | bridge-warden |", "Tolls", header=TOLLS, line=3),
    row("| Harbour, per day | 2 sp | harbour master |", "Tolls", header=TOLLS, line=4),
    row("| Ferry | 3 sp | ferryman |", "Tolls", header=TOLLS, line=5),
]
DAYS = [
    row("| Parking penalty | 14 | Bursar | none |", "Appeals", header=APPEALS, line=3),
    row(
        "| Suspension | 20 | School governors, Principal | none |",
        "Appeals",
        header=APPEALS,
        line=4,
    ),
]


def found(question: str, rows: list[Entry]) -> str | None:
    terms: Terms = learnt(*(("Rules.md", one) for one in rows))
    passage: Hit = hit("Rules.md", *((one, 0.5) for one in rows))
    contradicted = contradicted_row(passage, QuestionWords.of(question, terms))
    return contradicted.entry.quote if contradicted else None


@pytest.mark.parametrize(
    ("question", "rows", "quote"),
    [
        ("how much do I pay the harbour master for the bridge", ROWS, ROWS[0].quote),
        ("how soon must the school governors get my parking penalty appeal", DAYS, DAYS[0].quote),
        ("I have 20 days for the parking penalty, do weekends count?", DAYS, DAYS[0].quote),
    ],
)
def test_a_value_of_another_row_is_a_false_premise(
    question: str, rows: list[Entry], quote: str
) -> None:
    assert found(question, rows) == quote


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how much do I pay the bridge-warden for the bridge", ROWS),
        ("do I pay the harbour master for the bridge?", ROWS),  # asked
        ("who is paid for the bridge, the harbour master or the ferryman", ROWS),
        ("which duties go to the harbour master", ROWS),  # rows are chosen by it
        ("bridge harbour master", ROWS),  # takes nothing for granted
        ("how much is the bridge and the ferry", ROWS),  # of two rows
        ("I crossed the bridge in 20 minutes, what do I pay", ROWS),
        ("where does my parking penalty appeal go", DAYS),
        ("what is the deposit for the parking penalty", DAYS),
        ("how much is the bridge, the ferryman sent me", ROWS),  # one word is said of anything
    ],
)
def test_what_is_asked_or_right_contradicts_nothing(question: str, rows: list[Entry]) -> None:
    assert found(question, rows) is None


def test_without_a_table_nothing_is_contradicted() -> None:
    text = entry("The harbour master is paid for the harbour.", "Tolls")
    assert found("how much do I pay the harbour master for the bridge", [text]) is None
