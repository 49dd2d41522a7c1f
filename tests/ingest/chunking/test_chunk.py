"""Cutting rules into chunks and entries: what belongs together stays together."""

import pytest

from ingest.chunking import document
from ingest.read.vault import SourceFile
from tests.support.index.cutting import index, tokens
from tests.support.vaults.composed_markdown import LONG


@pytest.mark.parametrize(
    "exception",
    [
        "However, nobody who floats is hurt.",
        "This does not apply to halflings.",
        "Except for thieves, who roll again.",
        "- unless the ground is soft",
        "> Not so, only when it is wet.",
    ],
)
def test_an_exception_stays_with_the_rule_above_it(exception: str) -> None:
    filler = "A torch burns for one hour in dry air and shows the way to those behind. " * 8
    rule = "A fall deals 1d6 points of damage for each 10 feet fallen."
    source = "\n\n".join(["# Falls", *[filler] * 2, rule, exception, *[filler] * 2])
    assert any(rule in i.chunk.text and exception in i.chunk.text for i in index(source))


def test_a_sentence_that_limits_the_one_before_is_in_its_entry() -> None:
    (item,) = index("# Falls\n\nA fall deals 1d6. Spikes deal 1d4. A pit is dark. Except by day.")
    quotes = [entry.quote for entry in item.entries if entry.kind == "sentences"]
    assert any("A pit is dark. Except by day." in quote for quote in quotes)


def test_every_item_of_a_long_list_has_the_lead_in_and_the_headings() -> None:
    items = [f"climb the wall of the keep number {n} with no rope at all" for n in range(60)]
    lead = "A thief of the guild may:"
    found = index(f"# Thief\n\n## Skills\n\n{lead}\n\n" + "\n".join(f"- {i}" for i in items))
    entries = [entry for item in found for entry in item.entries if entry.kind == "item"]
    assert len(found) > 1
    assert len(entries) == len(items)
    for entry in entries:
        assert f"Thief > Skills: {lead}" in entry.text
        assert entry.lead == lead
    assert all(item.chunk.context == lead for item in found[1:])


def test_a_nested_item_has_its_parent_as_lead_in() -> None:
    (item,) = index("- Fighters:\n  - any armor\n  - any weapon\n- Thieves:\n  - leather\n")
    texts = [entry.text for entry in item.entries if entry.kind == "item"]
    assert [text.split("a: ", 1)[1] for text in texts] == [
        "Fighters: any armor", "Fighters: any weapon", "Thieves: leather",
    ]  # fmt: skip


def test_each_later_part_of_a_cut_table_has_the_header_as_context() -> None:
    head = "| Weapon | Saving throws |  |\n|---|---|---|\n|  | D | W |"
    rows = [f"| Weapon number {n} | {n} | {n + 1} |" for n in range(120)]
    found = index("# Arms\n\n" + "\n".join([head, *rows]))
    assert len(found) > 2
    assert found[0].chunk.context == ""
    assert all(item.chunk.context == head for item in found[1:])
    entries = [entry for item in found for entry in item.entries if entry.kind == "row"]
    assert [entry.quote for entry in entries] == rows
    assert entries[-1].lead == head
    assert entries[-1].text.endswith("Weapon number 119: Saving throws D 119; Saving throws W 120")


def test_a_row_too_long_for_an_entry_is_several_each_with_its_label() -> None:
    head = "| Town |" + "".join(f" Legend of columns {n} |" for n in range(26))
    row = "| Seaholm |" + "".join(f" {n} or {n} or {n} |" for n in range(26))
    chunks = index(f"{head}\n{'|-' * 27}|\n{row}\n")
    said = [e.words for c in chunks for e in c.entries if e.kind == "row"]
    assert len(said) > 1
    assert all(words.startswith("Seaholm: Legend of columns ") for words in said)
    assert sum(words.count("Legend") for words in said) == 26


def test_a_table_and_a_fence_that_fit_are_whole() -> None:
    filler = "A torch burns for one hour in dry air and shows the way to those behind. " * 12
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | x |" for n in range(20))
    fence = "```\n" + "\n".join(f"# step {n}" for n in range(20)) + "\n```"
    texts = [item.chunk.text for item in index("\n\n".join(["# A", filler, table, filler, fence]))]
    assert any(table in text for text in texts)
    assert any(fence in text for text in texts)


def test_small_neighbouring_sections_share_a_chunk_and_large_ones_do_not() -> None:
    small = "# Rules\n\n## Light\n\nIt is bright.\n\n## Dark\n\nIt is not.\n"
    assert [item.chunk.heading for item in index(small)] == ["Rules"]
    large = f"# Rules\n\n## Light\n\n{LONG[:900]}\n\n## Dark\n\n{LONG[:900]}\n"
    assert [item.chunk.heading for item in index(large)] == ["Rules", "Rules > Dark"]


def test_a_chunk_without_a_heading_is_headed_by_the_title() -> None:
    assert index("A torch burns.")[0].chunk.heading == "a"
    assert index("---\ntitle: Light\n---\nA torch burns.")[0].chunk.heading == "Light"


def test_a_file_without_text_has_no_chunks() -> None:
    assert [index(text) for text in ("", "\n \n\t\n", "---\ntitle: x\n---\n\n")] == [[], [], []]


def test_a_file_without_a_title_has_its_name_as_title_and_others_have_not() -> None:
    texts = []
    for text in ("# Light\n\nIt shines.\n", "It shines.\n"):
        file = SourceFile("1. Spells/2. Glow.md", text, "", 0)
        (item,) = document.index(file, entry_limit=254, count=tokens().count)
        texts.append(item.entries[0].text)
    assert texts == ["Light: It shines.", "Glow: It shines."]
    assert document.place("1. Spells/2. Glow’s End.md") == "Spells Glow's End"
