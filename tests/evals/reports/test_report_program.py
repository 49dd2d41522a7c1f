"""python -m evals.report: the latest page, and two runs side by side."""

import json
import os
import webbrowser
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from evals import report
from evals.gating.compare import compare
from evals.measure import measurement
from evals.measure.measurement import Measurement, QuestionRow
from evals.measure.run import Run
from evals.reports import compared, stored
from tests.evals.reports.test_report_page import Tags, words
from tests.support.made.made_measurements import measured, refusing
from tests.support.made.made_run import HTML, made_run

NAMES = {"q0": "hit", "q1": "late", "q2": "label"}


def taken(*missed: int) -> Measurement:
    """A measurement of the questions of `made_run`, these of them missed."""
    found = measured(3, missed)
    rows: dict[str, QuestionRow] = {NAMES[name]: row for name, row in found.rows.items()}
    off = refusing(found, 1, n=1).rows["x0"]
    return replace(found, rows={**rows, "off": off})


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """The folders of two runs: one question was missed in the first, two others in the second."""
    runs: list[Run] = [made_run(taken=taken(0)), made_run(taken=taken(1, 2))]
    before, now = (stored.write(run, tmp_path / "results")[0] for run in runs)
    os.utime(before / "report.html", (1, 1))
    return before, now


def test_the_latest_page_is_named_and_opened(
    folders: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    shown: list[str] = []

    def opened(uri: str) -> bool:
        shown.append(uri)
        return len(shown) == 1

    monkeypatch.setattr(webbrowser, "open", opened)
    assert report.main([]) == 0
    assert shown == []
    assert report.main(["--open"]) == 0
    newest = folders[1] / "report.html"
    assert shown == [newest.as_uri()]
    assert capsys.readouterr().out == 2 * f"{newest.relative_to(tmp_path)}\n"
    assert report.main(["--open"]) == 2
    assert "no browser could be started here; open results/" in capsys.readouterr().err


def test_without_a_run_the_command_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report.main(["--results", str(tmp_path / "none")]) == 2
    said = capsys.readouterr().err
    assert said == (
        f"evals.report: no run below {tmp_path / 'none'} has a report.html; "
        "run: python -m evals.retrieval\n"
    )


def test_two_runs_are_compared_question_by_question(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "new" / "page.html"
    paths = [str(folder) for folder in folders]
    assert report.main(["--compare", *paths, "--output", str(output)]) == 0
    assert capsys.readouterr().out == f"2 broken, 1 fixed\n{output}\n"
    text = output.read_text("utf-8")
    shown, tags = words(text), Tags(text)
    assert "2 broken, 1 fixed Of 3 questions with an answer and 1 without, in both" in shown
    assert "hit 0.667 0.333" in shown
    assert [name for name in tags.ids if name.startswith("q-")] == ["q-label", "q-late", "q-hit"]
    assert "Before: rank 1, found and shown 1 · a/light.md:3" in shown
    assert "Now: in no ranking, lost at budget 1 · a/light.md:3" in shown
    assert folders[0].name in shown
    assert folders[1].name in shown
    assert HTML not in text
    assert tags.loads == []


def test_a_run_is_compared_with_a_baseline_which_keeps_no_passages(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline = tmp_path / "baseline.json"
    measurement.write(baseline, taken(0))
    parent = ["--results", str(tmp_path / "results")]
    assert report.main(["--compare", str(baseline), str(folders[1]), *parent]) == 0
    written = tmp_path / "results" / "compare.html"
    assert capsys.readouterr().out.endswith(f"{written}\n")
    shown = words(written.read_text("utf-8"))
    assert "baseline.json keeps what came of a question and not what was returned." in shown
    assert "Now: in no ranking, lost at budget 1 · a/light.md:3" in shown


def test_a_question_that_moved_within_its_result_is_listed_last() -> None:
    before, now = taken(0), taken(1)
    row = now.rows["label"]
    moved = replace(row, metrics={**row.metrics, "reciprocal_rank": 0.5})
    now = replace(now, rows={**now.rows, "label": moved})
    first, second = stored.Side("a", before, {}, {}), stored.Side("b", now, {}, {})
    listed = compared.pairs(first, second, compare(before, now))
    ends = {pair.id: (pair.end, pair.words) for pair in listed}
    assert list(ends) == ["late", "hit", "label"]
    assert ends["label"] == ("moved", ("rank 1, found and shown", "rank 2, found and shown"))


def test_what_is_no_run_is_named_with_what_to_do(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = str(folders[0])

    def refused(path: Path) -> str:
        capsys.readouterr()
        assert report.main(["--compare", good, str(path), "--results", str(tmp_path / "x")]) == 2
        assert not (tmp_path / "x" / "compare.html").exists()
        return unescape(capsys.readouterr().err)

    assert f"there is no {tmp_path / 'gone'}; a run is written by" in refused(tmp_path / "gone")
    (folders[1] / "measurement.json").rename(tmp_path / "kept.json")
    assert f"there is no {folders[1] / 'measurement.json'}; " in refused(folders[1])
    (tmp_path / "kept.json").rename(folders[1] / "measurement.json")
    for text, what in (
        (b"{", "eval_results.jsonl:1: is not JSON"),
        (b"\xff", "eval_results.jsonl: cannot be read"),
        (b'{"kind": "list"}', "eval_results.jsonl:1 is no question's row"),
    ):
        (folders[1] / "eval_results.jsonl").write_bytes(text)
        assert what in refused(folders[1])
    odd = tmp_path / "odd.json"
    odd.write_text(json.dumps({"questions": []}), "utf-8")
    assert f"{odd}: is no baseline" in refused(odd)
    measurement.write(odd, refusing(measured(3), 1))
    assert "are in the baseline, too few to compare" in refused(odd)


def test_an_output_without_a_comparison_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        report.main(["--output", "page.html"])
    assert ended.value.code == 2
    assert "--output is for --compare" in capsys.readouterr().err
