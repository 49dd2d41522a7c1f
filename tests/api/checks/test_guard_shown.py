"""Sums shown in words, rows and columns that are named, and what is said to be otherwise."""

import pytest

from api.checks.guard.findings import check
from api.checks.passage_lines import Source

SOURCE = Source(
    "inn/Rates.md",
    "Rates",
    "",
    "Breakfast is 16 euros, lunch 26 euros and dinner 48 euros. A curse is lifted for 500 gp; "
    "the faithful pay half. More than two Sundays in a month do count. One hundredth of the price "
    "is due. Half of the guests pay.\n\nCharities are locked on day 45 and not on day 21. Others "
    "are locked on day 21.\n\nThe blessing does not apply to undead or oozes. A late guest is cut "
    "off from the stables, not from the kitchen. The copy is locked, not erased. "
    "Nobody in chain climbs above 8 feet. Dwarves begin at 40 + 2d6.\n\n"
    "Care is 10 days a year for each child under 12.\n\n"
    "| Worn | Up to 400 coins | 401-800 coins |\n|---|---|---|\n| Chain | 50% | 70% |\n"
    "| Plate | 80% | 90% |\n\n"
    "| 1d6 | Room | Guests |\n|---|---|---|\n| 1-4 | Full | 9 |\n| 5-6 | Empty | 0 |\n\n"
    "| Trait | Benefit | Drawback |\n|---|---|---|\n| Iron Gut | +2 on saves | double rations |\n"
    "| Heavy Hand | +1 to doors | -1 with missiles |\n",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("All?", "Breakfast is 16, lunch 26 and dinner 48 euros, which adds up to 90 euros [1]."),
        ("Curse?", "It costs 500 gp, and the faithful pay half, so 250 gp [1]."),
        ("Share?", "1% of the price is due [1]."),
        ("Locked?", "Charities are locked on day 45 instead of day 21 [1]."),
        ("Late?", "A late guest loses the stables, but the kitchen still serves [1]."),
        ("Chain?", "8 feet is the ceiling for anybody in chain [1]."),
        ("A dwarf?", "A dwarf begins at 40 + 2d6, i.e. between 42 and 52 [1]."),
        ("Empty?", "A room is empty on 5-6, two chances in six [1]."),
        ("Chain with 500 coins?", "In chain with 500 coins it is 70% [1]."),
    ],
)
def test_a_step_or_a_limit_in_words_passes(question: str, answer: str) -> None:
    found = [one for one in check(answer, (SOURCE,), question) if one.kind != "uncited"]
    assert found == []


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("All?", "Breakfast is 16, lunch 26 and dinner 48 euros, in total 91 euros [1].", "number"),
        ("Curse?", "It costs 500 gp, and the faithful pay half, so 200 gp [1].", "number"),
        ("Oozes?", "The blessing works on oozes and undead too [1].", "negation"),
        ("Copy?", "The copy is locked and erased [1].", "negation"),
        ("Care?", "Care is 12 days a year for each child under 12 [1].", "number"),
        ("How?", "*Passwall* opens it. The copy is locked [1].", "name"),
    ],
)
def test_a_wrong_step_row_column_or_no_is_named(question: str, answer: str, kind: str) -> None:
    assert kind in [finding.kind for finding in check(answer, (SOURCE,), question)]
