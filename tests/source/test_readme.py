"""What programs write into documents."""

from pathlib import Path

import pytest

from evals import table
from evals.measure import summary
from evals.reports import document
from evals.stages.rows import FEW_ROWS, few_rows
from retrieval.errors import ConfigurationError
from tests.evals.reports.test_ablation import row
from tests.support.made.made import found, question, run_of, searched

PAGE = (
    "before\n<!-- measured: make ablation -->\nold\n<!-- end of measured -->\nbetween\n"
    "<!-- measured: make table -->\nold\n<!-- end of measured -->\nafter\n"
)


def test_the_document_has_its_rows_in_its_words_and_only_where_all_are_measured() -> None:
    rows = [row(name, [1, 2, 9, 4]) for name in FEW_ROWS]
    head, *cells = few_rows(rows)
    assert head[:4] == ("configuration", "hit@4", "MRR", "MRR against shipped (95 %)")
    assert [line[0] for line in cells] == [*FEW_ROWS.values()]
    assert cells[0][1:] == ("0.750", "0.465", "", "1 ms", "1", "0 KB a chunk")
    with pytest.raises(ConfigurationError, match=r"no rows \['fixed-dense'\] for the document"):
        few_rows(rows[:-1])


def test_only_the_part_of_the_command_is_written(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(PAGE, "utf-8")
    document.put(page, "make ablation", "new")
    document.put(page, "make table", "table")
    assert page.read_text("utf-8") == (
        "before\n<!-- measured: make ablation -->\nnew\n<!-- end of measured -->\nbetween\n"
        "<!-- measured: make table -->\ntable\n<!-- end of measured -->\nafter\n"
    )


@pytest.mark.parametrize("old", ["<!-- measured: make ablation -->", "<!-- end of measured -->"])
def test_a_document_without_its_lines_stays_as_it_is(tmp_path: Path, old: str) -> None:
    page = tmp_path / "README.md"
    page.write_text(PAGE.replace(old, "", 1), "utf-8")
    for work in (document.check, lambda path, command: document.put(path, command, "new")):
        with pytest.raises(ConfigurationError, match="restore them"):
            work(page, "make ablation")
    assert page.read_text("utf-8") == PAGE.replace(old, "", 1)


def test_our_documents_have_their_parts() -> None:
    document.check(document.README, "make table")
    document.check(document.EVALS, "make ablation")


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
