"""Corrections that name the section which they replace, and share no word with it."""

import pytest

from api.answer.card_reply import card_reply
from tests.support.index.ingested import IndexFiles

FEES = """# Fees

## Late payment

Who pays after the tenth owes 4 crowns more.

## Deposits

A deposit is 30 crowns.

| Thing | A day |
| --- | --- |
| Kayak or canoe | 12 |
| Tandem | 15 |
"""


def vault(change: str, front: str = "supersedes: money/fees.md") -> dict[str, str]:
    return {
        "money/fees.md": FEES,
        "money/changes.md": f"---\n{front}\n---\n# Changes\n\n## Number 1\n\n{change}\n",
        "boats/care.md": "# Care\n\nA boat is washed after each trip.\n",
    }


@pytest.mark.parametrize(
    "change",
    [
        'This replaces the section "Late payment" in [fees](fees.md).\n\nThe extra is 9 crowns.',
        "In *Late payment* in [the fees](../money/fees.md), the sum is 9 crowns.",
        "It changes [fees](fees.md#late-payment): the sum is 9 crowns.",
        "In [[fees#Late payment]] the sum is 9 crowns.",
    ],
)
def test_a_correction_that_names_a_section_stands_above_it(
    index_files: IndexFiles, change: str
) -> None:
    context = index_files(vault(change), rag_threshold=-9.0)
    cards = card_reply(context, "what does somebody owe who pays after the tenth").cards
    assert [card.path for card in cards[:2]] == ["money/changes.md", "money/fees.md"]
    other = card_reply(context, "how much is a deposit").cards
    assert other[0].path == "money/fees.md", "what it does not name is not corrected"


@pytest.mark.parametrize(
    "change",
    [
        'It replaces the sum in the section "Late payment" of [fees](fees.md).\n\nIt is 9 crowns.',
        'The section "Late payment" in [fees](fees.md) said 4 crowns. It is now 9 crowns.',
    ],
)
def test_a_file_of_changes_corrects_what_it_links_to(index_files: IndexFiles, change: str) -> None:
    question = "what does somebody owe who pays after the tenth"
    context = index_files(vault(change, "supersedes: boats/care.md"), rag_threshold=-9.0)
    assert card_reply(context, question).cards[0].path == "money/changes.md"
    bare = index_files(vault(change, "title: Changes"), rag_threshold=-9.0)
    assert card_reply(bare, question).cards[0].path == "money/changes.md"
    files = vault(change, "title: Plans")
    files["money/plans.md"] = files.pop("money/changes.md")
    other = index_files(files, rag_threshold=-9.0)
    assert card_reply(other, question).cards[0].path == "money/fees.md"


def test_what_a_file_of_changes_only_refers_to_is_not_corrected(index_files: IndexFiles) -> None:
    change = "Paid with *Late payment* in [fees](fees.md), a stamp is 1 crown."
    context = index_files(vault(change, "title: Changes"), rag_threshold=-9.0)
    late = card_reply(context, "what does somebody owe who pays after the tenth").cards
    assert late[0].path == "money/fees.md"


def test_a_correction_that_names_a_row_stands_above_it(index_files: IndexFiles) -> None:
    change = "The row *Kayak or canoe* of [fees](fees.md) is 14 from May on."
    context = index_files(vault(change, "supersedes: fees.md (part)"), rag_threshold=-9.0)
    assert card_reply(context, "what is a canoe for one day").cards[0].path == "money/changes.md"
    assert card_reply(context, "what is a tandem for one day").cards[0].path == "money/fees.md"


def test_a_detail_that_is_changed_is_none_of_another_row(index_files: IndexFiles) -> None:
    change = "In *Deposits* in [fees](fees.md) the line for kayaks changes: it is 14 from May on."
    context = index_files(vault(change), rag_threshold=-9.0)
    assert card_reply(context, "what is a kayak for one day").cards[0].path == "money/changes.md"
    assert card_reply(context, "what is a tandem for one day").cards[0].path == "money/fees.md"


def test_what_replaces_a_whole_section_is_above_all_of_its_rows(index_files: IndexFiles) -> None:
    change = "This replaces the section *Deposits* in [fees](fees.md).\n\nAll are free from May on."
    context = index_files(vault(change), rag_threshold=-9.0)
    assert card_reply(context, "what is a tandem for one day").cards[0].path == "money/changes.md"


def test_a_correction_that_says_far_less_of_what_is_asked_stands_below(
    index_files: IndexFiles,
) -> None:
    change = "Replaces one word in *Late payment* in [fees](fees.md).\n\nIt is the eleventh."
    context = index_files(vault(change), rag_threshold=-9.0)
    cards = card_reply(context, "list who owes crowns after the tenth").cards
    assert cards[0].path == "money/fees.md"
    assert "money/changes.md" in [card.path for card in cards], "it is seen with it all the same"


def test_what_a_correction_leaves_as_it_is_stays_first(index_files: IndexFiles) -> None:
    change = (
        "Replaces *Deposits* in [fees](fees.md). *Late payment* in [fees](fees.md) stays.\n\n"
        "The deposit is 40 crowns."
    )
    context = index_files(vault(change), rag_threshold=-9.0)
    late = card_reply(context, "what does somebody owe who pays after the tenth").cards
    assert late[0].path == "money/fees.md"
    assert card_reply(context, "how much is a deposit").cards[0].path == "money/changes.md"


@pytest.mark.parametrize("question", ["list what a boat costs", "which boats cost something"])
def test_a_list_stands_below_what_replaces_it_as_a_whole(
    index_files: IndexFiles, question: str
) -> None:
    change = "This replaces the section *Deposits* in [fees](fees.md).\n\nAll is free from May on."
    context = index_files(vault(change), rag_threshold=-9.0)
    paths = [card.path for card in card_reply(context, f"{question}, kayak or tandem").cards]
    assert paths.index("money/changes.md") < paths.index("money/fees.md")


@pytest.mark.parametrize(
    ("change", "front"),
    [
        ('*Replaces the first sentence of "Late payment" in [fees](fees.md).*\n\nIt is 9 crowns.',
         "supersedes: fees.md (part)"),
        ('Replaces the first line of "Late payment" in the page on fees.\n\nIt is 9 crowns.',
         "supersedes: fees.md (the extra only)"),
        ('The sum in the section "Late payment" of [fees](fees.md) is changed:\n\n'
         "| Who | Extra |\n|---|---|\n| Members | 9 crowns |\n| Guests | 12 crowns |",
         "supersedes: fees.md (part)"),
        ("The extra goes up from 4 to 9 crowns for whoever pays after the tenth.",
         "supersedes: fees.md (part)"),
    ],
)  # fmt: skip
def test_what_is_changed_is_told_in_many_ways(
    index_files: IndexFiles, change: str, front: str
) -> None:
    context = index_files(vault(change, front), rag_threshold=-9.0)
    cards = card_reply(context, "what does somebody owe who pays after the tenth").cards
    assert [card.path for card in cards[:2]] == ["money/changes.md", "money/fees.md"]
    assert not cards[0].folded
    assert "9 crowns" in cards[0].source


def test_the_section_of_that_name_is_called_as_the_own_one(index_files: IndexFiles) -> None:
    files = vault("Replaces the section of that name in [fees](fees.md).\n\nIt is 9 crowns.")
    path = "money/changes.md"
    files[path] = files[path].replace("## Number 1", "## 2. Late payment")
    context = index_files(files, rag_threshold=-9.0)
    cards = card_reply(context, "what does somebody owe who pays after the tenth").cards
    assert [card.path for card in cards[:2]] == ["money/changes.md", "money/fees.md"]


def test_a_line_that_keeps_the_rest_does_not_hide_the_row_that_changes(
    index_files: IndexFiles,
) -> None:
    change = (
        'Replaces the row "Kayak or canoe" in [fees](fees.md).\n\n| Thing | A day |\n|---|---|\n'
        "| Kayak or canoe | 14 |\n\nThe other boats for one day stay."
    )
    context = index_files(vault(change), rag_threshold=-9.0)
    first = card_reply(context, "what is a canoe for one day").cards[0]
    assert (first.path, first.best.quote) == ("money/changes.md", "| Kayak or canoe | 14 |")


def test_another_sentence_than_the_one_that_is_changed_stays_first(
    index_files: IndexFiles,
) -> None:
    files = vault('Replaces the first line of "Late payment" in [fees](fees.md).\n\nAsk Ada.')
    files["money/fees.md"] = FEES.replace(
        "owes 4 crowns more.", "is told.\n\nA letter to debtors is sent by the treasurer in March."
    )
    context = index_files(files, rag_threshold=-9.0)
    cards = card_reply(context, "when is a letter sent to debtors").cards
    assert cards[0].path == "money/fees.md"
