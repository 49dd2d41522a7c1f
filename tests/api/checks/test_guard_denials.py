"""What a source denies and an answer affirms, and the other way round."""

import pytest

from api.checks.guard.findings import check
from api.checks.passage_lines import Source

SOURCE = Source(
    "rules/Bolts.md",
    "Bolts > Limits",
    "",
    "Wooden doors are split. A creature does not stop the bolt. It may not be shot from a boat.\n\n"
    "**Surprised side?** Does not roll in that round.\n\n"
    "- **Not undead:** can't be turned, and sleep fails.\n"
    "- Mules and ponies can be led underground, horses not at all.\n"
    "- An expired trial cannot be extended. The owner can extend a trial once, by 7 days.\n"
    "- Not allowed for work, with no exception, not even through a browser.\n"
    "- Lost followers are not replaced, except for the households of a dwarf.\n"
    "- Fire and cold do only half damage, and can't destroy it.\n\n"
    "| Plan | Refund | Sees the list |\n|---|---|---|\n| Monthly | within 14 days | yes |\n"
    "| Annual | none | no |\n\nThe spell does not affect:\n\n- creatures that never sleep\n"
    "- oozes\n",
)


@pytest.mark.parametrize(
    "answer",
    [
        "A creature stops the bolt [1].",
        "It may also be shot from a boat [1].",
        "A surprised side still rolls in that round [1].",
        "Bolts are undead and can be turned [1].",
        "Horses can be led underground [1].",
        "An expired trial can still be extended once by the owner [1].",
        "It is not allowed for work, except through a browser [1].",
        "Lost followers are not replaced, and neither are the households of a dwarf [1].",
        "Fire and cold do only half damage, and can destroy it [1].",
        "An annual plan sees the list [1].",
        "The spell affects oozes [1].",
        "Wooden doors are not split [1].",
        "The owner cannot extend a trial by 7 days [1].",
    ],
)
def test_a_denial_left_out_or_added_is_named(answer: str) -> None:
    assert "negation" in [finding.kind for finding in check(answer, (SOURCE,), "What then?")]


@pytest.mark.parametrize(
    "answer",
    [
        "The bolt is not stopped by a creature [1].",
        "You can't shoot it from a boat [1].",
        "A surprised side doesn't roll in that round [1].",
        "Bolts aren't undead, so they can't be turned [1].",
        "Mules can be led underground, but horses cannot [1].",
        "The owner can extend a trial once, but not an expired one [1].",
        "Work is not allowed there, not even through a browser [1].",
        "Lost followers are not replaced, apart from the households of a dwarf [1].",
        "Fire and cold cannot destroy it [1].",
        "A monthly plan sees the list, an annual plan doesn't [1].",
        "Neither oozes nor creatures that never sleep are affected by the spell [1].",
        "Nothing but the split of wooden doors is sure [1].",
    ],
)
def test_a_denial_retold_in_other_words_passes(answer: str) -> None:
    assert check(answer, (SOURCE,), "What then?") == ()


STATS = Source(
    "kit/Armour.md",
    "Armour (ARM)",
    "",
    "| Piece | ARM | Cost (gp) |\n|---|---|---|\n| Plate mail | 3 | 60 |\n| Leather | 7 | 20 |\n\n"
    "| Parent | Weeks paid |\n|---|---|\n| Parent giving birth | 18 weeks |\n"
    "| Other parent | 8 weeks |\n\n| Level | Title |\n|---|---|\n| 5 | Captain |\n| 6 | Marshal |"
    "\n\nNew saves:\n\n- Up to 3 HD: every 30 days\n- 4 to 7 HD: every 10 days\n\n"
    "Fares: 42 coins by day, 60 coins by night. The wounded rest for 1d3 rounds. 40% more at "
    "a fair. A missile does 1d6+1.",
)


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("How long do they rest?", "The wounded rest for 1d3 turns [1].", "unit"),
        ("A creature of 5 HD?", "A creature of 5 HD has a new save every 30 days [1].", "welded"),
        ("Both?", "By day and by night it is 102 coins in total [1].", "number"),
        ("Both?", "By day and by night it is 42 + 60 = 103 coins [1].", "arithmetic"),
        ("Three?", "Three missiles deal 3d6+4 in total, so 1d6+1 each [1].", "number"),
    ],
)
def test_a_number_of_another_condition_is_named(question: str, answer: str, kind: str) -> None:
    assert kind in [finding.kind for finding in check(answer, (STATS,), question)]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does plate cost?", "Plate mail is ARM 3 and costs 60 gp [1]."),
        ("And the other one?", "The other parent has 8 weeks [1]."),
        ("A creature of 5 HD?", "A creature of 5 HD has a new save every 10 days [1]."),
        ("Who is of level 6?", "At level 6 he is a Marshal [1]."),
        ("Both?", "By day and by night it is 42 + 60 = 102 coins [1]."),
        ("3 missiles?", "3 missiles deal 3 × (1d6+1) = 3d6+3 [1]."),
        ("At a fair by night?", "By night it is 60 × 1.4 = 84 coins at a fair, 40% more [1]."),
    ],
)
def test_a_number_of_its_own_condition_or_of_a_shown_sum_passes(question: str, answer: str) -> None:
    assert check(answer, (STATS,), question) == ()


def test_a_number_of_no_passage_is_told_with_what_to_do_about_it() -> None:
    (finding,) = check("By day and by night it is 102 coins in total [1].", (STATS,), "Both?")
    assert "write the sum out" in finding.message
