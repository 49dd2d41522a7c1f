"""Ask what a sentence of a rule answers: how long, how many, until when, whether one may.

A sentence is asked only where its form is known; any other is left alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evals.drafting import english

_NUMBER = r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty)"
_SPAN = (
    rf"(?:{_NUMBER}|a|an|half an) (?:(?:working|full|calendar|business|further|more) )?"
    r"(?:second|minute|hour|day|night|week|month|year)s?"
)
_LIMIT = r"(?:at most |at least |up to |no more than |another |about |only )?"
_MONEY = r"(?:euros?|dollars?|pounds?|cents?|EUR|USD|GBP|%)"
# What is asked of a phrase; the first that a sentence holds is asked. {aux} may change the words.
_PHRASES = (
    (rf"(?:once )?every (?:{_SPAN}|day|week|month|year)", "How often"),
    (rf"until {_LIMIT}{_SPAN} before", "Until when"),
    (rf"{_LIMIT}{_SPAN} (?:ahead|before|in advance)(?: of)?", "How far ahead"),
    (rf"within {_SPAN}", "How quickly"),
    (rf"for {_LIMIT}{_SPAN} (?:after|from)", "How long after"),
    (rf"{_LIMIT}{_SPAN} after", "When after"),
    (rf"after {_SPAN}", "After how long"),
    (rf"for {_LIMIT}{_SPAN}", "How long"),
    (rf"(?:by|until|on|before) (?:the )?(?:\d{{1,2}} [A-Z][a-z]+|\d{{1,2}}(?::\d\d| ?[ap]m)|"
     r"last \w+ of \w+|\d{1,2}(?:st|nd|rd|th)(?: of [A-Z][a-z]+)?)", "When"),
)  # fmt: skip
_ASKED = tuple((re.compile(rf"\b{pattern}\b"), word) for pattern, word in _PHRASES)
_AMOUNT = re.compile(rf"^{_LIMIT}(?:{_NUMBER}) ({_MONEY})")
_LASTING = re.compile(rf"^{_LIMIT}{_SPAN}\b")
_COUNTED = re.compile(
    rf"^{_LIMIT}{_NUMBER} ((?!and |or )(?:[a-z-]+ )?(?!and |or )[a-z-]+s)\b(?! of\b)"
)
_AUX = re.compile(
    r"^(?P<subject>.{2,70}?) (?P<aux>is|are|can|may|must|cannot|should|will)\b"
    r"(?P<not> not\b| never\b)?(?P<rest> .+)$"
)
_VERB = re.compile(r"^(?P<subject>(?:A|An|The|Each|Every|One) .{2,50}?|\S+(?: \S+)?) "
                   r"(?P<verb>[a-z]+)(?P<rest> .+)$")  # fmt: skip
_OPENING = re.compile(
    r"^(?P<when>(?:In|On|For|During|After|Before|From|Without|Outside|At|With|Under|By|If|When|Once)"
    r" [^,;:]{4,70}), (?P<main>.+)$"
)
_CONDITION = re.compile(r"^(If|When|Once) (\S+ \S+ \S.{4,80}?), (.{8,})$")
_CUT = re.compile(
    r"[;:(]|, | and (?:is|are|has|have|can|may|must|will|not|no)\b| (?:because|since|so that|but|though|and then|unless|except)\b|\.$"
)
_BAD_SUBJECT = re.compile(
    r"[,;:()]|\b(?:who|which|that|where|if|when|while|because|only|nobody|no|nothing|none|not|"
    r"everything|we|you|i|what|is|are|must|may|can|once|neither)\b",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"^(?:in|on|for|during|after|before|from|without|outside|at|with|under|by|to|as|of|since|"
    r"until|between|within|up|per|than)\b",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(
    r"^ (?:\w+ed|\w+ly \w+ed|paid|made|kept|sent|given|taken|told|held|lost|shown|set|built|"
    r"written|worn|left|driven|sold|met|put|seen|known|free|due|needed|possible|open)\b"
)
_ADVERB = re.compile(r" (?:never|only|also|always|still|even|therefore|normally|usually|at all)\b")
_MOST_WORDS = 16


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the words of the sentence that answer it."""

    question: str
    answer: str


def questions(sentence: str, names: frozenset[str]) -> Iterator[Asked]:
    """Yield what can be asked of a sentence without Markdown, the most exact question first."""
    text = sentence.strip().rstrip(".")
    opening = _OPENING.match(text)
    main, when = (opening["main"], opening["when"]) if opening else (text, "")
    tail = f" {when[0].lower()}{when[1:]}" if when else ""
    for asked in (_command(main), _quantity(main, names), _modal(main, names)):
        if asked:
            yield from _checked(Asked(f"{asked.question}{tail}?", asked.answer or text))
    if (match := _CONDITION.match(text)) and not tail.startswith(" for"):
        yield from _checked(Asked(f"What happens {match[1].lower()} {match[2]}?", match[3]))


def _checked(asked: Asked) -> Iterator[Asked]:
    words = english.WORD.findall(asked.question)
    if 4 <= len(words) <= _MOST_WORDS and not english.points_elsewhere(asked.question):
        yield asked


def _command(text: str) -> Asked | None:
    """ "Report a lost key within 24 hours" is asked as "How quickly must I report a lost key"."""
    first, _, rest = text.partition(" ")
    if not english.is_command(first) or english.base(rest.split(" ")[0]):
        return None
    found = _phrase(f" {text}")
    if not found:
        return None
    word, answer, before, after = found
    told = f"{before.strip()}{after}".replace(" your ", " my ")
    return Asked(f"{word} do I have to {told[0].lower()}{told[1:]}", answer)


def _quantity(text: str, names: frozenset[str]) -> Asked | None:
    match = _AUX.match(text)
    if match and _good(match["subject"]):
        subject, aux = english.inside(match["subject"], names), match["aux"]
        if match["not"] or aux == "cannot":
            return None
        found = _phrase(match["rest"])
        if found and (aux not in {"is", "are"} or _PARTICIPLE.match(match["rest"])):
            word, answer, before, after = found
            word = "Until when" if word == "How quickly" and aux in ("can", "may") else word
            return Asked(f"{word} {aux} {subject}{before}{after}", answer)
        return _counted(match["rest"], f"{aux} {subject}", "")
    return _plain_verb(text, names)


def _plain_verb(text: str, names: frozenset[str]) -> Asked | None:
    match = _VERB.match(text)
    verb = match and (english.base(match["verb"]) or _plural_verb(match["subject"], match["verb"]))
    if not match or not verb or not _good(match["subject"]):
        return None
    does = "does" if english.base(match["verb"]) else "do"
    subject = f"{does} {english.inside(match['subject'], names)}"
    rest = match["rest"]
    if verb in {"last", "take", "run", "live"} and (span := _LASTING.match(rest.strip())):
        return Asked(f"How long {subject} {verb}", span[0])
    if counted := _counted(rest, subject, f" {verb}"):
        return counted
    found = _phrase(rest)
    if found:
        word, answer, before, after = found
        return Asked(f"{word} {subject} {verb}{before}{after}", answer)
    return None


def _plural_verb(subject: str, verb: str) -> str | None:
    return verb if english.is_verb(verb) and english.plural(subject) else None


def _counted(rest: str, subject: str, verb: str) -> Asked | None:
    """What is counted or paid directly behind the verb: "holds 500 images", "costs 4 euros"."""
    lead, _, inner = rest.strip().partition(" ")
    if subject.split(" ")[0] in {"can", "may", "must", "should", "will"} and english.is_verb(lead):
        verb, rest = f" {lead}", inner
    if match := _AMOUNT.match(rest.strip()):
        return Asked(f"How much {subject}{verb}", match[0])
    if match := _COUNTED.match(rest.strip()):
        return Asked(f"How many {match[1]} {subject}{verb}", match[0])
    return None


def _modal(text: str, names: frozenset[str]) -> Asked | None:
    """Whether something may, must or can be; what a rule denies is asked as if it did not."""
    match = _AUX.match(text)
    if not match or not _good(match["subject"]):
        return None
    aux, rest = match["aux"], _ADVERB.sub("", match["rest"])
    if aux in {"is", "are"} and not _PARTICIPLE.match(rest):
        return None
    rest = rest[: cut.start()] if (cut := _CUT.search(rest)) else rest
    if re.search(r"\d| (?:and|or|longer|more|less|higher|lower|earlier|later)$", rest):
        return None
    if " only " in match["rest"]:
        return None
    subject = english.inside(match["subject"], names)
    if aux == "must" and not match["not"]:
        does = "Do" if english.plural(subject) else "Does"
        return Asked(f"{does} {subject} have to{rest}", "")
    asks = "Can" if aux in {"can", "cannot", "may", "must"} else aux.capitalize()
    return Asked(f"{asks} {subject}{rest}", "")


def _phrase(rest: str) -> tuple[str, str, str, str] | None:
    """The word that asks for the first phrase of time, the phrase, and what stands around it."""
    for pattern, word in _ASKED:
        if match := pattern.search(rest):
            before, after = rest[: match.start()].rstrip(), rest[match.end() :]
            after = after[: cut.start()] if (cut := _CUT.search(after)) else after
            good = not _CUT.search(before) and not re.search(r"\d| and | or ", before)
            keep = bool(_PREPOSITION.match(after.strip())) and not re.search(r"\d|^ of\b", after)
            if word.endswith(" after"):
                keep, word = False, word.removesuffix(" after")
            if good:
                return word, match[0], _ADVERB.sub("", before), after if keep else ""
    return None


def _good(subject: str) -> bool:
    words = subject.split()
    return (
        len(words) <= 8
        and not _BAD_SUBJECT.search(subject)
        and not _PREPOSITION.match(subject)
        and not subject.endswith((" and", " or"))
        and not english.points_elsewhere(subject)
    )
