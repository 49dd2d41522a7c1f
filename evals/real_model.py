"""Answer with a small real language model: what of its words does the guard let through?

A model of 135 million parameters invents much, which is what it is here for: the wiring must work
with a real server, and its inventions must not reach a reader. What was shown in its words is
written to shown.md of the results' folder, to be read by a person.

Exit status: 0 every question was answered or refused; 1 some ended in an error; 2 nothing could be
measured, which is never a pass.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from api.llm.client import LanguageModel
from evals.answers import collect, local_model, program
from evals.answers.collect import Answered, Answerer
from evals.answers.program import EvalReport, ReportRow
from evals.labels.dataset import Question
from evals.measure.outcome import Subject
from ingest.progress import Meter
from retrieval.context import SearchContext
from retrieval.errors import DatasetError

_ENVIRONMENT = Path(".venv-llm")
_QUESTIONS = 100
_NAME = "local"
_TIMEOUT = 180.0  # seconds for a reply: a portable build reads some 100 tokens a second
# In the order of their trust: in its own words, with markers moved, at the second try, not at all.
VERDICTS = ("pass", "repaired", "retried", "quotes", "refused", "off", "error")
SHOWN = frozenset({"pass", "repaired", "retried"})


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.real_model", __doc__, models=False)
    parser.set_defaults(split="calibration")
    parser.add_argument("--questions", type=int, default=_QUESTIONS, help="that many, spread")
    parser.add_argument(
        "--environment", type=Path, default=_ENVIRONMENT, help="where llama-cpp-python is installed"
    )
    args = parser.parse_args(argv)
    return program.run(args, "evals.real_model", lambda: _measured(args))


def spread(questions: Sequence[Question], count: int) -> list[Question]:
    """Return `count` of the answerable questions (or all), evenly over their order.

    Raises DatasetError where `count` is below 1 or there is none.
    """
    found = [question for question in questions if question.answerable]
    if count < 1 or not found:
        raise DatasetError(f"{count} of {len(found)} answerable questions: at least 1 is wanted")
    step = max(len(found) / count, 1.0)
    return [found[int(place * step)] for place in range(min(count, len(found)))]


def verdict(answered: Answered) -> str:
    """Return what became of the model's words, one of VERDICTS; "off" where it refused at once."""
    return answered.reply.guard.verdict if answered.reply else "error"


def report(answered: Sequence[Answered], config: Mapping[str, object]) -> EvalReport:
    """Return the report: how many of each verdict, and all that a reader saw of its words."""
    counts = Counter(map(verdict, answered))
    asked = sum(one.reply is not None and one.reply.usage.completion_tokens > 0 for one in answered)
    table = [("what became of the model's words", "questions")]
    table += [(name, str(counts[name])) for name in VERDICTS]
    faults = [f"{one.question.id}: {one.error}" for one in answered if one.reply is None]
    if not asked:
        faults.append("the model was never asked: no reply counts tokens")
    return EvalReport(
        "evals.real_model",
        tuple(map(_row, answered)),
        tuple(table),
        (f"the model wrote for {asked} of {len(answered)} questions",),
        {"verdicts": {name: counts[name] for name in VERDICTS}, "asked": asked},
        tuple(faults),
        config,
        {"shown.md": "\n".join(_shown(answered))},
    )


def _measured(args: argparse.Namespace) -> EvalReport:
    questions = spread(collect.chosen(args.dataset, args.split), args.questions)
    with (
        collect.opened(args.dataset, questions) as (rules, measured),
        TemporaryDirectory() as folder,
        local_model.served(args.environment, Path(folder) / "server.log") as url,
    ):
        answered = list(_asked(rules, measured, url, questions))
        config = program.config(
            rules, measured, args, program="evals.real_model", model=local_model.NAME
        )
    return report(answered, config)


def _asked(
    context: SearchContext, measured: Subject, url: str, questions: Sequence[Question]
) -> Iterator[Answered]:
    own = {
        "openai_base_url": url, "openai_model": _NAME, "openai_api_key": None,
        "llm_timeout": _TIMEOUT,
    }  # fmt: skip
    model = LanguageModel(context.settings.model_copy(update=own))
    try:
        with Meter() as meter:
            answerer = Answerer(_NAME, context, measured, model)
            for done, one in enumerate(collect.ask_all(answerer, questions), start=1):
                meter.show("asking", done, len(questions))
                yield one
    finally:
        model.close()


def _row(one: Answered) -> ReportRow:
    found = verdict(one)
    text = one.reply.answer if one.reply else one.error
    record = {
        "id": one.question.id, "verdict": found, "answer": text,
        "findings": [f.model_dump() for f in one.reply.guard.findings] if one.reply else [],
    }  # fmt: skip
    return ReportRow(one.question.id, found, f"{found}: {text!r}", one.error, record)


def _shown(answered: Sequence[Answered]) -> Iterator[str]:
    yield "# What a reader saw in the model's own words\n"
    for one in answered:
        if one.reply is None or verdict(one) not in SHOWN:
            continue
        yield f"## {one.question.id} ({verdict(one)}): {one.question.question}\n"
        yield f"Labelled: {one.question.answer}\n\nShown: {one.reply.answer}\n"
        for cited in one.reply.citations:
            yield f"- [{cited.marker}] {cited.path}, lines {cited.first_line}-{cited.last_line}: "
            yield f"  {cited.quote}\n"


if __name__ == "__main__":
    sys.exit(main())
