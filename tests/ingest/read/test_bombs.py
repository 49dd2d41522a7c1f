"""Files that explode are refused by name, within a budget; the others go in."""

import resource
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ingest import pipeline
from ingest.chunking import document
from ingest.chunking.document import IndexedChunk
from ingest.read.vault import SourceFile
from ingest.sandbox import budget, parsing
from retrieval.context import SearchContext
from retrieval.encoder import weights
from retrieval.encoder.weights import ModelFiles
from retrieval.errors import FileRejectedError
from tests.conftest import RULES, write_vault
from tests.support.faults.failing_worker import LACKS, OTHERS, UNSURE
from tests.support.index.cutting import ENTRY_LIMIT, index, tokens
from tests.support.index.index_state import found

PROSE = "A fall deals 1d6 for each ten feet fallen.\n\n"
RAGGED = "|a" * 255 + "|\n" + "|-" * 255 + "|\n" + "|b|\n" * 255 + "\n"  # 2 KB, 65,280 cells
MEMORY = "takes over 512 MB to read; split it"
ENDED = "the process that reads it ended with status 1"
LONG = "a\n" * (budget.SMALL_BYTES // 2)  # so that another process reads it


def read(text: str, model: ModelFiles | None = None) -> list[IndexedChunk]:
    """Cut a text within the budgets."""
    file = SourceFile("1. Rules/a.md", text, "", 0)
    files = model or weights.bundled_encoder()
    return parsing.index(files, file, entry_limit=ENTRY_LIMIT, count=tokens().count)


def refusal(text: str, model: ModelFiles | None = None) -> str:
    with pytest.raises(FileRejectedError) as caught:
        read(text, model)
    assert caught.value.path == "1. Rules/a.md"
    return caught.value.reason


def processor_seconds() -> float:
    """Of this process and of those that it started and that have ended."""
    both = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


def children_seconds() -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def memory(name: str) -> int:
    """Bytes of this process: VmRSS now, VmHWM at most since it was reset."""
    lines = Path("/proc/self/status").read_text("ascii").split("\n")
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


@pytest.mark.proves("row 3", "promise 6", "promise 8")
def test_four_bombs_are_named_and_two_good_files_go_in(
    search_context: SearchContext, vault: Path
) -> None:
    good = {path: text + "\nMore of it.\n" for path, text in list(RULES.items())[:2]}
    (vault / list(RULES)[2]).unlink()
    write_vault(vault, good)
    write_vault(vault, {"tables.md": RAGGED * 100, "deep.md": ("> " * 50 + "x\n\n") * 48_000})
    (vault / "line.md").write_bytes(b"a" * 10_000_000)
    with (vault / "huge.md").open("wb") as file:
        file.truncate(100_000_000)
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # let VmHWM begin again
    held, started = memory("VmRSS"), processor_seconds()
    report = pipeline.run(search_context, vault)
    assert processor_seconds() - started < 45
    assert memory("VmHWM") - held < 100_000_000
    assert sorted(report.plan.changed) == sorted(good)
    reasons = {error.path: error.reason for error in report.rejected}
    assert set(reasons) == {"tables.md", "deep.md", "line.md", "huge.md"}
    assert reasons["tables.md"].startswith("its tables have 6,528,000 cells, over 200,000")
    assert "over 10 s to read" in reasons["deep.md"] or "over 512 MB" in reasons["deep.md"]
    assert all("over 5,000,000 bytes" in reasons[name] for name in ("line.md", "huge.md"))
    assert report.files == 2
    assert found(search_context, "How long does a torch burn?")[0] in good


@pytest.mark.proves("row 3")
def test_a_file_that_needs_too_much_memory_is_refused() -> None:
    assert "takes over 512 MB to read" in refusal("word " * 999_999)


@pytest.mark.proves("row 3")
@pytest.mark.parametrize(("way", "words"), UNSURE.items())
def test_an_error_beside_full_memory_is_told_with_the_limit(
    way: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "_WORKER", "tests.support.faults.failing_worker")
    reason = refusal(f"{way}\n{LONG}")
    assert reason.startswith("takes over 512 MB to read, it seems; split it (")
    assert words in reason


@pytest.mark.proves("row 3")
@pytest.mark.parametrize(
    ("way", "said"),
    [
        *[(way, MEMORY) for way in LACKS],
        *[(way, f"{ENDED}: {way}: made up") for way in OTHERS],
    ],
)
def test_a_lack_of_memory_is_named_however_it_shows_itself_and_no_other_error_is(
    way: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "_WORKER", "tests.support.faults.failing_worker")
    assert refusal(f"{way}\n{LONG}") == said


@pytest.mark.proves("row 3")
@pytest.mark.parametrize("limit", range(80_000_000, 140_000_000, 7_654_321))
def test_wherever_memory_runs_out_the_limit_is_named(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "_WORKER", "tests.support.faults.failing_worker")
    monkeypatch.setenv("MADE_UP_MEMORY", str(limit))
    assert "takes over 512 MB to read" in refusal(("> " * 50 + "x\n\n") * 24_000)


@pytest.mark.proves("row 3", "row 6")
def test_front_matter_of_megabytes_is_refused() -> None:
    assert "front matter is over 65,536 bytes" in refusal("---\n" + "a: b\n" * 400_000 + "---\n")


@pytest.mark.proves("row 3")
def test_a_large_file_is_cut_by_a_process_of_its_own_as_a_small_one_is_by_ours() -> None:
    text = "# Falling\n\n" + PROSE * (budget.SMALL_BYTES // len(PROSE) + 1)
    before = children_seconds()
    assert read(text) == index(text)
    assert children_seconds() > before
    before = children_seconds()
    assert read(text[:20_000]) == index(text[:20_000])
    assert children_seconds() == before


@pytest.mark.proves("row 3", "promise 3")
def test_small_and_unchanged_files_start_no_process(
    search_context: SearchContext, vault: Path
) -> None:
    write_vault(vault, {"long.md": "# Long\n\n" + "a\n" * (budget.SMALL_BYTES // 2 + 1)})
    before = children_seconds()
    pipeline.run(search_context, vault)
    first = children_seconds()
    assert first > before
    write_vault(vault, {"small.md": PROSE})
    pipeline.run(search_context, vault)
    assert children_seconds() == first


@pytest.mark.proves("row 3", "promise 6")
def test_a_process_that_fails_says_why(tmp_path: Path) -> None:
    model = ModelFiles("an encoder without files", tmp_path, "")
    reason = refusal(PROSE * 4_000, model)
    assert "ended with status 1" in reason
    assert "an encoder without files: no tokenizer.json in its folder" in reason


CELLS = st.sampled_from(["", "a", " b ", "\\|", "`|`"])
ROWS = st.lists(CELLS, max_size=9).map(lambda cells: "|".join(["", *cells, ""]))
DELIMITERS = st.lists(st.sampled_from(["-", ":-:", " --- "]), min_size=1, max_size=7).map("|".join)
MARKS = st.sampled_from(["", "> ", "  ", "- ", "> - "])


@st.composite
def tables(draw: Callable[..., str]) -> str:
    """Tables of all shapes, in quotes and lists too, one below the other."""
    mark, delimiter = draw(MARKS), draw(DELIMITERS)
    width = delimiter.count("|") + 1
    header = draw(st.sampled_from(["|a" * width + "|", "a|" * (width - 1) + "b", "|a"]))
    inner = mark.replace("- ", "  ")
    rows = draw(st.lists(ROWS | st.sampled_from(["x", "", "# A"]), max_size=12))
    bars = draw(st.sampled_from(["|{}|", "{}"])).format(delimiter)
    return "\n".join([mark + header, inner + bars, *(inner + row for row in rows)])


@pytest.mark.proves("row 3")
@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(tables(), min_size=1, max_size=3).map("\n\n".join))
def test_cells_are_never_counted_too_low(text: str) -> None:
    parsed = MarkdownIt("commonmark").enable("table").parse(text)
    cells = [token for token in parsed if token.type in {"th_open", "td_open"}]
    assert budget.cells(text) >= len(cells)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("| a | b |\n|---|---|\n| c | d |\n| e |\n\ntext\n", 6),
        ("a | b\n--- | ---\nc | d\n", 4),
        ("> | a |\n> |---|\n> | b |\n>\n> text", 2),
        (RAGGED, 255 * 256),
        ("---\na: b\n---\na\n---\nb\n***\n- b\n- c | d\n", 0),
        ("", 0),
    ],
)
def test_cells_of_ordinary_tables_are_counted_exactly(text: str, cells: int) -> None:
    assert budget.cells(text) == cells


def test_a_file_within_the_budgets_is_what_it_was() -> None:
    for text in RULES.values():
        file = SourceFile("1. Rules/a.md", text, "", 0)
        assert read(text) == document.index(file, entry_limit=ENTRY_LIMIT, count=tokens().count)
