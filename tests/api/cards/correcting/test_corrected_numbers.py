"""What a correction names by a number: a paragraph of that number, a row with the one given up."""

import pytest

from api.answer.card_reply import card_reply
from tests.support.index.ingested import IndexFiles

STATUTES = {
    "Statutes.md": (
        "# Statutes\n\n## 3. Meetings\n\n3.1 The council meets on Mondays.\n\n"
        "3.2 The quorum is four.\n"
    ),
    "Charges.md": (
        "# Charges\n\n| What | Amount |\n|---|---|\n| Guest room, deposit | 50 EUR |\n"
        "| Guest room, linen | 6 EUR |\n| Boat, deposit | 50 EUR |\n"
    ),
    "Corrections.md": (
        "# Corrections\n\n## Quorum\n\n*Replaces paragraph 3.2 of [the statutes](Statutes.md).*\n\n"
        "Now five have to be there.\n\n## Guest room\n\n"
        "The deposit is raised from 50 to 80 EUR.\n"
    ),
}


@pytest.mark.parametrize(
    ("question", "line", "old"),
    [
        ("how many are the quorum of the council", "Now five have to be there.", "Statutes.md"),
        # No one named the page of charges.
        ("deposit for the guest room", "The deposit is raised from 50 to 80 EUR.", "Charges.md"),
    ],
)
def test_a_number_names_what_is_replaced(
    index_files: IndexFiles, question: str, line: str, old: str
) -> None:
    first, *others = card_reply(index_files(STATUTES, rag_threshold=-9.0), question).cards
    assert [first.lines[n] for part in first.marked for n in part.numbers] == [line]
    replaced = [card.path for card in others if "corrected-above" in card.badges]
    assert replaced == [old]


def test_a_number_that_is_given_up_is_of_the_row_that_is_called_so(index_files: IndexFiles) -> None:
    context = index_files(STATUTES, rag_threshold=-9.0)
    assert card_reply(context, "what is the deposit of a boat").cards[0].path == "Charges.md"
    assert card_reply(context, "what does linen cost in the guest room").cards[0].path == (
        "Charges.md"
    )


DEPOSIT = {
    "Deposit.md": (
        "# Deposit\n\n**Weddings:** £400, whatever rooms are taken.\n\n"
        "**Regular hirers:** £50 a year.\n\n**Return:** within ten days.\n\n"
        "## Deductions\n\n| Cause | Deduction |\n|---|---|\n| Key lost | £35 each |\n"
        "| Refuse left outside | £20 |\n"
    ),
    "Resolution.md": (
        "---\nsupersedes: Deposit.md\n---\n# Resolution\n\nFrom July on:\n\n"
        "- The deposit for weddings is raised from £400 to £500.\n"
        "- The deduction for a key that is lost is raised from £35 to £60.\n\n"
        "All other amounts of the deposit stand.\n"
    ),
}


@pytest.mark.parametrize(
    ("question", "line"),
    [("deposit how much wedding", "£500"), ("what do you deduct for a lost key", "£60")],
)
def test_of_a_section_that_corrects_two_lines_the_asked_one_stands_first(
    index_files: IndexFiles, question: str, line: str
) -> None:
    first = card_reply(index_files(DEPOSIT, rag_threshold=-9.0), question).cards[0]
    said = [first.lines[n] for part in first.marked for n in part.numbers]
    assert first.path == "Resolution.md"
    assert any(line in one for one in said)


BYLAWS = {
    "03-assembly.md": (
        "# Part 3\n\n## 3.1 The assembly\n\n3.1.2 The board calls the assembly once a year.\n\n"
        "3.1.3 The assembly has a quorum if one fifth of the members are there.\n\n"
        "3.1.4 A guest of the assembly may stay for six weeks.\n"
    ),
    "08-annexes.md": (
        "# Part 8\n\n## Annex B: Fees\n\n| Line | Subject | Amount |\n|---|---|---|\n"
        "| 1 | Entrance | 60.00 |\n| 3 | Late payment | 15.00 |\n| 7 | Key | 35.00 |\n"
    ),
    "09-amendments.md": (
        "# Part 9\n\n## First amendment\n\n"
        '1. In clause 3.1.3, the words "one fifth" are replaced by the words "one tenth".\n\n'
        '2. Clause 3.1.4 is replaced by: "3.1.4 A guest of the assembly may stay for eight."\n\n'
        '3. In Annex B, line 3, the amount "15.00" is replaced by "20.00".\n'
    ),
}


@pytest.mark.parametrize(
    ("question", "new", "old", "is_folded"),
    [
        ("is one fifth of the members a quorum", "one tenth", "03-assembly.md", False),
        ("how long may a guest of the assembly stay", "stay for eight", "03-assembly.md", True),
        ("fee for late payment", '"20.00"', "08-annexes.md", False),
    ],
)
def test_an_amendment_of_a_clause_stands_above_it(
    index_files: IndexFiles, question: str, new: str, old: str, is_folded: bool
) -> None:
    above, below = card_reply(index_files(BYLAWS, rag_threshold=-9.0), question).cards[:2]
    (marked,) = (above.lines[part.first_line] for part in above.marked)
    assert new in marked
    assert (below.path, below.folded) == (old, is_folded)
    assert "corrected-above" in below.badges


def test_a_clause_without_an_amendment_stays_first(index_files: IndexFiles) -> None:
    context = index_files(BYLAWS, rag_threshold=-9.0)
    for question, path in (
        ("who calls the assembly", "03-assembly.md"), ("fee for a key", "08-annexes.md"),
    ):  # fmt: skip
        first = card_reply(context, question).cards[0]
        assert (first.path, first.badges) == (path, ())
