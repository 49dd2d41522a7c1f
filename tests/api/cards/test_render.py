"""Cards as Markdown: what a reader sees of a row, of fields, of items and of a folded card."""

from dataclasses import replace

import pytest

from api.answer.cards import render
from api.answer.cards.blocks import blocks
from api.answer.cards.card import Card, Piece, badges_of, form_of, numbers, words
from retrieval.models import Chunk, SourceNote
from tests.support.index.indexed_text import indexed_file

STATS = "# Ogre\n\n| | |\n|---|---|\n| **Armour** | 5 |\n| Hit Dice | 4 |\n| Morale | 10 |\n"
ARMS = "# Arms\n\n| Arm | Cost | Harm |\n|---|---:|---|\n| Bow | 5 | 1d6 |\n| Axe | | 1d8 |\n"
KIT = "# Kit\n\nTake:\n\n- a rope\n  - of hemp\n- a lamp\n- a tent\n"


def card(source: str, parts: int | None = None) -> Card:
    """A card of a file's last block, or of its first `parts` parts; its best entry is the first."""
    file = indexed_file(source)
    block = blocks(file)[-1]
    shown = block.parts[:parts]
    piece = Piece(form_of(block), block.lead, shown, len(block.parts) - len(shown))
    best = next(entry for entry in file.entries if block.holds(entry))
    return Card(
        path=file.path,
        heading=block.heading,
        form=piece.form,
        pieces=(piece,),
        lines={number: file.lines.get(number, "") for number in numbers(piece)},
        marked=shown[:1],
        best=best,
        chunk=Chunk(file.path, block.heading, 1, 9, source),
        score=1.0,
    )


def test_the_fields_of_a_stat_block_are_a_list() -> None:
    assert render.text(card(STATS)) == "- **Armour:** 5\n- **Hit Dice:** 4\n- **Morale:** 10"


def test_fields_that_are_lines_stay_as_they_are() -> None:
    source = "# Fog\n\n**Range:** 60’\n\n__Duration__: 3 turns\n"
    assert render.text(card(source)) == "- **Range:** 60’\n- __Duration__: 3 turns"


@pytest.mark.parametrize(
    ("source", "parts", "said"),
    [
        (ARMS, 1, "… 1 more row"),
        (STATS, 1, "… 2 more fields"),
        (KIT, 1, "… 2 more items"),
        (KIT, 2, "… 1 more item"),
    ],
)
def test_what_is_left_out_is_counted(source: str, parts: int, said: str) -> None:
    assert render.text(card(source, parts)).endswith(f"\n\n{said}")
    assert "more" not in render.text(card(source))


def test_a_table_without_a_header_gets_one_without_names() -> None:
    shown = card("# T\n\n| Bow | 5 |\n|---|---|\n| Axe | 7 |\n| Mace | 6 |\n")
    piece = replace(shown.pieces[0], lead=None)
    text = render.table(replace(shown, form="table", pieces=(piece,)), piece)
    assert text == "| | |\n|---|---|\n| Bow | 5 |\n| Axe | 7 |\n| Mace | 6 |"


def test_a_card_has_its_place_and_number_above_it() -> None:
    shown = [card(KIT), replace(card(ARMS), path="2. Cleric/a.md", badges=("errata",))]
    text = render.markdown(shown)
    assert text.startswith(
        "**[1] Kit** (Rules) (1. Rules/a.md:3-8)\n\nTake:\n\n- a rope\n  - of hemp\n"
    )
    assert "\n\n**[2] Arms** (Cleric; errata) (2. Cleric/a.md:3-6)\n\n| Arm |" in text
    assert render.markdown([]) == ""


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (ARMS, "(1. Rules/a.md:5): Bow · Cost: 5 · Harm: 1d6"),
        (KIT, "(1. Rules/a.md:5): a rope"),
        (STATS, "(1. Rules/a.md:5): **Armour**: 5"),
        ("# T\n\n> Take care\n> of this.\n", "(1. Rules/a.md:3-4): Take care of this."),
        ("# T\n\n1. [ ] First\n   this.\n", "(1. Rules/a.md:3-4): First this."),
    ],
)
def test_a_folded_card_is_its_best_entry_on_the_line_of_its_place(source: str, line: str) -> None:
    text = render.markdown([replace(card(source), folded=True)])
    assert " ".join(text.split()).endswith(line)
    assert "\n" not in text


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("A <!-- not yet --> rule", "A  rule"),
        ("See [[Kraken]] and [[2. Beasts/Selkie|selkies]].", "See Kraken and selkies."),
        ("> [!note] Take care\n> of this", "> **Take care:**\n> of this"),
        ("a [link](Crew.md) stays  ", "a [link](Crew.md) stays"),
    ],
)
def test_what_only_a_program_reads_is_not_shown(source: str, shown: str) -> None:
    assert render.plain(source) == shown


@pytest.mark.parametrize(
    "source", ["<img src=x>", "![x](http://evil.example)", "http://evil.example/x", "a\u202eb"]
)
def test_what_a_program_would_fetch_or_hide_is_taken_out(source: str) -> None:
    text = render.markdown([card(f"# T\n\nBefore {source} behind.\n")])
    assert source not in text
    assert "Before" in text
    assert "behind." in text


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("Speed > 10 knots", "Speed > 10 knots"),
        ("Range & area: 5_000 * 2", "Range & area: 5_000 * 2"),
        ("Oil <b>x</b>", r"Oil \<b>x\</b>"),
        ("![x](a.png)", r"\!\[x\](a.png)"),
        ("a\u202eb", r"a\u202eb"),
    ],
)
def test_a_heading_is_text(heading: str, shown: str) -> None:
    text = render.markdown([replace(card(KIT), heading=heading)])
    assert text.startswith(f"**[1] {shown}** (1. Rules/a.md:3-8)")


def test_marks_of_markdown_are_no_words() -> None:
    assert words("| Cook | 25 |\n|---|---|\n- **two** words —") == 4


def test_what_stands_between_the_parts_and_behind_them_is_marked() -> None:
    shown = card(KIT)
    piece = shown.pieces[0]
    assert render.text(replace(shown, pieces=(piece, replace(piece, skipped=2)))).count("…") == 1
    assert render.text(replace(shown, rest=3)).endswith("- a tent\n\n…")
    assert replace(shown, rest=3).left_out == 3
    assert render.text(replace(card(KIT, 1), rest=3)).endswith("… 2 more items")


@pytest.mark.parametrize(
    ("quote", "lead", "said"),
    [
        ("| 2 | Server | 16 | - |", "| Level | Title | Save | |\n| | | D | W |\n|---|---|---|---|",
         "2 · Title: Server · Save D: 16 · Save W: -"),
        ("| Axe | | 1d8 |", "| Arm | Cost | Harm |\n|---|---|---|", "Axe · Harm: 1d8"),
        ("| Axe | 7 | 1d8 |", "| Arm | Cost |\n|---|---|", "Axe · 7 · 1d8"),
        ("| Armour | 5 |", "", "Armour: 5"),
        ("| Hit Dice | 4 |", "| AC | 3 [16] |\n|---|---|", "Hit Dice: 4"),  # the head is a field
    ],
)  # fmt: skip
def test_a_row_on_one_line_names_its_columns(quote: str, lead: str, said: str) -> None:
    row = replace(card(ARMS).best, kind="row", quote=quote, lead=lead)
    assert render.text(replace(card(ARMS), folded=True, best=row)) == said


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("> [!note] Optional: a staff.", "**Optional: a staff.**"),
        ("A staff. %% second rank is best %%", "A staff."),
        ("- the fare <!-- 212 -->", "the fare"),
        ("- the fare\n  in full ^fare-2", "the fare in full"),
        ("Chance is 5%% by day and 10%% by night.", "Chance is 5%% by day and 10%% by night."),
    ],
)
def test_what_only_a_note_program_reads_is_not_shown_on_one_line(quote: str, said: str) -> None:
    entry = replace(card(KIT).best, kind="sentences", quote=quote, lead="")
    assert render.text(replace(card(KIT), folded=True, best=entry)) == said


def test_a_folded_wide_row_shows_what_is_asked_for() -> None:
    names = ["Rank", "Pay", "Coat", "Boots", "Horse", "Tent", "Sword"]
    cells = ["Sergeant", "12", "red", "tall", "bay", "own", "long"]
    wide = f"# Ranks\n\n|{'|'.join(names)}|\n|{'---|' * 7}\n|{'|'.join(cells)}|\n"
    folded = replace(card(wide), folded=True)
    assert render.text(replace(folded, columns=frozenset({"Horse"}))) == "Sergeant · Horse: bay · …"
    assert render.text(folded) == (
        "Sergeant · Pay: 12 · Coat: red · Boots: tall · Horse: bay · Tent: own · …"
    )


@pytest.mark.parametrize(
    ("note", "badges"),
    [
        (SourceNote("a.md"), ()),
        (SourceNote("a.md", "Standard"), ()),
        (SourceNote("a.md", "Erratum", "2nd"), ("errata", "edition 2nd")),
        (SourceNote("a.md", "house rule"), ("house-rule",)),
        (SourceNote("a.md", "Superseded"), ("superseded",)),
        (SourceNote("a.md", edition="1st"), ("edition 1st",)),
    ],
)
def test_a_card_is_marked_by_what_its_front_matter_says(
    note: SourceNote, badges: tuple[str, ...]
) -> None:
    assert badges_of(note) == badges


def test_namesakes_are_told_apart_by_their_folders() -> None:
    paths = [
        "4. Magic/1. Cleric Spells/Light.md",
        "4. Magic/2. Magic-User Spells/Light.md",
        "4. Magic/1. Cleric Spells/Bless.md",
    ]
    assert render.variants(paths) == ["Cleric Spells", "Magic-User Spells", ""]
    assert render.variants(["a/x/leave.md", "b/x/leave.md"]) == ["a", "b"]
    assert render.variants(["leave.md", "b/leave.md"]) == ["", "b"]
    assert render.variants(["a/b/leave.md", "a/leave.md"]) == ["b", "a"]


def test_rows_come_without_the_padding_of_their_source() -> None:
    padded = "# Arms\n\n| Arm        | Cost   |\n|------------|--------|\n| Bow        | 5      |\n"
    assert render.text(card(padded)) == "| Arm | Cost |\n|---|---|\n| Bow | 5 |"
