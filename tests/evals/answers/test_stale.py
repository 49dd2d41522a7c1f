"""evals.stale: which state an answer shows, and that a stale or torn program turns it red."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from evals import stale
from evals.answers.running_apis import Stage, opened
from evals.labels.options import HANDBOOK
from evals.stale import (
    EditCase,
    Reply,
    RulePlace,
    State,
    cases,
    replies,
    row,
)
from ingest import pipeline
from retrieval.context import open_context
from retrieval.errors import DatasetError
from retrieval.settings import Settings
from tests.conftest import write_vault
from tests.support.source.promises_table import Runs

FOUR, SIX = RulePlace("devices.md", "after 4 years"), RulePlace("devices.md", "after 6 years")
MOVED = RulePlace("laptops.md", "after 4 years")
FILES = {
    path: (HANDBOOK / path).read_text("utf-8")
    for path in ("people/remote-work.md", "billing/refunds.md", "support/on-call.md")
}
FAULTY = "tests.support.faults.stale_programs"
CASES = {case.name: case for case in cases()}


def body(*cited: RulePlace, answer: str = "") -> dict[str, Any]:
    return {"answer": answer, "citations": [{"path": p.path, "quote": p.words} for p in cited]}


@pytest.mark.parametrize(
    ("places", "given", "expected"),
    [
        ((FOUR, SIX), body(FOUR), "old"),
        ((FOUR, SIX), body(SIX), "new"),
        ((FOUR, SIX), body(FOUR, SIX), "both"),
        ((FOUR, SIX), body(SIX, answer="Replaced after 4 years."), "both"),
        ((FOUR, SIX), body(), "neither"),
        ((FOUR, None), body(FOUR), "old"),
        ((FOUR, None), body(), "new"),
        ((None, FOUR), body(), "old"),
        ((None, FOUR), body(FOUR), "new"),
        ((FOUR, MOVED), body(MOVED, answer="Replaced after 4 years."), "new"),
        ((FOUR, MOVED), body(FOUR, MOVED), "both"),
    ],
)
def test_an_answer_shows_one_state(
    places: Sequence[RulePlace | None], given: dict[str, Any], expected: State
) -> None:
    assert stale.state(given, EditCase("number", lambda _: None, "When?", *places)) == expected


def test_only_the_new_state_is_right_after_the_ingest_and_either_while_it_runs() -> None:
    sound = [Reply(1, "before", "old", "1.1", ""), Reply(1, "during", "old", "1.1", ""),
             Reply(2, "during", "new", "1.2", ""), Reply(2, "after", "new", "1.2", "")]  # fmt: skip
    case = CASES["number in prose"]
    assert row(case, sound).fault == ""
    for wrong, told in (
        (Reply(1, "after", "old", "1.1", ""), "1 replies of API 1 after the ingest: old"),
        (Reply(2, "during", "both", "1.2", ""), "API 2 during the ingest: both"),
        (Reply(2, "during", "error", "", "status 503: busy"), "error status 503: busy"),
    ):
        assert told in row(case, [*sound, wrong]).fault


def test_every_edit_fits_the_handbook(tmp_path: Path) -> None:
    vault = Path(shutil.copytree(HANDBOOK, tmp_path / "vault"))
    for case in cases():
        files = {
            path.relative_to(vault).as_posix(): path.read_text() for path in vault.rglob("*.md")
        }
        for place, there in ((case.old, True), (case.new, False)):
            assert place is None or (place.words in files.get(place.path, "")) == there
        case.edit(vault)
        if case.new:
            assert case.new.words in (vault / case.new.path).read_text("utf-8")
    with pytest.raises(DatasetError, match="mend the case"):
        CASES["number in prose"].edit(vault)


def test_nothing_measured_is_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert stale.main(["--only", "no such case", "--results", str(tmp_path)]) == 2
    assert "no case has 'no such case'" in capsys.readouterr().err


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Two sound APIs and one that caches, over a database of their own."""
    vault = write_vault(tmp_path_factory.mktemp("stale"), FILES)
    programs = [("api",), ("api",), (FAULTY, "caching")]
    with opened(vault, programs) as stage:
        ingest(stage)
        yield stage


def ingest(stage: Stage) -> None:
    """Ingest its vault in this process, which has imported everything."""
    given = {"rag_data_dir": stage.folder / "pg", "vault": stage.vault}
    with open_context(Settings.model_validate(given)) as context:
        pipeline.run(context, stage.vault)


@pytest.fixture
def stage(running: Stage) -> Stage:
    """The same; its vault is as it was before any edit."""
    write_vault(running.vault, FILES)
    ingest(running)
    return running


@pytest.mark.proves("promise 1", "promise 5", "row 16")
@pytest.mark.parametrize("name", ["number in prose", "deleted file"])
def test_two_apis_show_every_edit_at_once_and_one_that_caches_turns_the_gate_red(
    stage: Stage, name: str, runs: Runs
) -> None:
    found = replies(stage, CASES[name])
    runs(1)
    sound = [reply for reply in found if reply.api != 3]
    assert {reply.api for reply in sound if reply.phase == "after"} == {1, 2}
    assert row(CASES[name], sound).fault == ""
    assert "of API 3 after the ingest: old" in row(CASES[name], found).fault


@pytest.mark.proves("promise 1", "promise 5", "row 16")
def test_two_apis_go_over_to_a_new_generation_while_they_are_asked(
    stage: Stage, runs: Runs
) -> None:
    case = CASES["number in prose"]
    two = [r for r in replies(stage, case, "ingest", "--rebuild") if r.api != 3]
    assert row(case, two).fault == ""
    made = {
        phase: {(r.api, int(r.generation.partition(".")[0])) for r in two if r.phase == phase}
        for phase in ("before", "during", "after")
    }
    (old,), (new,) = ({number for _, number in made[phase]} for phase in ("before", "after"))
    assert new > old
    assert {number for _, number in made["during"]} <= {old, new}
    runs(1)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("fault", "name", "of_api", "told"),
    [
        ("pinned", "number in prose", True, "of API 1 after the ingest: old"),
        ("removed files kept", "deleted file", False, "after the ingest: old"),
        ("two transactions", "number in prose", False, "during the ingest: neither"),
    ],
)
def test_every_fault_is_seen(fault: str, name: str, of_api: bool, told: str) -> None:
    faulty = (FAULTY, fault)
    programs: list[Sequence[str]] = [faulty if of_api else ("api",)]
    with opened(HANDBOOK, programs) as stage:
        stage.ingest()
        found = replies(stage, CASES[name], *(() if of_api else faulty))
    assert told in row(CASES[name], found).fault
