"""Keep the candidates that a dataset may hold, none twice, and spread them over files and kinds."""

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from evals.drafting import english
from evals.drafting.candidates import Candidate
from evals.labels import quote_locations, wording
from evals.labels.dataset import Gold, Question
from evals.labels.quote_locations import Pages
from retrieval.text.words import STOP, stems

_COMPARED = 6  # candidates for each draft wanted that are compared: near-duplicates go by pairs
_DENIED = re.compile(r"\b(?:not|never|cannot)\b")
_NUMBER = re.compile(r"(?<![\w.,])[€$£]?\d(?:[\d.,:]*\d)?(?:%| [a-z]+)?")


@dataclass(frozen=True, slots=True)
class Selection:
    """Questions to review, by file and line, and how many candidates were left out, by reason."""

    drafts: tuple[Question, ...]
    left_out: Counter[str]


def select(found: Sequence[Candidate], pages: Pages, count: int, seed: int) -> Selection:
    """Return at most `count` drafts; the same for the same candidates and seed.

    Left out are those whose quote does not stand in its file once, those that name a person, and
    those that another one asks already, in these words or nearly.
    """
    left_out: Counter[str] = Counter()
    good: list[tuple[Candidate, Question]] = []
    for candidate in found:
        question = _question(len(good) + 1, candidate)
        gold = question.places[0][0]
        if any(quote_locations.quote_faults(gold, pages)):
            left_out["quote not in its file, there twice, or too short or long"] += 1
        elif any(wording.personal_faults(question)):
            left_out["names a person"] += 1
        elif not question.must_include:
            left_out["its answer has no word of its own"] += 1
        else:
            good.append((candidate, question))
    order = _spread(good, seed)[: _COMPARED * count]
    doubles = {item.id for item, _ in wording.duplicate_faults(order)}
    left_out["near-duplicate"] += len(doubles)
    kept = [question for question in order if question.id not in doubles]
    left_out["more than --count"] += len(good) - len(doubles) - len(kept[:count])
    chosen = {question.id for question in kept[:count]}
    return Selection(tuple(q for _, q in good if q.id in chosen), +left_out)


def row(question: Question) -> str:
    """Return a draft as a line of a dataset."""
    fields = {
        "id": question.id, "question": question.question, "kind": question.kind,
        "answer": question.answer,
        "gold": [{"path": gold.path, "quote": gold.quote} for gold in question.places[0]],
        "split": question.split, "must_include": question.must_include, "status": "draft",
    }  # fmt: skip
    return json.dumps(fields, ensure_ascii=False)


def needed(kind: str, question: str, answer: str) -> tuple[str, ...]:
    """Return what a right answer says: a short cell itself, else its first number, longest word."""
    if kind == "table" and len(answer.split()) <= 3:
        return (answer,)
    asked = {*stems(question), *STOP}
    words = [w for w in english.WORD.findall(answer) if not asked & {w.lower(), *stems(w)}]
    if match := _NUMBER.search(answer):
        return (match[0],)
    if not words and (denied := _DENIED.search(answer)):
        return (f"{denied[0]}|no",)
    return tuple(sorted(words, key=len, reverse=True)[:1])


def _spread(good: Iterable[tuple[Candidate, Question]], seed: int) -> list[Question]:
    """All in turn: one of each file and kind, then the next of each."""
    groups: dict[tuple[str, str], list[Question]] = defaultdict(list)
    for candidate, question in good:
        groups[candidate.path, candidate.kind].append(question)
    dice = random.Random(seed)  # noqa: S311  # a choice that can be repeated, no secret
    turns = list(groups.values())
    dice.shuffle(turns)
    for group in groups.values():
        dice.shuffle(group)
    return [one for one in chain.from_iterable(zip_longest(*turns)) if one is not None]


def _question(number: int, candidate: Candidate) -> Question:
    name = candidate.path.rsplit(".", 1)[0].replace("/", "-").replace(" ", "-").lower()
    return Question(
        line=number, id=f"{name}-{candidate.line}-{number}", question=candidate.question,
        kind=candidate.kind, answer=candidate.answer,
        places=((Gold(candidate.path, candidate.quote),),), split="gate", critical=False,
        must_include=needed(candidate.kind, candidate.question, candidate.answer),
        must_not_include=(), why_unanswerable="", absent=(), history=(), forbidden=(),
    )  # fmt: skip
