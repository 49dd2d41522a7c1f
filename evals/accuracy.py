"""Measure whether answers are right: 2 correct, 1 partial, 0 wrong, -1 refused; their mean.

Scored without a model, by the labels of the questions that have an answer. A model's error is 0.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from api.schema.answer import Answer
from api.schema.passages import Citation
from evals.answers import collect, program
from evals.answers.collect import Answered
from evals.answers.program import EvalReport, ReportRow
from evals.labels.dataset import ANSWERABLE, Gold, Question
from evals.labels.options import chosen
from evals.measure import span_overlap
from evals.measure.span_overlap import PageOf
from retrieval.errors import DatasetError
from retrieval.text.normalize import fold

MIN_MEAN = 1.5  # what is kept: the gate; measured 1.574
NAMES = {-1: "REFUSED", 0: "WRONG", 1: "PARTIAL", 2: "CORRECT"}
_MARKER = re.compile(r"\[\d+\]")
_CONCLUDED = {"yes", "no"}  # no quote says it: whoever reads the right line concludes it
_SHORT = 4  # letters: a shorter alternative begins a word, so that "no" is not in "know"


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer: `score` is -1 to 2, `why` says what it lacks, "" for a correct one.

    `words` is the score by the words alone, wherever they were quoted from.
    """

    answered: Answered
    score: int
    words: int
    why: str


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.accuracy", __doc__)
    collect.add_model(parser)
    parser.add_argument("--min-mean", type=float, default=MIN_MEAN, help="the gate, -1 to 2")
    return program.run(parser, argv, _measured)


def score(answered: Answered, page_of: PageOf) -> ScoredAnswer:
    """Score an answer to a question that has one.

    A part of `must_include` is there where one of its alternatives is, letter case and typography
    aside; a number only as a whole number. Correct are all parts, with a citation of a line of a
    gold: the right words of another file may be right by chance, so they are partial. What is in
    `must_not_include` makes it wrong; quotes that show it beside all that is right are partial.
    """
    item, reply = answered.question, answered.reply
    if reply is None:
        return ScoredAnswer(answered, 0, 0, f"no answer: {answered.error}")
    if reply.refused:
        return ScoredAnswer(answered, -1, -1, f"refused: {reply.refusal_reason}")
    value, by_words, why = _scored(item, reply, page_of)
    return ScoredAnswer(answered, value, by_words, why)


def words(reply: Answer) -> str:
    """Return what an answer says, without markers and without the places of its quotes."""
    said = _MARKER.sub(" ", reply.answer)
    for path in sorted({one.path for one in reply.citations}, key=len, reverse=True):
        said = re.sub(rf"{re.escape(path)}(?::\d+(?:-\d+)?|#L\d+(?:-L\d+)?)?", " ", said)
    return said


def includes(said: str, alternatives: str) -> bool:
    """Tell whether `said` holds one of the alternatives, which "|" divides."""
    text = fold(said).casefold()
    return any(re.search(_pattern(one), text) for one in alternatives.split("|"))


def _pattern(alternative: str) -> str:
    """A number stands whole and a short word begins a word; longer ones may be parts of words."""
    plain = fold(alternative).casefold().strip()
    before = r"(?<!\d)(?<!\d[.,])" if plain[:1].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if plain[-1:].isdigit() else ""
    if plain.isalpha() and len(plain) < _SHORT:
        before, after = r"\b", r"\b" if plain == "no" else ""
    return before + re.escape(plain) + after


def faults(scored: Sequence[ScoredAnswer], min_mean: float) -> list[str]:
    """Return why the gate is red, a line each. Raises DatasetError where nothing was scored."""
    if not scored:
        raise DatasetError("no question that has an answer was asked, so nothing was scored")
    mean = fmean(one.score for one in scored)
    return [f"mean {mean:.3f} is below {min_mean:g}"] if mean < min_mean else []


def _measured(args: argparse.Namespace) -> EvalReport:
    questions = [q for q in chosen(args.dataset, args.split) if q.answerable]
    with collect.opened(args.dataset, questions) as (rules, measured):
        page_of = span_overlap.pages_of(measured.files)
        answered = collect.ask_all(rules, measured, args.model, questions)
        scored = program.collected((score(one, page_of) for one in answered), row)
        wrong = faults(scored, args.min_mean)
        config = program.config(rules, measured, args)
    counts = Counter(one.score for one in scored)
    by_words = fmean(one.words for one in scored)
    sums = {
        "mean": fmean(one.score for one in scored),
        "mean_by_words_alone": by_words,
        "scores": {name.lower(): counts[value] for value, name in NAMES.items()},
    }
    groups = program.grouped(scored, lambda one: one.answered.question.kind, ANSWERABLE)
    head = ("kind", *(name.lower() for name in reversed(NAMES.values())), "mean")
    notes = (f"mean by the words alone, wherever they are quoted from: {by_words:.3f}",)
    return EvalReport(
        [row(one) for one in scored], {"": program.table(groups, head, _cells)}, sums, config,
        wrong, notes,
    )  # fmt: skip


def _cells(group: Sequence[ScoredAnswer]) -> list[str]:
    counts = Counter(one.score for one in group)
    mean = program.spread([float(one.score) for one in group])
    return [*(str(counts[value]) for value in reversed(NAMES)), mean]


def row(one: ScoredAnswer) -> ReportRow:
    """Return one question as the reports show it."""
    item, reply = one.answered.question, one.answered.reply
    line = f"{NAMES[one.score]} — {item.one_line}"
    line += f" ({one.why})" if one.why else ""
    record = {
        "question": item.question, "critical": item.critical,
        "score": one.score, "score_by_words": one.words, "why": one.why,
        "answer": reply.answer if reply else None,
        "citations": [_place(found) for found in reply.citations] if reply else [],
    }  # fmt: skip
    return ReportRow(item.id, item.kind, line, one.why if one.score < 1 else "", record)


def _place(cited: Citation) -> str:
    return f"{cited.path}:{cited.first_line}-{cited.last_line}"


def _scored(item: Question, reply: Answer, page_of: PageOf) -> tuple[int, int, str]:
    """The score, the score by the words alone, and what is missing."""
    said = words(reply)
    places = [[_cited(gold, reply.citations, page_of) for gold in p] for p in item.places]
    some, whole = any(map(any, places)), any(map(all, places))
    unwanted = [one for one in item.must_not_include if includes(said, one)]
    missing = [one for one in item.must_include if not includes(said, one)]
    if reply.mode == "quotes" and some:
        missing = [one for one in missing if not _CONCLUDED & set(one.casefold().split("|"))]
    if unwanted:
        beside = 1 if reply.mode == "quotes" and not missing and some else 0
        return beside, beside, f"says {unwanted[0]!r}"
    if missing:
        few = 1 if len(missing) < len(item.must_include) else 0
        return few, few, f"without {missing[0]!r}"
    if item.must_include:
        return (2, 2, "") if some else (1, 2, f"cites no line of its gold in {_golds(item)}")
    by_golds = 2 if whole else 1 if some else 0
    return by_golds, by_golds, "" if whole else f"lacks lines of {_golds(item)}"


def _golds(item: Question) -> str:
    return ", ".join(sorted({gold.path for gold in item.places[0]}))


def _cited(gold: Gold, citations: Sequence[Citation], page_of: PageOf) -> bool:
    """Whether a citation shows a line of the gold; of a whole file any line of it."""
    own = [one for one in citations if one.path == gold.path]
    lines = span_overlap.lines(gold, page_of)
    if not gold.quote or lines is None:
        return bool(own) and not gold.quote
    return any(one.first_line <= lines[1] and lines[0] <= one.last_line for one in own)


if __name__ == "__main__":
    sys.exit(main())
