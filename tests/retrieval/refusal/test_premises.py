"""Numbers that a question takes for granted and the rules contradict."""

import pytest

from retrieval.models import NO_TERMS, Chunk, Entry, Evidence, Hit
from retrieval.ranking.lines import QuestionWords, ranked
from retrieval.refusal import premises

CHIMERA = "The chimera has three heads: a goat's, a lion's and a dragon's."
BACKUPS = "Backups are kept for 35 days. Deleted notes are gone after 30 days from all of them."
FINE = "A lost key costs 20 euros."


def hit(path: str, heading: str, *sentences: str) -> Hit:
    found = tuple(
        Evidence(Entry("sentences", heading, n, n, text, "", f"{heading}: ", text), 0.5 - n / 100)
        for n, text in enumerate(sentences, start=1)
    )
    return Hit(Chunk(path, heading, 1, len(sentences), "\n".join(sentences)), 1.0, found)


def row(lead: str, quote: str) -> Hit:
    entry = Entry("row", "Sieges", 3, 3, quote, lead, "Sieges: ", quote)
    chunk = Chunk("Sieges.md", "Sieges", 1, 3, f"{lead}\n{quote}")
    return Hit(chunk, 1.0, (Evidence(entry, 0.5),))


@pytest.mark.parametrize(
    ("question", "fires"),
    [
        ("How old must a chimera be to grow its 4th head?", True),
        ("What does the fifth head of a chimera do?", True),
        ("What do the chimera's four heads eat?", True),
        ("Which of the three heads of a chimera breathes fire?", False),
        ("What does its 2nd head do, of the chimera?", False),
        ("How many heads has a chimera?", False),
        ("Can a chimera with 4 heads fly?", False),  # asked, not taken for granted
        ("What does the 4th claw of a chimera do?", False),
        ("What does the 4th head of a hydra do?", False),  # another subject's passage
    ],
)
def test_more_parts_than_the_rule_counts_are_a_false_premise(question: str, fires: bool) -> None:
    hits = [hit("Monsters/Chimera.md", "Chimera", "It flies.", CHIMERA)]
    found = premises.contradicted(question, hits, NO_TERMS)
    assert (found is not None) == fires
    if found:
        assert found.entry.quote == CHIMERA


def test_no_passage_contradicts_nothing() -> None:
    assert premises.contradicted("What does its 4th head do?", [], NO_TERMS) is None


@pytest.mark.parametrize(
    ("question", "fires"),
    [
        ("Backups are kept for 90 days. Are deleted notes readable in there?", True),
        ("Backups are kept for three months, so are deleted notes in there?", True),
        ("backups are kept for 90 days right? and deleted notes too?", True),
        ("Why are backups kept for 90 days?", True),
        ("Since backups are kept for 90 days, can you restore my note?", True),
        ("When the 90 days of the backups are over, is there a copy?", True),
        ("Backups are kept for 35 days. Are deleted notes readable in there?", False),
        ("Backups are kept for 30 days. Are deleted notes readable in there?", False),  # said, too
        ("I deleted my backups 90 days ago. Are they gone?", False),  # a case, no rule
        ("Are backups kept for 90 days?", False),  # asked
        ("Are notes still in a backup after 90 days?", False),
        ("backups older than 90 days", False),  # a limit
        ("Backups are kept at level 90. Are deleted notes readable in there?", False),  # no amount
        ("Passwords run out after 90 days, who reminds me?", False),  # another thing
        ("Archives are kept for 90 euros, who pays?", False),  # another unit
    ],
)
def test_an_amount_that_a_line_says_otherwise_is_a_false_premise(
    question: str, fires: bool
) -> None:
    found = premises.contradicted(question, [hit("Backups.md", "Copies", FINE, BACKUPS)], NO_TERMS)
    assert (found.entry.quote if found else None) == (BACKUPS if fires else None)


def test_a_cell_has_the_unit_of_its_column() -> None:
    trebuchet = row("| Engine | Structure points a week |\n| --- | --- |", "| Trebuchet | 110 |")
    asked = "trebuchet does {} structure points a week, do wet hides lower that?"
    assert premises.contradicted(asked.format(200), [trebuchet], NO_TERMS) is trebuchet.evidence[0]
    assert premises.contradicted(asked.format(110), [trebuchet], NO_TERMS) is None


def test_the_line_that_contradicts_leads_its_passage() -> None:
    first, second = hit("Backups.md", "Copies", FINE, BACKUPS), hit("Keys.md", "Keys", FINE)
    led = premises.led_by(first.evidence[1], [first, second])
    asked = QuestionWords.of("a lost key costs 30 euros, in cash?", NO_TERMS)
    assert [line.entry.quote for line in ranked(led[0], asked)] == [BACKUPS, FINE]
    assert led[1] is second


BITE = "The giant rat's bite is diseased in 1 bite of 20."
KEYS = "1. hardware key (each employee gets two),"
LEAVE = "Holidays of more than 10 days are announced 60 days before."
FINES = "The fine for a lost key is 30 euros, due in 14 days."


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("one in 20 bites of a giant rat is diseased, what do I save with?", None),
        ("every employee gets two hardware keys, right?", None),
        ("holidays of 3 weeks are announced 60 days before, right?", None),  # 3 weeks are of a case
        ("holidays of 3 weeks are announced 5 days before, right?", LEAVE),
        ("the fine for a lost key is 50 euros and it is due in 14 days, right?", FINES),
    ],
)
def test_a_chance_a_number_of_a_list_and_another_time_contradict_nothing(
    question: str, line: str | None
) -> None:
    passage = hit("Rules.md", "Rules", BITE, KEYS, LEAVE, FINES)
    found = premises.contradicted(question, [passage], NO_TERMS)
    assert (found.entry.quote if found else None) == line
