"""evals.stale: its cases, what it calls stale, and that a stale API turns it red.

The processes of three APIs and their database are started once for the tests that need them.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals import stale
from evals.gating.integrity import on_disk
from evals.staleness import processes, report
from evals.staleness.cases import HANDBOOK, Case, Check, Place, cases, verify
from evals.staleness.judge import Judged, Reply, State, faults, read, state
from evals.staleness.processes import Program, Stage
from retrieval.errors import DatasetError
from retrieval.settings import Settings
from tests.conftest import write_vault
from tests.support.source.promises_table import Runs

FOUR, SIX = Place("devices.md", "after 4 years"), Place("devices.md", "after 6 years")
MOVED = Place("laptops.md", "after 4 years")
CHANGED = Check("When?", FOUR, SIX)
FILES = {
    path: (HANDBOOK / path).read_text("utf-8")
    for path in ("people/remote-work.md", "billing/refunds.md", "support/on-call.md")
}
PROGRAMS: tuple[Program, ...] = (("api",), ("api",), ("evals.staleness.faults", "caching"))


def body(*shown: Place, answer: str = "", cited: bool = True) -> dict[str, Any]:
    """An answer that has found these places, and cites them."""
    citations = [{"path": place.path, "quote": place.words} for place in shown if cited]
    found = [
        {"path": place.path, "context": "", "text": f"It is\n{place.words}."} for place in shown
    ]
    return {"answer": answer, "citations": citations, "passages": found, "generation": "1.1"}


def texts(vault: Path) -> dict[str, str]:
    return {path: data.decode() for path, data in on_disk(vault).items()}


@pytest.mark.parametrize(
    ("check", "given", "expected"),
    [
        (CHANGED, body(FOUR), "old"),
        (CHANGED, body(SIX), "new"),
        (CHANGED, body(FOUR, SIX), "both"),
        (CHANGED, body(SIX, answer="Replaced after 4 years."), "both"),
        (CHANGED, body(), "neither"),
        (CHANGED, body(SIX, cited=False), "neither"),  # found, and not answered
        (Check("When?", FOUR, None), body(FOUR), "old"),
        (Check("When?", FOUR, None), body(), "new"),
        (Check("When?", FOUR, None), body(answer="Replaced after 4 years."), "neither"),
        (Check("When?", None, FOUR), body(), "old"),
        (Check("When?", None, FOUR), body(FOUR), "new"),
        (Check("When?", FOUR, MOVED), body(FOUR, answer="Replaced after 4 years."), "old"),
        (Check("When?", FOUR, MOVED), body(MOVED, answer="Replaced after 4 years."), "new"),
        (Check("When?", FOUR, MOVED), body(FOUR, MOVED), "both"),
    ],
)
def test_an_answer_shows_one_state(check: Check, given: Mapping[str, Any], expected: State) -> None:
    assert state(given, check) == expected


def reply(began: float, shown: State, generation: str = "", api: int = 1) -> Reply:
    """A reply of half a second around an ingest that runs from 10 to 20."""
    made = generation or ("1.2" if shown == "new" else "1.1")
    return Reply(api, "When?", began, began + 0.5, made, shown, "")


def judged(*replies: Reply) -> Judged:
    return Judged(Case("number", lambda _: None, (CHANGED,)), 10.0, 20.0, replies)


SOUND = (reply(1, "old"), reply(11, "old"), reply(12, "new"), reply(19.8, "new"), reply(21, "new"))


def test_old_before_either_during_new_after_is_sound() -> None:
    assert list(faults(judged(*SOUND))) == []
    assert judged(*SOUND).count("during") == Counter({"new": 2, "old": 1})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (reply(22, "old"), "1 of 2 replies of API 1 after the ingest are old"),
        (reply(22, "both", "1.2"), "after the ingest are both"),
        (reply(22, "neither", "1.2"), "after the ingest are neither"),
        (reply(13, "both", "1.3"), "during the ingest are both"),
        (reply(13, "neither", "1.3"), "during the ingest are neither"),
        (reply(13, "old"), "API 1 answered from generation 1.1 after 1.2 had been seen"),
        (reply(13, "old", "1.2"), "generation 1.2 showed new and old"),
        (reply(22, "old", "1.1", api=2), "1 of 1 replies of API 2 after the ingest are old"),
    ],
)
def test_one_wrong_reply_is_a_fault(wrong: Reply, told: str) -> None:
    assert told in "\n".join(faults(judged(*SOUND, wrong)))


def test_a_reply_that_failed_is_a_fault_with_its_reason() -> None:
    raw = {"api": "http://b", "question": "When?", "began": 13.0, "ended": 13.1, "status": 503,
           "body": {"detail": "the database is busy"}}  # fmt: skip
    failed = read(raw, ["http://a", "http://b"], [CHANGED])
    assert (failed.api, failed.state) == (2, "error")
    found = list(faults(judged(*SOUND, failed)))
    assert len(found) == 1
    assert "status 503: the database is busy" in found[0]


def test_every_edit_fits_the_handbook_and_the_last_takes_all_back(tmp_path: Path) -> None:
    vault = Path(shutil.copytree(HANDBOOK, tmp_path / "vault"))
    for case in cases():
        before = texts(vault)
        case.edit(vault)
        after = texts(vault)
        assert after != before
        verify(case, before, after)
    assert texts(vault) == texts(HANDBOOK)


def test_words_that_stand_elsewhere_too_are_refused(tmp_path: Path) -> None:
    before = {"devices.md": FOUR.words, "other.md": SIX.words}
    after = {"devices.md": SIX.words, "other.md": SIX.words}
    case = Case("number", lambda _: None, (CHANGED,))
    with pytest.raises(DatasetError, match=r"stands in \['devices.md', 'other.md'\], not once"):
        verify(case, before, after)


def test_nothing_measured_is_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for only in ("no such case", "all taken back"):
        assert stale.main(["--only", only, "--results", str(tmp_path)]) == 2
    assert "no case that can stand alone has 'no such case'" in capsys.readouterr().err


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Two sound APIs and one that caches, over a database of their own."""
    vault = write_vault(tmp_path_factory.mktemp("stale"), FILES)
    with processes.opened(Settings.model_validate({}), vault, PROGRAMS) as stage:
        yield stage


@pytest.fixture
def stage(running: Stage) -> Stage:
    """The same; its vault is as it was before any edit."""
    write_vault(running.vault, FILES)
    return running


def of_sound(found: Judged) -> Judged:
    """What the two sound APIs replied."""
    sound = tuple(reply for reply in found.replies if reply.api != 3)
    assert {reply.api for reply in sound if found.phase(reply) == "after"} == {1, 2}
    return replace(found, replies=sound)


@pytest.mark.proves("promise 1", "promise 5", "row 16")
def test_two_apis_show_every_edit_at_once_and_one_that_caches_turns_the_gate_red(
    stage: Stage, runs: Runs
) -> None:
    chosen = [case for case in cases() if case.name in ("number in prose", "deleted file")]
    found = list(stale.measure(stage, chosen, ("ingest",)))
    runs(len(found))
    for one in found:
        assert list(faults(of_sound(one))) == []
    red = report.report(found, {"apis": 3})
    assert all("API 3" in fault for fault in red.faults), red.faults
    for case in chosen:
        assert any(
            fault.startswith(case.name) and "of API 3 after the ingest are old" in fault
            for fault in red.faults
        )


@pytest.mark.proves("promise 1", "promise 5", "row 16")
def test_two_apis_go_over_to_a_new_generation_while_they_are_asked(
    stage: Stage, runs: Runs
) -> None:
    (case,) = (case for case in cases() if case.name == "number in prose")
    (found,) = stale.measure(stage, [case], ("ingest", "--rebuild"))
    judged = of_sound(found)
    assert list(faults(judged)) == []
    made = {
        phase: {(r.api, int(r.generation.partition(".")[0])) for r in judged.replies
                if judged.phase(r) == phase}
        for phase in ("before", "during", "after")
    }  # fmt: skip
    old, new = (max(number for _, number in made[phase]) for phase in ("before", "after"))
    assert new > old
    assert made["before"] == {(1, old), (2, old)}
    assert made["after"] == {(1, new), (2, new)}
    assert {number for _, number in made["during"]} <= {old, new}
    runs(1)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("fault", "only", "told"),
    [
        ("pinned", "number", "of API 2 after the ingest are old"),
        ("removed files kept", "deleted", "after the ingest are old"),
        ("two transactions", "number", "during the ingest are neither"),
    ],
)
def test_every_fault_turns_the_program_red(
    fault: str, only: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = stale.main(["--only", only, "--fault", fault, "--results", str(tmp_path)])
    printed = capsys.readouterr()
    assert status == 1, printed.err
    assert told in printed.out
