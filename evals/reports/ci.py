"""What a CI server reads of a run: JUnit XML, the step's summary and marks beside vault lines."""

import os
from collections.abc import Iterator
from pathlib import Path

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from evals.measure import summary
from evals.measure.judge import LOST_AT, losses
from evals.measure.metrics import ScoredOutcome
from evals.measure.run import Run, because, lost_at, lost_gold, place
from evals.measure.summary import Estimate

_SHOWN = 50  # missed questions in the step's summary, which may have 1 MiB


def write_junit(run: Run, path: Path) -> None:
    """Write a test case for the gate and one for every question.

    A missed question fails in it even where the gate passes; one without an answer is skipped,
    since a single refusal decides nothing. Raises OSError where it cannot be written.
    """
    gate = TestCase("gate", "evals.retrieval")
    if run.faults:
        gate.result = [Failure(xml_text("; ".join(run.faults)), "GateFailed")]
    suites = TestSuite("evals.retrieval: gate"), TestSuite("evals.retrieval: questions")
    suites[0].add_testcase(gate)
    suites[1].add_testcases([_test_case(run, item) for item in run.scored])
    xml = JUnitXml("evals.retrieval")
    for suite in suites:
        xml.add_testsuite(suite)
    path.parent.mkdir(parents=True, exist_ok=True)
    xml.write(str(path), pretty=True)


def add_step_summary(run: Run) -> None:
    """Append the run as Markdown to the file of GITHUB_STEP_SUMMARY, where that is set.

    Raises OSError where it cannot be written.
    """
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if name:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write("\n".join(_markdown(run)) + "\n\n")


def print_annotations(run: Run) -> None:
    """Mark the vault's line of every missed gold, where GITHUB_ACTIONS is set.

    They are errors where the gate failed, else warnings: a green run shows nothing red. GitHub
    shows the first ten of a step, so critical questions come first.
    """
    if not os.environ.get("GITHUB_ACTIONS"):
        return
    level = "error" if run.faults else "warning"
    for item in run.missed:
        file, line = place(run, item)
        title = f"missed: {item.outcome.question.id}"
        where = f"file={_property(str(file))},line={line},title={_property(title)}"
        print(f"::{level} {where}::{_data(_message(item))}")


def _test_case(run: Run, item: ScoredOutcome) -> TestCase:
    question = item.outcome.question
    timings = summary.latency([item.outcome])["total"]
    case = TestCase(question.id, f"evals.retrieval.{question.kind}", timings["p50"] / 1000)
    case.system_out = xml_text(question.question)
    if not question.answerable:
        what = "refused" if item.outcome.refused else "answered"
        case.result = [Skipped(f"{what}; it has no answer; the baseline counts refusals")]
    elif lost_at(item) is not None:
        file, line = place(run, item)
        failure = Failure(xml_text(_message(item)), lost_at(item))
        failure.text = xml_text(f"{file}:{line}\n{lost_gold(item).quote}")
        case.result = [failure]
    return case


def _message(item: ScoredOutcome) -> str:
    return f"{' '.join(item.outcome.question.question.split())} — {because(item)}"


def xml_text(text: str) -> str:
    """Return a text without the characters that no XML file can hold."""
    return "".join(
        c if (c >= " " and c not in "\ufffe\uffff") or c in "\n\t" else "�" for c in text
    )


def _markdown(run: Run) -> Iterator[str]:
    name = f"hit@{run.top_k}"
    verdict = "failed" if run.faults else "passed"
    yield f"## Retrieval gate {verdict}: {run.hits} of {len(run.answerable)} questions\n"
    yield from (f"- **{cell(fault)}**" for fault in run.faults)
    yield f"\n| kind | n | {name} | 95 % interval |\n|---|---|---|---|"
    for group, metrics in {**run.tables["kind"], **run.tables["all"]}.items():
        found = metrics[name]
        yield f"| {group} | {found.n} | {found.mean:.3f} | {_spread(found)} |"
    lost = losses(o.lost_at for o in run.outcomes)
    if any(lost.values()):
        yield "\n| lost at | questions | |\n|---|---|---|"
        yield from (f"| {s} | {n} | {cell(LOST_AT[s])} |" for s, n in lost.items() if n)
        yield "\n<details><summary>Missed questions</summary>\n"
        yield "| question | lost at | look at |\n|---|---|---|"
        yield from (_miss(run, item) for item in run.missed[:_SHOWN])
        if len(run.missed) > _SHOWN:
            yield f"\nand {len(run.missed) - _SHOWN} more, in report.html"
        yield "\n</details>"


def _miss(run: Run, item: ScoredOutcome) -> str:
    file, line = place(run, item)
    return (
        f"| {cell(item.outcome.question.question)} | {lost_at(item)} | {cell(f'{file}:{line}')} |"
    )


def _spread(found: Estimate) -> str:
    if found.low is None or found.high is None:
        return "unknown"
    return f"{found.low:.3f} to {found.high:.3f}"


def cell(text: str) -> str:
    """Return a text as one cell of a Markdown table, without HTML of its own."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("`", "\\`")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
