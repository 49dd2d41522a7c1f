"""Check the words of questions: nothing twice, nothing personal, paraphrases in other words."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from rapidfuzz.fuzz import token_set_ratio
from rapidfuzz.process import cdist
from rapidfuzz.utils import default_process

from evals.labels.dataset import Question
from evals.labels.quote_locations import Pages
from retrieval.text.normalize import comparable, fold
from retrieval.text.words import STOP, stem, stems

_ALIKE = 92  # of 100, by words in any order; the words of one all in the other are 100
_TWIN, _FEW = 0.5, 2  # of the stems of two questions together; stems that a twin needs
_WORD = re.compile(r"[^\W\d_]{4,}")
_PERSONAL = {
    "an e-mail address": re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "a phone number": re.compile(
        r"(?<![\w+])(?:\+\d[\d ().-]{6,}\d|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}|0\d{2,4}[ /-]\d{4,8})\b"
    ),
    "the name of a person": re.compile(
        r"\b(?:(?:Mr|Mrs|Ms|Mx|Dr|Prof)\.? |[Mm]y name is |(?:Best|Kind) regards,? )[A-Z][\w'-]+"
    ),
}


def asked(question: Question) -> str:
    """Return the question with the earlier ones that it follows."""
    return " ".join([*question.history, question.question])


def personal_faults(question: Question) -> Iterator[str]:
    """Yield what in a question points to a person, as far as a pattern can know one."""
    for what, pattern in _PERSONAL.items():
        for match in pattern.finditer(fold(asked(question))):
            yield f'personal: the question holds {what}, "{match[0]}"'


def paraphrase_faults(question: Question, pages: Pages) -> Iterator[str]:
    """Yield the words of four and more letters that a paraphrase shares with its gold lines."""
    words = _stems(question.question)
    for gold in (gold for golds in question.places for gold in golds):
        page, quote = pages.get(gold.path), comparable(gold.quote)
        if page is None or not quote or quote not in page.text:
            continue  # a fault of the quote, named there
        start = page.text.index(quote)
        lines = _stems(page.lines(start, start + len(quote)))
        shared = sorted(f'"{words[stem]}"' for stem in words.keys() & lines.keys())
        if shared:
            place = f"{page.shown}:{page.line(start)}"
            yield f"a paraphrase, yet it shares {', '.join(shared)} with {place}"


def duplicate_faults(questions: Sequence[Question]) -> Iterator[tuple[Question, str]]:
    """Yield each question that an earlier one asks already, in these words or nearly."""
    texts = [default_process(fold(asked(question))) for question in questions]
    alike = cdist(texts, texts, scorer=token_set_ratio, score_cutoff=_ALIKE, dtype=np.uint8)
    for later, earlier in np.argwhere(np.tril(alike, k=-1)).tolist():
        item, other = questions[later], questions[earlier]
        equal = texts[later] == texts[earlier]
        says = "the same as" if equal else f"{alike[later, earlier]} % of"
        across = "" if item.split == other.split else f", across splits: that is in {other.split}"
        yield item, f"near-duplicate: asks {says} {other.id} (line {other.line}){across}"


def twin_faults(
    questions: Sequence[Question], everyday: Sequence[str]
) -> Iterator[tuple[Question, str]]:
    """Yield each off-topic question of the gate that a list to fit on asks in half of its words.

    These lists are the calibration split and `everyday`, the lines that refusal compares with: a
    question whose twin was seen there says nothing of those to come.
    """
    asked_of = {f"{q.id}, of the calibration split": _words(q.question)
                for q in questions if q.split == "calibration"}  # fmt: skip
    asked_of |= {f"{line!r}, of the everyday questions": _words(line) for line in everyday}
    for question in questions:
        words = _words(question.question)
        if question.kind != "offtopic" or question.split != "gate" or len(words) < _FEW:
            continue
        for name, others in asked_of.items():
            if len(words & others) >= _TWIN * len(words | others):
                yield question, f"twin: asks in half of the words of {name}; change that one"


@cache  # the everyday questions are compared with those of every dataset
def _words(text: str) -> frozenset[str]:
    return frozenset(stems(fold(text)))


def _stems(text: str) -> dict[str, str]:
    """The words that carry meaning by their stems: fire, fires and firing are one."""
    words = _WORD.findall(fold(text).lower().replace("'", ""))
    return {stem(word): word for word in words if word not in STOP}
