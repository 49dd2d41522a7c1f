"""The sentences of the page: what a state means, how it came about, what was taken out."""

import re
from collections import Counter
from typing import Final

from api.answer.fixed_texts import Texts
from api.schema.answer import Answer
from api.schema.cards import Card
from api.schema.guard import GuardFinding

LABELS: Final = {"answered": "Answered", "nearest": "Nearest lines", "refused": "No answer"}
_MORE = re.compile(r"^… (\d+) more (\w+?)s?$", re.MULTILINE)
_REASONS: Final = {
    "filters": "Other files of these rules answer it.",
    "no_passage": "The question is about something else than these rules.",
    "model": "The language model read the nearest lines and found no answer in them.",
    "no_citation": "What the language model wrote has no source in these rules.",
    "language": "",
}
_CHECKED: Final = {
    "pass": "Checked: each cited sentence stands in its lines.",
    "retried": "Written twice: the first draft said what the rules do not.",
    "quotes": "What the language model wrote was taken out: the rules do not say it. "
    "Their own lines stand here instead.",
    "refused": "What the language model wrote was taken out: the rules do not say it.",
    "off": "",
}
_FAULTY: Final = {
    "number": "a number",
    "unit": "a number and its unit",
    "name": "a name",
    "arithmetic": "a sum",
}


def verdict(answer: Answer, texts: Texts) -> str:
    """Return what the state of an answer means, in one sentence; "" for small talk."""
    if answer.refused:
        return answer.answer
    if answer.certainty == "nearest":
        is_premise = (
            answer.answer.startswith(texts.premise) or f"\n{texts.premise}" in answer.answer
        )
        return texts.premise if is_premise else texts.nearest
    if any(found.words for found in answer.folders):
        return "These files say so, found by their words alone:"
    if answer.folders:
        return "The rules have a folder of that name:"
    if not answer.cards:
        return ""
    if answer.mode == "model":
        return "Written by a language model from the lines below it."
    return "The rules say, word for word:"


def why(answer: Answer) -> str:
    """Return why nothing is shown; "" where something is."""
    return _REASONS[answer.refusal_reason] if answer.refusal_reason else ""


def checked(answer: Answer) -> str:
    """Return what became of a model's words, or why there are none; "" where none were meant."""
    if answer.notice:
        return answer.notice
    if answer.guard.verdict != "repaired":
        return _CHECKED[answer.guard.verdict]
    counts = answer.citation_counts
    gone = 0 if answer.guard.findings else counts.unverified + counts.dropped
    claims = {one.claim: one.became for one in answer.guard.findings}
    quoted = list(claims.values()).count("quoted")
    struck = len(claims) - quoted
    done = [
        f"{quoted} {_noun(quoted, 'sentence')} replaced by what the rules say" * bool(quoted),
        f"{struck} {_noun(struck, 'sentence')} taken out" * bool(struck),
        f"{counts.repaired} {_noun(counts.repaired, 'source')} put right" * bool(counts.repaired),
        f"{gone} {_noun(gone, 'source')} taken out" * bool(gone),
    ]
    said = ", ".join(filter(None, done)) or "markup that the rules do not need was taken out"
    return f"Checked and repaired: {said}."


def finding(found: GuardFinding) -> str:
    """Return what was wrong with a model's words, without them: they must not get out."""
    what = _FAULTY.get(found.kind, "")
    which = f"Sentence {found.claim}" if found.claim else "The whole answer"
    told = f"{which}{f', {what}' if what else ''}: {found.message}"
    became = "the rule's line stands in its place" if found.became == "quoted" else "taken out"
    return f"{told}; {became}." if found.claim else f"{told}."


def took(milliseconds: float) -> str:
    """Return a time as people read it: "170 ms", "5.4 s"."""
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def understood(answer: Answer, asked: str) -> str:
    """Return a follow-up as it was searched; "" where that is what was asked, spelling apart."""
    words = answer.question.split()
    searched = {one.searched.lower(): one.typed for one in answer.corrections}
    typed = " ".join(searched.get(word.lower(), word) for word in words)
    return "" if typed.lower() == " ".join(asked.split()).lower() else answer.question


def without_opening(answer: Answer, texts: Texts) -> str:
    """Return a model's words without the sentences above them, which the page shows by itself."""
    said = {texts.nearest, texts.premise}
    words = ", ".join(f"*{one.searched}*" for one in answer.corrections)
    parts = answer.answer.split("\n\n")
    while parts and (parts[0] in said or (words and parts[0] == f"Searched for {words}.")):
        parts.pop(0)
    return "\n\n".join(parts)


def more(card: Card) -> str:
    """Return how much of its lists and tables a card leaves out; "" for nothing."""
    if card.more is None:
        return ""
    left: Counter[str] = Counter()
    for count, noun in _MORE.findall(card.text):
        left[noun] += int(count)
    said = (f"{count} more {_noun(count, noun)}" for noun, count in left.items())
    return ", ".join(said) or f"{card.more.count} more {_noun(card.more.count, _part(card))}"


def counted(card: Card) -> str:
    """Return how much of a list was asked for: "5 of 9 rows, found by “aft”"; "" for no list."""
    if card.listed is None:
        return ""
    noun = _part(card)
    of, words = card.listed.of, " ".join(card.listed.words)
    if words:
        return f"{card.listed.count} of {of} {_noun(of, noun)}, found by “{words}”"
    return f"{of} {_noun(of, noun)}"


def _part(card: Card) -> str:
    return "row" if card.form == "table" else "field" if card.form == "fields" else "item"


def without_more(card: Card) -> str:
    """Return a card's text without the lines that say how much is left out: `more` is a link."""
    return _MORE.sub("", card.text).rstrip().removesuffix("\n…") if card.more else card.text


def _noun(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"
