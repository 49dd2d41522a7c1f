"""What the guard says of a statement beside the line that has most of its words."""

import pytest

from api.checks import review
from api.checks.guard.findings import check
from api.checks.passage_lines import Source
from retrieval.models import Chunk, Hit

KEEP = Source(
    "keep/Watch.md",
    "Watch",
    "",
    "Keys of the inner gate have 40 teeth and are changed every 30 days. "
    "A captain of level 14 may open it. The bell is rung for 1 turn after the gate closes.\n\n"
    "A cart rolls at 30' per round downhill. Walls grow by 30' when kings visit.\n\n"
    "Repairs costing over 200 gp must be announced before they begin.\n\n"
    "A list may be changed for up to three names. Helmets are compulsory on the wall.\n\n"
    "The hall holds at most **12** guests of the lord. The shortest siege is 10 days. Appeals are "
    "handed in within 21 days of the trial. The alarm of a small fire is at most LEVEL3.\n\n"
    "A squire must be registered within 14 days. The sum may not exceed 360 gp.\n\n"
    "Supplies are sold against payment of the open amount.",
)
ASKED = "What do the rules say?"


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("The bell is rung for 1 round after the gate closes [1].", "unit"),
        ("A cart rolls at 30' per turn downhill [1].", "unit"),
        ("Repairs costing over 200 gp must be announced after they begin [1].", "opposite"),
        ("Helmets are optional on the wall [1].", "opposite"),
        ("A list may be changed for over three names [1].", "comparator"),
        ("The hall holds at least 12 guests of the lord [1].", "comparator"),
        ("A siege takes at most 10 days [1].", "comparator"),
        ("Appeals are handed in no sooner than 21 days after the trial [1].", "comparator"),
        ("The alarm of a small fire is at least LEVEL3, but this is not all [1].", "comparator"),
        ("The sum is not less than 360 gp [1].", "comparator"),
        ("A squire need not be registered within 14 days [1].", "modal"),
        ("A squire must not be registered within 14 days [1].", "modal"),
    ],
)  # fmt: skip
def test_what_the_likest_line_has_otherwise_is_named(answer: str, name: str) -> None:
    assert name in [finding.check for finding in check(answer, (KEEP,), ASKED)]


@pytest.mark.parametrize(
    "answer",
    [
        "Keys of the inner gate have forty teeth and are changed every 30 days [1].",
        "After the gate closes the bell is rung for one turn [1].",
        "A cart rolls downhill at 30 feet each round [1].",
        "Repairs over 200 gp must be announced before they begin, not after [1].",
        "Nobody may be on the wall without a helmet, which is compulsory [1].",
        "A list may be changed for three names or fewer [1].",
        "No more than 12 guests of the lord fit into the hall [1].",
        "A siege takes 10 days or more [1].",
        "Appeals are handed in no later than 21 days after the trial [1].",
        "The sum is never more than 360 gp [1].",
        "A squire has to be registered within 14 days [1].",
        "Supplies are sold, provided that the open amount is paid [1].",
    ],
)
def test_what_the_likest_line_says_in_other_words_passes(answer: str) -> None:
    assert check(answer, (KEEP,), ASKED) == ()


@pytest.mark.parametrize(
    ("text", "number", "limit"),
    [
        ("at least 3 and at most 6", "3", 2),
        ("at least 10 kg and under 20", "10", 2),
        ("3,000 coins at full speed and up to 6,000", "3,000", 0),
        ("at least 2 players and up to 6", "2", 2),
        ("5 cups, not more than 8", "5", 0),
        ("5 cups and at most eight spoons", "5", 0),
        ("5 cups of wine or fewer", "5", -2),
        ("level 4 or higher a week", "4", 2),
        ("at least two that are 4 or fewer", "4", -2),
    ],
)
def test_a_number_has_its_own_limit_not_that_of_the_next(
    text: str, number: str, limit: int
) -> None:
    party = Source("Party.md", "Party", "", f"The party takes {text}.")
    told = {2: "at most", -2: "at least", 0: "exactly"}[limit]  # the other way, where it is one
    found = check(f"The party takes {told} {number} {text.partition(number)[2]} [1].",
                  (party,), ASKED)  # fmt: skip
    assert ("comparator" in [finding.check for finding in found]) == bool(limit)


def test_two_limits_in_one_sentence_pass() -> None:
    party = Source(
        "Party.md", "Party", "", "A party has 3 or more members, but never more than 6. "
        "The age of players is 18 years or more, but never more than 65.",
    )  # fmt: skip
    for answer in ("A party has at least 3 and at most 6 members [1].",
                   "The age is at least 18 and at most 65 years [1]."):  # fmt: skip
        assert check(answer, (party,), ASKED) == ()


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("The smallest dragons have 5 hit dice and the largest have 12.",
         "The largest dragons have 12 hit dice and the smallest have 5 [1]."),
        ("Permits cost 5 euros with a photo and 3 without a photo.",
         "Permits without a photo cost 3 euros and with a photo 5 [1]."),
        ("The game is played indoors or outdoors by all members.",
         "The game is played inside or outside by all members [1]."),
        ("A gold piece is worth more than a silver piece.",
         "A silver piece is worth less than a gold piece [1]."),
        ("Small ships are faster than large ones.", "Large ships are slower than small ones [1]."),
        ("Weapons are forbidden, except daggers.", "Weapons are not allowed, except daggers [1]."),
    ],
)  # fmt: skip
def test_a_line_that_is_turned_round_as_a_whole_says_the_same(line: str, answer: str) -> None:
    assert check(answer, (Source("Inn.md", "Inn", "", line),), ASKED) == ()


def test_one_opposite_alone_is_a_finding() -> None:
    duel = Source("Inn.md", "Inn", "", "On a roll of 1 you always lose the duel.")
    found = check("On a roll of 1 you never lose the duel [1].", (duel,), ASKED)
    assert "opposite" in [finding.check for finding in found]


def test_what_need_not_be_below_a_limit_must_be_above() -> None:
    repairs = Source("Inn.md", "Inn", "", "Repairs of 200 gp or more must be announced.")
    assert check("Repairs under 200 gp need not be announced [1].", (repairs,), ASKED) == ()
    found = check("Repairs of 200 gp or more need not be announced [1].", (repairs,), ASKED)
    assert "modal" in [finding.check for finding in found]
    small = Source("Inn.md", "Inn", "", "Repairs need not be announced if under 200 gp.")
    found = check("Repairs of 200 gp or more must be announced [1].", (small,), ASKED)
    assert "modal" not in [finding.check for finding in found]


def test_a_number_of_the_question_is_no_number_of_something_else() -> None:
    asked = "Who opens a gate of 11 locks?"
    found = check("A captain of level 11 may open it [1].", (KEEP,), asked)
    assert [finding.check for finding in found] == ["another number"]
    assert check("A captain of level 14 may open the 11 locks [1].", (KEEP,), asked) == ()


def test_a_number_of_the_question_or_of_a_sum_is_no_exchanged_one() -> None:
    spell = Source(
        "Books.md", "Books", "", "A spell fills 2 pages per level, so a level 3 spell 6."
    )
    asked = "How many pages does a level 4 spell fill?"
    assert check("A spell fills 2 pages per level, so a level 4 spell 4 x 2 = 8 [1].",
                 (spell,), asked) == ()  # fmt: skip


def reviewed(answer: str) -> review.Review:
    chunk = Chunk(KEEP.path, KEEP.heading, 1, 1 + KEEP.text.count("\n"), KEEP.text, "")
    return review.of_text(answer, [Hit(chunk, 1, ())], ASKED)


@pytest.mark.parametrize(
    "answer",
    [
        "Helmets are compulsory.\n\nThe hall holds at most 12 guests of the lord [1].",
        "The rules say this [1]:\n\n- Helmets are compulsory on the wall\n- The hall holds at most "
        "12 guests of the lord",
        "- Helmets are compulsory on the wall\n- The hall holds at most 12 guests of the lord\n\n"
        "[1]",
        "The hall holds at most **12** guests, and appeals are handed in within **21** days [1].",
        "The hall holds at most 12 guests of the lord [1]. All of them are guests, too.",
    ],
)
def test_right_answers_in_the_shapes_that_models_write_stay(answer: str) -> None:
    seen = reviewed(answer)
    assert seen.faults == ()
    assert seen.citations


def test_a_first_paragraph_without_a_marker_is_checked_with_those_below() -> None:
    answer = "The hall holds at most 13 guests.\n\nHelmets are compulsory on the wall [1]."
    assert "in no passage" in [fault.finding.check for fault in reviewed(answer).faults]


@pytest.mark.parametrize(
    "sentence",
    ["If you want more help with helmets, just ask.", "Lords on the wall never have helmets."],
)
def test_no_marker_is_given_to_what_no_line_has_most_words_of(sentence: str) -> None:
    right = "The hall holds at most 12 guests of the lord [1]."
    for answer in (f"{sentence}\n\n{right}", f"{right} {sentence}"):
        seen = reviewed(answer)
        assert sentence[:-1] not in seen.text
        assert right in seen.text


def test_a_marker_moves_only_to_a_line_that_has_the_words_too() -> None:
    other = Source("Fees.md", "Fees", "", "A tankard costs 50 gp at the fair of the town.")
    hits = [
        Hit(Chunk(one.path, one.heading, 1, 1 + one.text.count("\n"), one.text, ""), 1, ())
        for one in (KEEP, other)
    ]
    seen = review.of_text("Repairs of walls cost 50 gp each year [1].", hits, ASKED)
    assert "50" not in seen.text
