"""Five functions made plausibly wrong: for each a gate or a test of ours is red, and green before.

Independent of evals.sabotage: nothing of its faults or of how it puts them in is used here.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import retrieval.ranking.candidates
from evals.labels import chunk_checks
from ingest.chunking import chunk
from ingest.chunking.chunk import Cut
from ingest.read import tables
from ingest.read.tables import Table
from retrieval.context import SearchContext
from retrieval.index import nearest
from retrieval.index.store import Scored
from retrieval.models import Chunk
from retrieval.ranking import fusion as fuse
from retrieval.ranking.fusion import Fused, Weights
from retrieval.text import normalize
from tests.ingest import test_pipeline
from tests.ingest.read import test_tables
from tests.retrieval import test_normalize

Check = Callable[[SearchContext, Path, Path], None]


def lint_finds_nothing(context: SearchContext, vault: Path, folder: Path) -> None:
    assert chunk_checks.lint(vault).findings == ()


def questions_and_rules_meet(context: SearchContext, vault: Path, folder: Path) -> None:
    test_normalize.test_a_question_and_a_rule_meet_in_any_spelling()


def ties_go_by_place(context: SearchContext, vault: Path, folder: Path) -> None:
    places = [("a.md", 1), ("a.md", 2), ("a.md", 10), ("b.md", 1)]
    equal = [
        Scored(row, Chunk(path, "", line, line, "x"), 0.5)
        for row, (path, line) in enumerate(places, start=1)
    ]
    for dense in (equal, equal[::-1]):
        fused = vars(retrieval.ranking.candidates)["fuse"](
            dense, [], {}, Weights(0.5, 1.0, None), {}
        )
        assert [item.scored.row_id for item in fused] == [1, 2, 3, 4]


def a_temporary_generation_is_invisible(context: SearchContext, vault: Path, folder: Path) -> None:
    test_pipeline.test_a_temporary_generation_is_invisible_and_gone_when_dropped(context, folder)


def rows_name_their_columns(context: SearchContext, vault: Path, folder: Path) -> None:
    test_tables.test_a_row_names_its_values_by_their_columns()


def off_by_one(split: Any) -> Any:
    def wrong(*args: Any) -> list[Cut]:
        cuts: list[Cut] = split(*args)
        return [replace(c, chunk=replace(c.chunk, first_line=c.chunk.first_line + 1)) for c in cuts]

    return wrong


def small_letters_only(searchable: Any) -> Any:
    return str.lower


def ties_reversed(fuse: Any) -> Any:
    def wrong(*args: Any, **options: Any) -> list[Fused]:
        backwards: list[Fused] = fuse(*args, **options)[::-1]
        return sorted(backwards, key=lambda item: -item.score)

    return wrong


def of_every_generation(search: Any) -> Any:
    def wrong(conn: Any, generation_id: int, *args: Any) -> list[Scored]:
        lists = [search(conn, one, *args) for one in range(1, generation_id + 5)]
        return sorted((s for scores in lists for s in scores), key=lambda s: -s.score)

    return wrong


def header_dropped(read: Any) -> Any:
    def wrong(lines: Sequence[str]) -> Table:
        table: Table = read(["|" * lines[0].count("|"), *lines[1:]])
        return table

    return wrong


MUTANTS: list[tuple[Any, Callable[[Any], Any], Check]] = [
    (chunk.split, off_by_one, lint_finds_nothing),
    (normalize.searchable, small_letters_only, questions_and_rules_meet),
    (fuse.fuse, ties_reversed, ties_go_by_place),
    (nearest.nearest, of_every_generation, a_temporary_generation_is_invisible),
    (tables.read, header_dropped, rows_name_their_columns),
]


@pytest.mark.parametrize(
    ("function", "mutate", "check"), MUTANTS, ids=[mutate.__name__ for _, mutate, _ in MUTANTS]
)
def test_a_wrong_version_turns_a_check_red_that_is_green_before(
    search_context: SearchContext,
    vault: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    function: Any,
    mutate: Callable[[Any], Any],
    check: Check,
) -> None:
    check(search_context, vault, tmp_path / "sound")
    assert everywhere(monkeypatch, function, mutate(function)) > 0
    with pytest.raises(AssertionError):
        check(search_context, vault, tmp_path / "mutated")


def everywhere(monkeypatch: pytest.MonkeyPatch, function: Any, mutant: Any) -> int:
    """Put `mutant` wherever a module of ours has `function`; return in how many places."""
    rooms = ("ingest", "retrieval", "evals", "tests")
    places = [
        (module, name)
        for title, module in list(sys.modules.items())
        if title.split(".")[0] in rooms and title != __name__
        for name, value in list(vars(module).items())
        if value is function
    ]
    for module, name in places:
        monkeypatch.setattr(module, name, mutant)
    return len(places)
