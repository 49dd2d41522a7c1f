"""What is asked for, of which a line has nothing: a weight, a colour, a number of masts."""

import pytest

from retrieval.models import NO_TERMS
from retrieval.ranking.lines import QuestionWords
from retrieval.refusal.asked_kind import is_unsaid, lacks_amount, lacks_person
from tests.support.made.made_entries import entry, row

HORN = entry("The horn is worth 1,000 gp, but a seller is hated for a year.", "Unicorn")
YACHT = row("| Cloud yacht | 18,000 | 16 | 4 |", "Hulls", header="| Hull | Cost | Crew | Cargo |")


@pytest.mark.parametrize(
    "question",
    [
        "How heavy is a unicorn's horn?",
        "What colour is a unicorn's horn?",
        "How far does a unicorn see?",
        "In which town is a unicorn's horn sold?",
        "What is the name of the unicorn?",
        "dues of the unicorn's guild",
    ],
)
def test_what_a_line_does_not_speak_of_is_unsaid(question: str) -> None:
    assert is_unsaid("Unicorn.md", HORN, QuestionWords.of(question, NO_TERMS))


@pytest.mark.parametrize(
    "question",
    [
        "What does a unicorn's horn cost?",  # "gp" is the field of a cost
        "How long is a seller hated?",
        "What happens to who sells a horn?",
        "Which horn is worth 1,000 gp?",
        "Tell me of the unicorn",
        "unicorn horn",
    ],
)
def test_what_a_line_speaks_of_is_not(question: str) -> None:
    assert not is_unsaid("Unicorn.md", HORN, QuestionWords.of(question, NO_TERMS))


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What kills a troll?", "A troll dies only by fire or acid."),
        ("Can I break a sword which glows?", "A magic sword breaks in dragon fire."),
        ("How long is the warranty?", "2 yrs, and ten for the motor."),
        ("How often are the boilers checked?", "Boilers are checked annually."),
        ("How many days do I have to return it?", "It can be returned within two weeks."),
        ("How many times may I fail?", "Whoever fails twice is out."),
        ("What time does the pool open?", "The pool opens at 9:00."),
        ("What day is the market?", "The market is held on Mondays."),
        ("deadline for claims", "Claims are sent within 30 days."),
        ("Do I pay extra for colour copies?", "Copies cost 8 cents, larger ones 12."),
    ],
)
def test_other_words_for_the_same_kind_speak_of_it(question: str, line: str) -> None:
    assert not is_unsaid("Rules.md", entry(line, "Rules"), QuestionWords.of(question, NO_TERMS))


def test_columns_and_headings_speak_as_well() -> None:
    def unsaid(question: str) -> bool:
        return is_unsaid("Ships.md", YACHT, QuestionWords.of(question, NO_TERMS))

    assert unsaid("How many masts does a cloud yacht have?")
    assert not unsaid("How many crew does a cloud yacht have?")
    assert not unsaid("How many hulls are there?")


def test_feet_may_be_written_as_a_sign() -> None:
    web = entry("It lies within 10' of the wall.", "Web")
    assert not is_unsaid("Web.md", web, QuestionWords.of("How far does web reach?", NO_TERMS))


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("How heavy is a unicorn's horn?", True),
        ("How long is a seller hated?", False),
        ("In which town is a unicorn's horn sold?", False),  # no amount is asked for
    ],
)
def test_which_lines_lack_the_amount_that_is_asked_for(question: str, lacks: bool) -> None:
    asked = QuestionWords.of(question, NO_TERMS)
    assert lacks_amount("Unicorn.md", HORN, asked) is lacks


@pytest.mark.parametrize(
    ("question", "lead", "lacks"),
    [
        ("who may train a hawk", "| Bird | Trained |", True),
        ("who may train a hawk", "| Bird | Who |", False),
        ("who may ride", "| Bird | Trained |", False),  # the row is of no thing that is named
        ("what does a hawk cost", "| Bird | Trained |", False),
    ],
)
def test_the_row_of_a_named_thing_is_nobody(question: str, lead: str, *, lacks: bool) -> None:
    hawk = row("| Hawk | 300 marks |", "Birds", header=lead)
    assert lacks_person(hawk, QuestionWords.of(question, NO_TERMS)) is lacks


@pytest.mark.parametrize(
    ("line", "lacks"),
    [
        ("You must be 21 or older to adopt a dog.", False),
        ("A dog of eight weeks may be adopted.", False),
        ("Dogs: from 18, with a member.", False),
        ("A home has up to four dogs, and a trial takes 60 days.", True),  # days are no age
    ],
)
def test_an_age_is_told_in_years_months_or_weeks(line: str, lacks: bool) -> None:
    asked = QuestionWords.of("How old do you have to be to adopt a dog?", NO_TERMS)
    assert lacks_amount("Adoption.md", entry(line, "Adoption"), asked) == lacks
