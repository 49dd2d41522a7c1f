"""What a run leaves behind: the folder, JUnit XML, the step's summary, annotations."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from junitparser import Failure, JUnitXml, Skipped, TestSuite

from evals.labels.dataset import Gold
from evals.measure import measurement
from evals.measure.run import Run, place
from evals.measure.summary import summed
from evals.reports import ci, stored
from tests.support.made.made import CONFIG, found, question, searched
from tests.support.made.made_run import HTML, made_run


@pytest.fixture
def run() -> Run:
    """A run of three misses and hits, and of a question without an answer."""
    return made_run()


def test_the_folder_holds_every_question_the_sums_and_the_configuration(
    run: Run, tmp_path: Path
) -> None:
    (first, _), (second, _) = stored.write(run, tmp_path), stored.write(run, tmp_path)
    assert first != second
    lines = (first / "eval_results.jsonl").read_text("utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    assert [row["id"] for row in rows] == ["hit", "late", "label", "off"]
    assert [row["lost_at"] for row in rows] == [None, "budget", "label", None]
    assert rows[1]["needed"][0]["lines"] == [5, 5]
    assert rows[1]["needed"][0]["trace"]["fused_rank"] == 3
    assert rows[1]["needed"][0]["excerpt"]["first_line"] == 3
    assert [row["rank"] for row in rows[1]["trace"]] == [1, 2, 3]
    summed = json.loads((first / "summary.json").read_text("utf-8"))
    assert (summed["passed"], summed["answerable"], summed["hits"]) == (False, 3, 1)
    assert sum(summed["lost_at"].values()) == 2
    assert summed["metrics"]["all"]["all"]["hit@2"]["mean"] == pytest.approx(1 / 3)
    assert summed["refused"]["offtopic"] == {"refused": 0, "asked": 1}
    assert json.loads((first / "config.json").read_text("utf-8")) == CONFIG
    assert measurement.read(first / "measurement.json") == run.taken
    assert (first / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_junit_has_the_gate_and_a_case_for_every_question(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "new" / "junit.xml"
    ci.write_junit("evals.retrieval", run.faults, ci.cases_of(run), path)
    suites = [suite for suite in JUnitXml.fromfile(str(path)) if isinstance(suite, TestSuite)]
    gate, *cases = [case for suite in suites for case in suite]
    assert [result.message for result in gate.result] == list(run.faults)
    kinds = [[type(result) for result in case.result] for case in cases]
    assert kinds == [[], [Failure], [Failure], [Skipped]]
    assert "vault, mine/a/light.md:5" in (cases[1].result[0].text or "")
    assert cases[1].system_out == f"What� {HTML}, 5: % | `x`?"
    ci.write_junit("evals.retrieval", (), ci.cases_of(run), path)
    assert JUnitXml.fromfile(str(path)).failures == 2


def test_annotations_mark_the_vaults_line_and_a_wrong_label_the_questions(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    ci.print_annotations(run)
    assert capsys.readouterr().out == ""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ci.print_annotations(run)
    critical, late = capsys.readouterr().out.splitlines()
    assert critical.startswith("::error file=evals/q.jsonl,line=7,title=missed%3A label::")
    assert late.startswith("::error file=vault%2C mine/a/light.md,line=5,title=missed%3A late::")
    assert "5: %25 | `x`? — lost at budget" in late
    ci.print_annotations(replace(run, faults=()))
    assert all(s.startswith("::warning ") for s in capsys.readouterr().out.splitlines())


def test_a_gold_without_a_quote_is_marked_at_its_first_line(run: Run) -> None:
    whole = replace(question(1), places=((Gold("a/light.md", ""),),))
    (outcome,) = searched((whole, found()))
    assert place(run, outcome) == (Path("vault, mine/a/light.md"), 1)


def test_the_steps_summary_is_appended_and_holds_no_html_of_the_vault(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    ci.append_summary(ci.summary(run, summed(run)))
    path = tmp_path / "summary.md"
    path.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    ci.append_summary(ci.summary(run, summed(run)))
    text = path.read_text("utf-8")
    assert text.startswith("before\n## Retrieval gate failed: 1 of 3 questions\n")
    assert "| prose | 3 | 0.333 |" in text
    assert "<script" not in text
    assert "5: % \\| \\`x\\`?" in text
