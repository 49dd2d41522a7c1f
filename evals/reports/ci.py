"""What a CI server reads of a run: JUnit XML, the step's summary and marks beside vault lines."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from evals.measure.loss_stages import ALL
from evals.measure.outcome import Outcome
from evals.measure.run import Run, because, lost_gold, place
from evals.measure.summary import latency
from evals.reports import markdown

_SHOWN = 50  # missed questions in the step's summary, which may have 1 MiB


def write_junit(program: str, faults: Sequence[str], cases: Iterable[TestCase], path: Path) -> None:
    """Write a test case for the gate, which fails with `faults`, and those of the questions.

    Raises OSError where it cannot be written.
    """
    gate = TestCase("gate", program)
    if faults:
        gate.result = [Failure(xml_text("; ".join(faults)), "GateFailed")]
    suites = TestSuite(f"{program}: gate"), TestSuite(f"{program}: questions")
    suites[0].add_testcase(gate)
    suites[1].add_testcases(list(cases))
    xml = JUnitXml(program)
    for suite in suites:
        xml.add_testsuite(suite)
    path.parent.mkdir(parents=True, exist_ok=True)
    xml.write(str(path), pretty=True)


def test_case(name: str, group: str, said: str, failure: tuple[str, str] | None) -> TestCase:
    """Return the case of a question; `failure` is its message and kind."""
    case = TestCase(name, group)
    case.system_out = xml_text(said)
    if failure:
        case.result = [Failure(xml_text(failure[0]), failure[1])]
    return case


def cases_of(run: Run) -> list[TestCase]:
    """Return a case for every question.

    A missed question fails in it even where the gate passes; one without an answer is skipped,
    since a single refusal decides nothing.
    """
    return [_case(run, outcome) for outcome in run.outcomes]


def append_summary(lines: Iterable[str]) -> None:
    """Append Markdown to the file of GITHUB_STEP_SUMMARY, where that is set.

    Raises OSError where it cannot be written.
    """
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if name:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n\n")


def print_annotations(run: Run) -> None:
    """Mark the vault's line of every missed gold, where GITHUB_ACTIONS is set.

    They are errors where the gate failed, else warnings: a green run shows nothing red. GitHub
    shows the first ten of a step, so critical questions come first.
    """
    if not os.environ.get("GITHUB_ACTIONS"):
        return
    level = "error" if run.faults else "warning"
    for outcome in run.missed:
        file, line = place(run, outcome)
        title = f"missed: {outcome.question.id}"
        print(annotation(level, str(file), range(line, line + 1), title, _message(outcome)))


def annotation(level: str, file: str, lines: range, title: str, message: str) -> str:
    """Return what makes GitHub mark `lines` of a file, a path below the repository's top."""
    last = f",endLine={lines.stop - 1}" if len(lines) > 1 else ""
    where = f"file={_property(file)},line={lines.start}{last},title={_property(title)}"
    return f"::{level} {where}::{_data(message)}"


def _case(run: Run, outcome: Outcome) -> TestCase:
    question, lost = outcome.question, outcome.lost_at
    failure = (_message(outcome), lost) if lost else None
    group = f"evals.retrieval.{question.kind}"
    case = test_case(question.id, group, question.question, failure)
    case.time = latency([outcome])["total"]["p50"] / 1000
    if not question.answerable:
        what = "refused" if outcome.refused else "answered"
        case.result = [Skipped(f"{what}; it has no answer; the baseline counts refusals")]
    elif lost:
        file, line = place(run, outcome)
        case.result[0].text = xml_text(f"{file}:{line}\n{lost_gold(outcome).quote}")
    return case


def _message(outcome: Outcome) -> str:
    return f"{outcome.question.one_line} — {because(outcome)}"


def xml_text(text: str) -> str:
    """Return a text without the characters that no XML file can hold."""
    return "".join(
        c if (c >= " " and c not in "\ufffe\uffff") or c in "\n\t" else "�" for c in text
    )


def summary(run: Run, sums: Mapping[str, Any]) -> Iterator[str]:
    """Yield a run as the lines of a step's summary."""
    name = f"hit@{run.top_k}"
    verdict = "failed" if run.faults else "passed"
    yield f"## Retrieval gate {verdict}: {run.hits} of {len(run.answerable)} questions\n"
    yield from (f"- **{markdown.cell(fault)}**" for fault in run.faults)
    kinds = {**sums["metrics"]["kind"], **sums["metrics"]["all"]}
    yield from ("", *markdown.table([
        ("kind", "n", name, "95 % interval"),
        *(_kind(group, metrics[name]) for group, metrics in kinds.items()),
    ]))  # fmt: skip
    if run.missed:
        yield from ("", *markdown.table([
            ("lost at", "questions", ""),
            *((s, str(n), ALL[s].text) for s, n in sums["lost_at"].items() if n),
        ]))  # fmt: skip
        yield "\n<details><summary>Missed questions</summary>\n"
        yield from markdown.table([
            ("question", "lost at", "look at"),
            *(_miss(run, outcome) for outcome in run.missed[:_SHOWN]),
        ])  # fmt: skip
        if len(run.missed) > _SHOWN:
            yield f"\nand {len(run.missed) - _SHOWN} more, in report.html"
        yield "\n</details>"


def _miss(run: Run, outcome: Outcome) -> tuple[str, ...]:
    file, line = place(run, outcome)
    return outcome.question.question, outcome.lost_at or "", f"{file}:{line}"


def _kind(name: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    spread = f"{found['low']:.3f} to {found['high']:.3f}"  # a hit is 0 or 1, so it has an interval
    return name, str(found["n"]), f"{found['mean']:.3f}", spread


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
