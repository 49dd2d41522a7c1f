"""Rules that are numbered, and what names them by their numbers."""

import pytest

from retrieval.models import SourceNote
from retrieval.ranking import clauses, conflicts
from retrieval.ranking.statements import statement
from tests.support.made.made_entries import entry, row


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        ('Clause 4.6.3 is replaced by: "4.6.3 Four weeks."', {"4.6.3"}),
        ("Clause 6.4.3 is deleted.", {"6.4.3"}),
        ("It replaces § 3 and section 7.2.", {"3", "7.2"}),
        ('In Annex B, line 3, the amount "15.00" is replaced by "20.00".', {"annex b, 3"}),
        ("Appendix 2, rows 4 and 5a are replaced.", {"appendix 2, 4", "appendix 2, 5a"}),
        ("The fee is stated in Annex B, line 3.", set()),
        ("After clause 5.2.6 the following is inserted.", set()),
        ("Lamps are replaced by the warden.", set()),
    ],
)
def test_what_a_sentence_says_is_replaced(sentence: str, numbers: set[str]) -> None:
    assert clauses.changed_in(sentence) == numbers


def test_a_line_is_the_clause_that_it_begins_with_or_that_its_annex_counts() -> None:
    assert clauses.own(entry("3.2 The quorum is four.", "Statutes > 3. Meetings")) == {"3.2", "3"}
    assert clauses.own(row("| 3 | Late | 15 |", "Fees > Annex B: Amounts")) == {"annex b, 3"}
    assert clauses.own(row("| 3 | Late | 15 |", "Fees > Amounts")) == frozenset()
    assert clauses.own(entry("Four weeks.", "Statutes")) == frozenset()


CHANGES, RULES = SourceNote("09-amendments.md"), SourceNote("03-rules.md")


@pytest.mark.parametrize(
    ("change", "quote", "is_corrected", "is_whole"),
    [
        ("Clause 3.1.3 is replaced by: ten.", "3.1.3 A fifth is enough.", True, True),
        ('In clause 3.1.3, "fifth" is replaced by "tenth".', "3.1.3 A fifth.", True, False),
        ("Clause 3.1.3 is replaced by: ten.", "3.1.4 A fifth is enough.", False, False),
        ("Clause 3 is replaced by: ten.", "3 A fifth is enough.", False, False),  # of any file
    ],
)
def test_a_clause_is_corrected_by_its_number_where_no_other_has_it(
    change: str, quote: str, is_corrected: bool, is_whole: bool
) -> None:
    upper = statement(entry(change, "Amendments"), CHANGES)
    lower = statement(entry(quote, "Rules"), RULES)
    assert conflicts.is_replacing(upper, lower) is is_corrected
    assert conflicts.is_whole(upper, lower) is is_whole
    assert not conflicts.is_replacing(lower, upper)
