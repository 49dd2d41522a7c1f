"""The page of a run: its numbers are the run's, it needs nothing else, and it obeys no question."""

import base64
import hashlib
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from api.page import assets
from evals.gating.compare import compare
from evals.measure import summary
from evals.measure.judge import losses
from evals.measure.run import Run
from evals.measure.summary import Estimate
from evals.reports import numbers, page, plot, records
from evals.reports.plot import Curve
from tests.support.made.made import found, question, run_of, searched
from tests.support.made.made_measurements import measured
from tests.support.made.made_run import HTML, made_run
from tests.support.servers.page_fixtures import New


@pytest.fixture
def run() -> Run:
    """A run of three misses and hits, and of a question without an answer."""
    return made_run()


def html(run: Run) -> str:
    """The page of a run."""
    return page.page("q-1", run, records.lines(run), summary.summed(run))


def words(text: str) -> str:
    """The words of a page, without its tags."""
    body = text[text.index("<body>") : text.rindex("<script>")]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


class Tags(HTMLParser):
    """Collect the tags of a page, what they load, and where they lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.ids: list[str] = []
        self.hidden: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = dict(attrs)
        self.loads += [f"{name}={value}" for name, value in attrs if _loads(tag, name)]
        self.leads += [values["href"] or ""] if "href" in values else []
        name = values.get("id") or ""
        self.ids += [name] if name else []
        if name.startswith("q-"):
            self.hidden += [name] if "hidden" in values else []
            self.open += [name] if "open" in values else []


def _loads(tag: str, name: str) -> bool:
    loading = name in {"src", "srcset", "data", "action", "style", "xlink:href"}
    return loading or name.startswith("on") or (name == "href" and tag != "a")


def test_the_page_needs_nothing_else_and_its_policy_lets_nothing_in(run: Run) -> None:
    text = html(run)
    tags = Tags(text)
    assert tags.loads == []
    assert all(lead.startswith("#") for lead in tags.leads)
    assert (tags.tags.count("script"), tags.tags.count("style")) == (1, 1)
    assert not {"img", "link", "iframe", "object", "base"} & set(tags.tags)
    assert all(found.startswith("url(#") for found in re.findall(r"url\([^)]*", text))
    policy = unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', text)[0])
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for name in ("style", "script"):
        inside = text[text.index(f"<{name}>") + len(name) + 2 : text.index(f"</{name}>")]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy


def test_the_page_has_the_colours_and_the_type_of_the_page_that_answers(run: Run) -> None:
    text = html(run)
    shared = (assets.FOLDER / "base.css").read_text("utf-8")
    assert text.count(shared) == 1
    named = re.findall(r"^\s*(--[\w-]+):|[;{]\s*(--[\w-]+):", shared, re.MULTILINE)
    assert {"--accent", "--mark", "--small", "--text"} <= {one or other for one, other in named}
    sheets = [page.style().replace(shared, ""), (assets.FOLDER / "page.css").read_text("utf-8")]
    for sheet in sheets:  # no colour and no size of its own
        assert not re.findall(r"#[0-9a-f]{3,8}\b(?![^{]*\{)", sheet)
        assert not re.findall(r"font(?:-size)?: [^;]*\d(?:rem|px)\b(?!/| var)", sheet)


def test_every_flip_leads_to_its_question(run: Run) -> None:
    names = dict(zip(("q0", "q1", "q2"), ("hit", "late", "label"), strict=True))
    before, now = (
        replace(one, rows={names[name]: row for name, row in one.rows.items()})
        for one in (measured(3, {0}), measured(3, {1, 2}))
    )
    text = html(replace(run, comparison=compare(before, now)))
    tags = Tags(text)
    assert len(tags.ids) == len(set(tags.ids))
    flips = [lead for lead in tags.leads if lead.startswith("#q-")]
    assert flips == ["#q-label", "#q-late", "#q-hit"]  # the broken ones first
    assert {lead[1:] for lead in flips} <= set(tags.ids)
    assert "2 broken 1 fixed of 3 questions with an answer" in words(text)
    assert re.findall(r'id="q-(\w+)"[^>]*data-flip="(\w*)"', text) == [
        ("label", "broken"), ("late", "broken"), ("off", ""), ("hit", "fixed"),
    ]  # fmt: skip


def test_no_text_of_a_question_or_a_vault_becomes_markup(run: Run) -> None:
    text = html(run)
    assert text.count("&lt;script&gt;alert(1)") >= 5  # question, answer, gold, heading, passage
    assert "&amp;amp;" in text
    assert "<img" not in text


def test_the_numbers_of_the_page_are_the_runs(run: Run) -> None:
    shown = words(html(run))
    passed = [float(outcome.passed) for outcome in run.answerable]
    tables = summary.tables(run)
    found = summary.estimate(passed)
    assert found.low is not None
    assert found.high is not None
    assert f"Found and shown {found.mean:.3f} {found.low:.2f}–{found.high:.2f} 1 of 3" in shown
    recall = tables["all"]["all"][f"hit@{run.top_k}"]
    assert f"Recall@{run.top_k} {recall.mean:.3f} {_range(recall)} 1 of 3" in shown
    mrr = tables["all"]["all"]["mrr"]
    assert f"MRR {mrr.mean:.3f} {_range(mrr)} 3 questions" in shown
    assert "Off-topic refused 0.000" in shown
    for kind, metrics in tables["kind"].items():
        hit = metrics[f"hit@{run.top_k}"]
        assert f"{kind} {hit.mean:.3f} {_range(hit)}" in shown
    for name, estimate in tables["all"]["all"].items():
        assert f"{name} {estimate.mean:.3f}" in shown
    assert "recall 0.333 is below 0.8" in shown
    assert "The gate failed" in shown


def _range(found: Estimate) -> str:
    return "one question" if found.low is None else f"{found.low:.2f}–{found.high:.2f}"


def test_the_losses_are_those_of_the_run_and_fill_one_bar(run: Run) -> None:
    text = html(run)
    counts = {k: n for k, n in losses(o.lost_at for o in run.outcomes).items() if n}
    found = {loss.stage: loss.misses for loss in numbers.losses(run)}
    assert found == counts == {"label": 1, "budget": 1}
    panel = text[text.index('id="lost"') : text.index('class="legend"')]
    widths = re.findall(r'class="segment s\d" x="([\d.]+)%" width="([\d.]+)%"', panel)
    assert widths == [("0.00", "50.00"), ("50.00", "50.00")]
    assert "Where 2 misses were lost" in words(text)


def test_every_question_has_its_gold_lines_what_came_and_its_trace(run: Run) -> None:
    text = html(run)
    assert text.index('id="q-label"') < text.index('id="q-late"')  # the critical one first
    assert text.index('id="q-late"') < text.index('id="q-off"') < text.index('id="q-hit"')
    late = text[text.index('id="q-late"') : text.index('id="q-off"')]
    assert '<mark data-n="5">Line number 5 of light.\n</mark>' in late
    assert '<span data-n="4">Line number 4 of light.\n</span>' in late
    shown = words(f"<body>{late}<script>")
    assert "a/light.md:5 at rank 3" in shown
    assert "What came instead 1 · a/light.md:3" in shown
    assert "3 a/light.md:5 ◀ gold 3 – 3 – – 1.700 below the passages asked for" in shown


def test_a_run_without_a_baseline_says_so_and_one_without_flips_too(run: Run) -> None:
    assert "This run was compared with none" in words(html(run))
    same = compare(measured(9), measured(9))
    shown = words(html(replace(run, comparison=same)))
    assert "0 broken 0 fixed" in shown
    assert "Every metric is what it was in the baseline" in shown


def test_a_run_without_a_candidate_or_a_miss_has_a_page() -> None:
    nothing = replace(found(), hits=())
    shown = words(html(run_of(searched((question(1), nothing), (question(2, name="b"), nothing)))))
    assert "No question had a candidate." in shown
    assert "Nothing: no passage was good enough." in shown
    best = run_of(searched((question(1), found(1, 2))), faults=())
    shown = words(html(best))
    assert "No question was missed." in shown
    assert "The gate passed" in shown


def test_the_address_chooses_questions_in_a_browser(run: Run, tmp_path: Path, tab: New) -> None:
    path = tmp_path / "report.html"
    path.write_text(html(run), "utf-8")
    opened = tab().page
    for choice, shown in {
        "": {"q-hit", "q-late", "q-label", "q-off"},
        "#result=missed": {"q-late", "q-label"},
        "#kind=offtopic": {"q-off"},
        "#lost=budget": {"q-late"},
        "#lost=budget&kind=offtopic": set[str](),
        "#text=EXPECTED+IN": set[str](),
        "#text=%60x%60": {"q-late"},
        "#text=Q-HIT": {"q-hit"},
        "#unknown=value": {"q-hit", "q-late", "q-label", "q-off"},
    }.items():
        opened.goto("about:blank")  # else the file would not be loaded again
        opened.goto(f"{path.as_uri()}{choice}")
        dom = opened.content()
        tags = Tags(dom)
        every = {name for name in tags.ids if name.startswith("q-")}
        assert every - set(tags.hidden) == shown, choice
        assert f"<b>{len(shown)}</b> of 4 questions" in dom
        assert '<form class="filters" id="filters">' in dom  # without a script it is hidden
        assert tags.open == []


def test_the_address_opens_a_question_in_a_browser(run: Run, tmp_path: Path, tab: New) -> None:
    path = tmp_path / "report.html"
    path.write_text(html(run), "utf-8")
    tags = Tags(tab(f"{path.as_uri()}#q-late").page.content())
    assert (tags.open, tags.hidden) == (["q-late"], [])
    assert tags.tags.count("script") == 1  # nothing of a question ran or was added
    assert HTML not in path.read_text("utf-8")


def test_a_histogram_holds_every_value_once() -> None:
    lines = plot.histogram({"some": [0.0, 0.5, 1.0, 1.0], "none": []})
    assert [line.label for line in lines] == ["some"]
    assert {share for _, share in lines[0].points} == {0.0, 0.25, 0.5}
    assert plot.histogram({"none": []}) == []
    one = plot.histogram({"one": [0.3]})
    assert max(share for _, share in one[0].points) == 1.0


def test_a_plot_of_a_single_place_is_drawn() -> None:
    drawn = plot.plot([Curve("<x>", "a", [(0.3, 0.0)])], x_label="x", limit=0.3)
    assert "&lt;x&gt;" in drawn
    assert "nan" not in drawn
