"""The claims of an answer, and whether the lines that they cite support them, without a model.

Numbers, dice, units, names and negations are the guard's to compare
(`api.checks.guard.findings.check`, bound here once, so that a sabotaged API is still judged by the
sound one). What no number carries
must share words with what it cites. Meanings are nobody's here: how well this agrees with people is
measured on evals/datasets/answers/judge.jsonl, and printed beside every score.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from api.checks.guard.facts import facts
from api.checks.guard.findings import check
from api.checks.guard.occurrences import content
from api.checks.guard.statements import statements
from api.checks.passage_lines import Source
from api.checks.sanitize import clean
from api.schema.answer import Answer
from api.schema.passages import Citation, Passage
from retrieval.text.line_marks import ITEM_MARK
from retrieval.text.normalize import comparable, fold

_SMALL = 3  # so far the guard lets an answer count on its own account ("two cases")
_CARRIED = 0.5  # of the words of a claim without numbers that must stand in what it cites

_MARK_OF_ITEM = re.compile(rf"^[ \t]*{ITEM_MARK}[ \t]+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement, with the passages that it cites, from 1; `fault` is known before any check."""

    text: str
    cited: tuple[int, ...]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim with why it is not supported, "" where it is."""

    claim: Claim
    fault: str


def of_text(answer: str) -> tuple[Claim, ...]:
    """Return the claims of a text whose markers count passages from 1."""
    return tuple(Claim(one.text, one.cited) for one in statements(answer))


def of_reply(reply: Answer, files: Mapping[str, str]) -> tuple[Claim, ...]:
    """Return the claims of a reply; none of a refusal.

    Quotes are claims themselves. A model's sentences are, and their markers are followed to the
    passages that hold the cited lines: a citation that is not what stands in `files` is a fault of
    every claim that rests on it.
    """
    if reply.refused:
        return ()
    if reply.mode == "quotes":
        return tuple(_quoted(one, reply.answer, files) for one in reply.citations)
    return tuple(_followed(claim, reply, files) for claim in of_text(reply.answer))


def fault(claim: Claim, passages: Sequence[Source], question: str) -> str:
    """Return why `claim` is not supported by the passages that it cites; "" where it is."""
    cited = [number for number in claim.cited if 1 <= number <= len(passages)]
    if claim.fault or not cited:
        return claim.fault or "cites no passage"
    markers = "".join(f"[{number}]" for number in cited)
    for found in check(f"{claim.text} {markers}", passages, question):
        return f"{found.kind}: {found.message}"
    if any(fact.high > _SMALL or fact.die for fact in facts(claim.text) if not fact.weak):
        return ""
    said = set(content(claim.text)) - set(content(fold(question)))
    there = {word for number in cited for word in _words(passages[number - 1])}
    if said and len(said & there) < _CARRIED * len(said):
        return f"only {len(said & there)} of its {len(said)} words stand in what it cites"
    return ""


def supports(text: str, passage: Source) -> bool:
    """Tell whether one passage supports all statements of a text without markers."""
    return not any(fault(Claim(one.text, (1,)), [passage], "") for one in of_text(text))


def verdicts(reply: Answer, files: Mapping[str, str], question: str) -> list[Verdict]:
    """Return every claim of a reply with its verdict."""
    found = of_reply(reply, files)
    if reply.mode == "quotes":
        return [Verdict(claim, claim.fault) for claim in found]
    passages = sources(reply)
    return [Verdict(claim, fault(claim, passages, question)) for claim in found]


def sources(reply: Answer) -> list[Source]:
    """Return the passages of a reply as the guard reads them."""
    return [Source(one.path, one.heading, one.context, one.text) for one in reply.passages]


def _quoted(cited: Citation, answer: str, files: Mapping[str, str]) -> Claim:
    """A quote is supported where it stands in its file, and where it is what the reader sees."""
    wrong = _misquoted(cited, files)
    shown = (cited.quote, clean(cited.quote).text)  # what is no harmless Markdown is taken out
    if not wrong and not any(_stands(text, answer) for text in shown):
        wrong = f"{cited.path}:{cited.first_line}: the answer shows something else than it quotes"
    return Claim(cited.quote, (cited.marker,), wrong)


def _stands(quote: str, answer: str) -> bool:
    """Whether a reader sees a quote: its words, or a row's first cell with others by their names.

    Such a row is "Torch · Radius: 30' · …": what a cell shows must be a cell of the row.
    """
    if _read(quote) in _read(answer):
        return True
    first, *others = map(_read, quote.strip().strip("|").split("|"))
    for line in re.split(r"\n| … ", answer):
        name, *named = (_read(part.strip(" …·")) for part in line.split(" · "))
        if named and f" {name}".endswith(f" {first}") and all(
            any(f" {part}".endswith(f" {cell}") for cell in others) for part in named if part
        ):  # fmt: skip
            return True
    return False


def _read(text: str) -> str:
    """The words of a text without what marks items and names of fields, and a table's rule."""
    plain = _MARK_OF_ITEM.sub("", text).replace("**", "")
    words = (word.removesuffix(":") for word in comparable(plain).split())
    return " ".join(word for word in words if word.strip("-:") or word == "-")


def _followed(claim: Claim, reply: Answer, files: Mapping[str, str]) -> Claim:
    """The claim with its markers as numbers of the reply's passages."""
    passages: list[int] = []
    for marker in claim.cited:
        cited = [one for one in reply.citations if one.marker == marker]
        if not cited:
            return Claim(claim.text, (), f"[{marker}] has no citation")
        for one in cited:
            wrong = _misquoted(one, files)
            places = [number for number, passage in enumerate(reply.passages, start=1)
                      if _holds(passage, one)]  # fmt: skip
            if wrong or not places:
                return Claim(claim.text, (), wrong or f"[{marker}] cites lines of no passage")
            passages += places
    return Claim(claim.text, tuple(dict.fromkeys(passages)))


def _misquoted(cited: Citation, files: Mapping[str, str]) -> str:
    text = files.get(cited.path)
    if text is None:
        return f"{cited.path} is no file of the vault"
    lines = "\n".join(text.split("\n")[cited.first_line - 1 : cited.last_line])
    if comparable(cited.quote) and comparable(cited.quote) in comparable(lines):
        return ""
    return f"{cited.path}:{cited.first_line}: the quote does not stand there"


def _holds(passage: Passage, cited: Citation) -> bool:
    within = passage.first_line <= cited.first_line <= cited.last_line <= passage.last_line
    return passage.path == cited.path and within


def _words(source: Source) -> set[str]:
    parts = (source.path, source.heading, source.context, source.text)
    return {word for part in parts for word in content(fold(part))}
