"""Ask what a sentence of a rule answers: how long, how many, until when, whether one may.

A sentence is asked only where its form is known; any other is left alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evals.drafting import english

_NUMBER = r"(?:\d[\d.,]{0,9}|one|two|three|four|five|six|seven|eight|ten|twelve|fifteen|twenty)"
_SPAN = (
    rf"(?:{_NUMBER}|a|an|half an) (?:(?:working|full|calendar|business|further|more) )?"
    r"(?:second|minute|hour|day|night|week|month|year)s?"
)
_LIMIT = r"(?:at most |at least |up to |no more than |another |about |only )?"
_DATE = (
    r"(?:\d{1,2} [A-Z][a-z]+|\d{1,2}(?::\d\d| ?[ap]m)|last \w+ of \w+|"
    r"\d{1,2}(?:st|nd|rd|th)(?: of [A-Z][a-z]+)?)"
)
_ASKED = (  # phrases with the words that ask for them; the first that a sentence holds is asked
    (re.compile(rf"\b(?:once )?every (?:{_SPAN}|day|week|month|year)\b"), "How often"),
    (re.compile(rf"\buntil {_LIMIT}{_SPAN} before\b"), "Until when"),
    (re.compile(rf"\b{_LIMIT}{_SPAN} (?:ahead|before|in advance)(?: of)?\b"), "How far ahead"),
    (re.compile(rf"\bwithin {_SPAN}\b"), "How quickly"),
    (re.compile(rf"\bfor {_LIMIT}{_SPAN} (?:after|from)\b"), "How long"),
    (re.compile(rf"\b{_LIMIT}{_SPAN} after\b"), "When"),
    (re.compile(rf"\bafter {_SPAN}\b"), "After how long"),
    (re.compile(rf"\bfor {_LIMIT}{_SPAN}\b"), "How long"),
    (re.compile(rf"\b(?:by|until|on|before) (?:the )?{_DATE}\b"), "When"),
)
_LASTING = re.compile(rf"^{_LIMIT}{_SPAN}\b")
_PAID = re.compile(rf"^{_LIMIT}{_NUMBER} (?:euros?|dollars?|pounds?|cents?|EUR|USD|GBP|%)")
_COUNTED = re.compile(
    rf"^{_LIMIT}{_NUMBER} ((?!and |or )(?:[a-z-]+ )?(?!and |or )[a-z-]+s)\b(?! of\b)"
)
_AUX = re.compile(
    r"^(?P<subject>.{2,70}?) (?P<aux>is|are|can|may|must|cannot|should|will)\b"
    r"(?P<denied> not\b| never\b)?(?P<rest> .+)$"
)
_OPENING = re.compile(
    r"^((?:In|On|For|During|After|Before|From|Without|Outside|At|With|Under|By|If|When|Once)"
    r" [^,;:]{4,70}), (.+)$"
)
_CONDITION = re.compile(r"^(If|When|Once) (\S+ \S+ \S.{4,80}?), (.{8,})$")
_CUT = re.compile(
    r"[;:(]|[,.] | and (?:is|are|has|have|do|does|can|may|must|will|not|no)\b|"
    r" (?:because|since|so that|but|though|and then|unless|except)\b"
)
_PREPOSITION = re.compile(
    r"(?:in|on|for|during|after|before|from|without|outside|at|with|under|by|to|as|since|until|"
    r"between|within|up|per|than|first|besides|otherwise|well)\b",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"[,;:()]|\b(?:who|which|that|where|if|when|while|because|only|nobody|no|nothing|none|not|"
    r"everything|we|you|i|what|is|are|must|may|can|once)\b| (?:and|or)$",
    re.IGNORECASE,
)
_LONGEST_SUBJECT = 7  # words
_DETERMINER = re.compile(r"(?:an?|the|each|every|one|all|no|your|our)$", re.IGNORECASE)
_PARTICIPLE = re.compile(
    r" (?:\w+ed|\w+ly \w+ed|paid|made|kept|sent|given|taken|told|held|lost|shown|set|built|"
    r"written|worn|left|driven|sold|met|put|seen|known|free|due|needed|possible|open)\b"
)
_ADVERB = re.compile(
    r" (?:never|really|also|always|still|even|therefore|normally|usually|at all)\b"
)
_UNFIT_REST = re.compile(
    r"\d| (?:only|have)\b| (?:and|or|longer|more|less|higher|lower|earlier|later)$"
)
_UNFIT_BEFORE = re.compile(r"\d| (?:and|or|only) | (?:and|or|than|not)$")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the words of the rule that answer it."""

    question: str
    answer: str


def questions(sentence: str, names: frozenset[str]) -> Iterator[Asked]:
    """Yield what can be asked of a sentence without Markdown, the most exact question first."""
    text = sentence.strip().rstrip(".")
    opening = _OPENING.match(text)
    tail = f" {english.inside(opening[1])}" if opening else ""
    main = opening[2] if opening else text
    for asked in (_command(main), _with_aux(main, names), _with_verb(main, names)):
        if asked:
            yield from _checked(Asked(f"{(asked.question + tail).rstrip()}?", asked.answer or text))
    if match := _CONDITION.match(text):
        yield from _checked(Asked(f"What happens {match[1].lower()} {match[2]}?", match[3]))


def _checked(asked: Asked) -> Iterator[Asked]:
    if 4 <= len(asked.question.split()) <= 16 and not english.points_elsewhere(asked.question):
        yield asked


def _command(text: str) -> Asked | None:
    """Of "Report a lost key within 24 hours": how quickly it must be reported."""
    first, _, rest = text.partition(" ")
    if first.lower() not in english.COMMANDS or english.base(rest.split(" ")[0]):
        return None
    told = english.inside(text).replace(" your ", " my ")
    return _phrase("do I have to", f" {told}")


def _with_aux(text: str, names: frozenset[str]) -> Asked | None:
    match = _AUX.match(text)
    if not match or not _is_subject(match["subject"]):
        return None
    aux, rest = match["aux"], match["rest"]
    subject = english.inside(match["subject"], names)
    if aux in {"is", "are"} and not _PARTICIPLE.match(_ADVERB.sub("", rest)):
        return None
    denied = bool(match["denied"]) or aux == "cannot"
    if not denied and (asked := _phrase(f"{aux} {subject}", rest)):
        return asked
    return _whether(aux, subject, rest) if denied or aux == "may" else None


def _whether(aux: str, subject: str, rest: str) -> Asked | None:
    """Whether something may or is, of a rule that allows or denies it; asked as if it allowed it.

    What a rule only states ("a profile is changed") is nobody's question.
    """
    rest = _ADVERB.sub("", rest)
    rest = rest[: cut.start()] if (cut := _CUT.search(rest)) else rest
    if _UNFIT_REST.search(rest):
        return None
    asks = "Can" if aux in {"can", "cannot", "may", "must"} else aux.capitalize()
    return Asked(f"{asks} {subject}{rest}", "")


def _with_verb(text: str, names: frozenset[str]) -> Asked | None:
    """Of "A shift lasts 7 days", "Search costs 5 requests": how long, how many."""
    words = text.split(" ")
    for at in range(1, min(len(words) - 1, _LONGEST_SUBJECT + 1)):
        said, rest = " ".join(words[:at]), " ".join(words[at + 1 :])
        many = english.is_verb(words[at]) and english.plural(said)
        verb = words[at] if many else english.base(words[at])
        if not verb or (at == 1 and _DETERMINER.match(said)):
            continue
        if not _is_subject(said):
            return None
        asks = f"{'do' if many else 'does'} {english.inside(said, names)}"
        if verb in {"last", "take", "run", "live"} and (span := _LASTING.match(rest)):
            return Asked(f"How long {asks} {verb}", span[0])
        if paid := _PAID.match(rest):
            return Asked(f"How much {asks} {verb}", paid[0])
        if counted := _COUNTED.match(rest):
            return Asked(f"How many {counted[1]} {asks} {verb}", counted[0])
        return _phrase(asks, f" {verb} {rest}")
    return None


def _phrase(asks: str, rest: str) -> Asked | None:
    """The question for the first phrase of time in the words behind a subject."""
    for pattern, word in _ASKED:
        match = pattern.search(rest)
        before = rest[: match.start()].rstrip(" ,") if match else ""
        if not match or _CUT.search(before) or _UNFIT_BEFORE.search(before):
            continue
        after = rest[match.end() :]
        after = after[: cut.start()] if (cut := _CUT.search(after)) else after
        keep = _PREPOSITION.match(after.strip()) and not re.search(r"\d", after)
        if match[0].endswith((" after", " from", " before")):
            keep = None  # what follows belongs to the phrase
        if word == "How quickly" and asks.startswith(("can ", "may ")):
            word = "Until when"
        said = _ADVERB.sub("", before)
        return Asked(f"{word} {asks}{said}{after if keep else ''}", match[0])
    return None


def _is_subject(text: str) -> bool:
    unfit = len(text.split()) > 8 or _NO_SUBJECT.search(text) or _PREPOSITION.match(text)
    return not unfit and not english.points_elsewhere(text)
