"""What a run leaves behind: the folder, JUnit XML, the step's summary, annotations, the page."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from junitparser import Failure, JUnitXml, Skipped, TestSuite

from evals import ci, report, results, spans, summary, svg
from evals.dataset import Gold
from evals.run import Run, place
from evals.svg import Line
from retrieval.models import SearchResult
from tests.made import FILES, TOP_K, found, question, scored

HTML = "<script>alert(1)</script><img src=x onerror=alert(2)>&amp;"
CONFIG = {
    "date": "2026-11-22T00:00:00+00:00", "commit": "abc1234", "min_recall": 0.8,
    "machine": "one", "libraries": {"numpy": "2"},
}  # fmt: skip


def hostile(result: SearchResult) -> SearchResult:
    """The same search, with HTML in everything that a vault can put into a passage."""
    hits = [
        replace(hit, chunk=replace(hit.chunk, heading=HTML, text=HTML, path=f"{HTML}.md"))
        for hit in result.hits
    ]
    return replace(result, hits=tuple(hits))


@pytest.fixture
def run() -> Run:
    """A hit, a miss, a critical miss without its label, a question without an answer."""
    label = question(1, name="label", critical=True, answer=HTML)
    label = replace(label, places=((Gold("a/light.md", f"No {HTML}"),),))
    items = scored(
        (question(1, name="hit"), found(1, 2)),
        (question(5, name="late", question=f"What\x08 {HTML}, 5: % | `x`?"), found(3, 4, 5)),
        (label, hostile(found(3, 4))),
        (question(name="off"), found(3, 4)),
    )
    return Run(
        dataset=Path("evals/q.jsonl"), vault=Path("vault, mine"), top_k=TOP_K,
        scored=tuple(items), faults=("recall 0.333 is below 0.8",), config=CONFIG, files=FILES,
        page_of=spans.pages_of(FILES), tables=summary.tables(items),
    )  # fmt: skip


def test_the_folder_holds_every_question_the_sums_and_the_configuration(
    run: Run, tmp_path: Path
) -> None:
    first, second = results.write(run, tmp_path), results.write(run, tmp_path)
    assert first != second
    lines = (first / "eval_results.jsonl").read_text("utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    assert [row["id"] for row in rows] == ["hit", "late", "label", "off"]
    assert [row["lost_at"] for row in rows] == [None, "budget", "label", None]
    assert rows[1]["needed"][0]["lines"] == [5, 5]
    assert rows[1]["needed"][0]["trace"]["fused_rank"] == 3
    summed = json.loads((first / "summary.json").read_text("utf-8"))
    assert (summed["passed"], summed["answerable"], summed["hits"]) == (False, 3, 1)
    assert sum(summed["lost_at"].values()) == 2
    assert summed["metrics"]["all"]["all"]["hit@2"]["mean"] == pytest.approx(1 / 3)
    assert summed["refused"]["offtopic"] == {"refused": 0, "asked": 1}
    assert json.loads((first / "config.json").read_text("utf-8")) == CONFIG


def test_junit_has_the_gate_and_a_case_for_every_question(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "new" / "junit.xml"
    ci.write_junit(run, path)
    suites = [suite for suite in JUnitXml.fromfile(str(path)) if isinstance(suite, TestSuite)]
    gate, *cases = [case for suite in suites for case in suite]
    assert [result.message for result in gate.result] == list(run.faults)
    kinds = [[type(result) for result in case.result] for case in cases]
    assert kinds == [[], [Failure], [Failure], [Skipped]]
    assert "vault, mine/a/light.md:5" in (cases[1].result[0].text or "")
    assert cases[1].system_out == f"What� {HTML}, 5: % | `x`?"
    ci.write_junit(replace(run, faults=()), path)
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
    item = scored((whole, found()))[0]
    assert place(run, item) == (Path("vault, mine/a/light.md"), 1)


def test_the_steps_summary_is_appended_and_holds_no_html_of_the_vault(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    ci.add_step_summary(run)
    path = tmp_path / "summary.md"
    path.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    ci.add_step_summary(run)
    text = path.read_text("utf-8")
    assert text.startswith("before\n## Retrieval gate failed: 1 of 3 questions\n")
    assert "| prose | 3 | 0.333 |" in text
    assert "<script" not in text
    assert "5: % \\| \\`x\\`?" in text


class Tags(HTMLParser):
    """Collect the tags of a page and what they load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loads += [f"{name}={value}" for name, value in attrs if _loads(name)]


def _loads(name: str) -> bool:
    return name in {"src", "href", "data", "action"} or name.startswith("on")


def test_the_page_needs_nothing_else_and_escapes_every_text(run: Run) -> None:
    text = report.page(run)
    found_tags = Tags(text)
    assert found_tags.loads == []
    assert not found_tags.tags & {"script", "img", "link", "iframe"}
    assert "url(" not in text
    assert text.count("&lt;script&gt;alert(1)") >= 5  # question, answer, gold, heading, passage
    assert "&amp;amp;" in text


def test_the_page_shows_each_miss_beside_its_gold_lines(run: Run) -> None:
    text = report.page(run)
    assert "Missed questions (2)" in text
    assert text.index('id="label"') < text.index('id="late"')  # the critical one first
    late = text[text.index('id="late"') :]
    assert '<tr class="gold"><td>5</td><td>Line number 5 of light.</td></tr>' in late
    assert "1. a/light.md:3" in late
    assert "recall 0.333 is below 0.8" in text


def test_the_waterfall_goes_from_all_questions_to_the_hits() -> None:
    drawn = svg.waterfall(10, {"candidates": 2, "fusion": 0, "budget": 3}, "<hits>")
    bars = [
        (style, float(x), float(width))
        for style, x, width in re.findall(
            r'<rect class="(\w+)" x="([\d.]+)".*? width="([\d.]+)"', drawn
        )
    ]
    whole = bars[0][2]
    assert [style for style, _, _ in bars] == ["all", "lost", "lost", "lost", "kept"]
    assert [round(10 * width / whole) for _, _, width in bars] == [10, 2, 0, 3, 5]
    for (_, x, _), (_, next_x, width) in pairwise(bars[1:-1]):
        assert next_x + width == pytest.approx(x, abs=0.2)
    assert "&lt;hits&gt;" in drawn


def test_a_histogram_holds_every_value_once() -> None:
    lines = svg.histogram([("some", "a", [0.0, 0.5, 1.0, 1.0]), ("none", "b", [])], bins=2)
    assert [line.label for line in lines] == ["some"]
    assert {share for _, share in lines[0].points} == {0.0, 0.25, 0.75}
    assert svg.histogram([("none", "a", [])]) == []
    one = svg.histogram([("one", "a", [0.3])])
    assert max(share for _, share in one[0].points) == 1.0


def test_a_plot_of_a_single_place_is_drawn() -> None:
    drawn = svg.plot([Line("<x>", "a", [(0.3, 0.0)])], x_label="x", limit=0.3)
    assert "&lt;x&gt;" in drawn
    assert "nan" not in drawn


def test_a_run_without_a_candidate_has_a_page(run: Run) -> None:
    nothing = replace(found(), hits=())
    items = scored((question(1), nothing), (question(2, name="b"), nothing))
    bare = replace(run, scored=tuple(items), tables=summary.tables(items))
    assert "No question had a candidate." in report.page(bare)
    assert "None: the question was refused." in report.page(bare)
