"""What the text of a correction names: files, sections and rows, replaced in part or as a whole."""

from dataclasses import replace

import pytest

from retrieval.models import Entry, SourceNote
from retrieval.ranking import replaced_sections
from retrieval.vocabulary.terms import stems_of


def entry(quote: str, heading: str = "Fees > Late payment", line: int = 3) -> Entry:
    return Entry("sentences", heading, line, line, quote, "", "", quote)


@pytest.mark.parametrize(
    ("path", "is_so"),
    [
        ("money/changes.md", True),
        ("corrections-2024.md", True),
        ("9. House Rules/1. Errata.md", True),
        ("Changes and corrections, 2024.md", True),
        ("Shift changes.md", False),
        ("Errata & House Rules/Critical Hits.md", False),
        ("changeovers.md", False),
    ],
)
def test_a_file_of_changes_is_called_so_first(path: str, is_so: bool) -> None:
    assert (replaced_sections.OF_CHANGES.search(path) is not None) == is_so


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('In "Yard gates" of', ["Yard gates"]),
        ("the *Sky debt*, the _Late payment_", ["Sky debt", "Late payment"]),
        ("* In *Late payment* in", ["Late payment"]),
        ("`Kayak or canoe`", ["Kayak or canoe"]),
        ("[fees](fees.md#late-payment)", ["late payment"]),
        ("[fees](fees.md#Late%20payment)", ["late payment"]),
        ("[fees](fees.md#3-keys)", ["keys"]),
        ("[[fees#Fees#Late payment|fees]]", ["late payment"]),
        ("**5%** from level 12, 2 * cost of Deposits * 3, snake_case_name", []),
    ],
)
def test_a_name_is_what_is_quoted_emphasized_or_linked_to(text: str, names: list[str]) -> None:
    assert replaced_sections.named([text], "") == {frozenset(stems_of(name)) for name in names}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Replaces the section *Deposits* in [fees](fees.md).", ["Deposits"]),
        (
            "This replaces the sections *Deposits* and *Late payment* of",
            ["Deposits", "Late payment"],
        ),
        ("Replaces all of *Deposits*.", ["Deposits"]),
        ("The section *Deposits* is replaced:", ["Deposits"]),
        ("Replaces the number of days in *Deposits*.", []),
        ("Replaces the *number* of days in *Deposits*.", ["number"]),
        ("In *Deposits* it is 14 instead of *12*.", []),
    ],
)
def test_what_is_replaced_as_a_whole_stands_behind_the_verb(text: str, names: list[str]) -> None:
    found = replaced_sections.named_whole([text], "")
    assert found == {frozenset(stems_of(name)) for name in names}


def test_links_are_of_files_that_the_own_one_supersedes() -> None:
    note = SourceNote("money/changes.md", supersedes=("money/fees.md", "boats/care.md"))
    text = "In [fees](fees.md#late) and [[boats/care|care]], not in [others](others.md)."
    assert replaced_sections.linked(text, note) == {"money/fees.md", "boats/care.md"}


def test_headings_leave_the_title_out_unless_there_is_no_other() -> None:
    assert replaced_sections.headings("Fees > Late payment") == {
        frozenset(stems_of("late payment"))
    }
    assert replaced_sections.headings("Fees") == {frozenset({"fee"})}


def test_a_section_says_lead_ins_and_quotes_once_without_the_emphasis_of_all() -> None:
    lead = '*Replaces the sum in "Late payment".*\n| a |\n|---|'
    last = replace(entry("x", line=5), lead=lead)
    beside = [last, entry("*y*, and *z*"), entry("z", "Fees > A", 1), entry("x", line=7)]
    section = replaced_sections.section_of(last, beside)
    lines = {1: "Of another.", 2: "## Late payment", 3: "Of the sum:", 4: "| a |"}
    section = [replace(one, first_line=one.first_line + 2) for one in section]
    assert replaced_sections.said_in(section, lines) == [
        "Of the sum:", "*y*, and *z*", 'Replaces the sum in "Late payment".', "x",
    ]  # fmt: skip
