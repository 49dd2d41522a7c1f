"""The table that is written into the README."""

from pathlib import Path

import pytest

from evals import table
from evals.measure import summary
from retrieval.errors import ConfigurationError
from tests.support.made.made import found, question, run_of, searched

PAGE = "before\n<!-- measured: make table -->\nold\n<!-- end of measured -->\nafter\n"


def test_only_the_table_is_written(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(PAGE, "utf-8")
    table.put(page, "new")
    assert page.read_text("utf-8") == PAGE.replace("old", "new")


@pytest.mark.parametrize("old", ["<!-- measured: make table -->", "<!-- end of measured -->"])
def test_a_document_without_its_lines_stays_as_it_is(tmp_path: Path, old: str) -> None:
    page = tmp_path / "README.md"
    page.write_text(PAGE.replace(old, ""), "utf-8")
    with pytest.raises(ConfigurationError, match="restore them"):
        table.put(page, "new")
    assert page.read_text("utf-8") == PAGE.replace(old, "")


def test_the_readme_has_a_place_for_the_table() -> None:
    table.around(table.README)


def test_the_table_says_what_was_found_and_refused_of_a_run() -> None:
    run = run_of(
        searched(
            (question(1, name="hit"), found(1, 2)),
            (question(5, name="late"), found(3, 4, 5)),
            (question(name="off"), found()),
        )
    )
    head, _, line, _, measured = table.table([run], [summary.summed(run)]).split("\n")
    assert head.startswith("| gate split | n | recall@2 (95 %) | MRR |")
    assert line == (
        "| q.jsonl, 1 files | 2 | 0.500 (0.09 to 0.91) | 0.667 | 1 of 1 | 0 of 2 | 3 ms |"
    )
    assert measured.startswith("Measured on 20")
