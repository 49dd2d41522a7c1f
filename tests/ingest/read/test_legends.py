"""What a text explains of its abbreviations, and which explanation a table takes."""

import pytest

from ingest.read import markdown
from ingest.read.outline import outline
from retrieval.text.legends import explained


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Legend: Hl = hull points, Cr = least crew; MCr = price in million credits.",
            {"Hl": "hull points", "Cr": "least crew", "MCr": "price in million credits"},
        ),
        ("SV = saving throw (N = none)", {"SV": "saving throw", "N": "none"}),
        ("Tm = temper (c calm, l lively)", {"Tm": "temper", "c": "calm", "l": "lively"}),
        ("S / M / L = short, middle and long range", {"S / M / L": "short, middle and long range"}),
        ("x = contains, – = free; % = share", {"x": "contains", "–": "free", "%": "share"}),
        ("**PD:** per diem, **OT** – overtime", {"PD": "per diem", "OT": "overtime"}),
        ("Overtime (OT) counts towards Hit Dice (HD).", {"OT": "Overtime", "HD": "Hit Dice"}),
        ("**Range:** 60 feet. **Save:** Strength avoids evil. One turn = 10 minutes.", {}),
        ("if a == b or c != d", {}),
    ],
)  # fmt: skip
def test_what_a_line_explains(text: str, found: dict[str, str]) -> None:
    assert dict(explained(text)) == found


def rows(source: str) -> list[list[str]]:
    placed = outline(markdown.parse(source))
    return [[row.text for row in one.table.rows] for one in placed if one.table]


def test_a_legend_beside_a_table_is_said_in_full_in_heads_and_cells() -> None:
    source = """# Ships
Hl = hull points, Cl = class (A armed, U unarmed).
| Hull | Hl | Cl | Yr |
|---|---|---|---|
| Liner | 60 | A, U | A year |
"""
    assert rows(source) == [
        ["Liner: hull points (Hl) 60; class (Cl) armed, unarmed (A, U); Yr A year"]
    ]


def test_the_nearest_legend_of_a_section_counts_and_then_what_the_file_agrees_on() -> None:
    table = "| Item | D | Wt |\n|---|---|---|\n| Net | 3 | 5 |\n"
    source = (
        f"# One\nD = damage, Wt = weight\n\n{table}\nD = days\n\n{table}\n"
        f"# Two\nD = depth\n\n{table}\n# Three\n\n{table}"
    )
    assert rows(source) == [
        ["Net: damage (D) 3; weight (Wt) 5"],
        ["Net: days (D) 3; weight (Wt) 5"],
        ["Net: depth (D) 3; weight (Wt) 5"],
        ["Net: D 3; weight (Wt) 5"],  # the file says three things of D
    ]
