"""Ask for what a section holds as a whole: its list, its steps, its exceptions, a term's meaning.

A trail is the headings above, outermost first: the first of it is the file's title.
"""

import re
from collections.abc import Sequence

from evals.drafting import english

_GENERAL = re.compile(
    r"^(?:ground rules|rules?|limits?|exceptions?|notes?|overview|details?|general|scope|purpose|"
    r"duties|requirements?|conditions?|responsibilities|steps|procedure)$",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"\b(?:exceptions?|excepted|unless|except|apart from|does not apply|do not apply)\b", re.I
)
_GERUND = re.compile(r"^[A-Z]?[a-z]+ing\b")
_CLAUSE = re.compile(r"^(?:If|When) \S+ \S+ \S+", re.IGNORECASE)
_ASKS = re.compile(
    r"^(?:if|when|who|what|how|where|which|why|do|are|is|at|before|after|during|on|in|day|week|"
    r"month|step)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:the |a |an )?([a-z][a-z' -]{4,50}?)(?:,[^:]*)?:$", re.IGNORECASE)
_LABEL = re.compile(r"^([A-Z][^:.?!]{2,50}): (\S.{3,})$")
_SENTENCE = re.compile(r"\b(?:is|are|was|has|have|can|may|must|costs?)\b|(?:\S+ ){6}")
_DOCUMENT = re.compile(r"\b(?:policy|guide|handbook|rules|procedure|code|terms)$", re.IGNORECASE)
_NUMBERED = re.compile(r"^(?:(?:chapter|part|section) )?\d+[.:)]?(?: [-–—])? ", re.IGNORECASE)


def topic(trail: Sequence[str], names: frozenset[str]) -> str:
    """Return what a section is about as part of a question, "" for a heading that says nothing."""
    title, heading = (
        english.inside(_NUMBERED.sub("", part), names) for part in (trail[0], trail[-1])
    )
    if len(trail) == 1 or _GENERAL.match(heading):
        return english.with_the(title) if _DOCUMENT.search(title) else title
    if english.points_elsewhere(heading) or _ASKS.match(heading) or "," in heading:
        return ""
    if len(heading.split()) > 1 or title.lower() in heading.lower():
        return heading
    if _DOCUMENT.search(title):
        return f"{heading} in {english.with_the(title)}"
    known = _GERUND.match(heading) or heading.lower() in title.lower()
    return heading if known else f"{heading} for {title}"


def in_context(question: str, trail: Sequence[str]) -> str:
    """Return a question that says what it is about.

    Where it shares no word with the headings above, one of them goes in front: "Moving between
    regions: how long does the move take?"
    """
    said = {word.lower().rstrip("s") for part in trail for word in english.WORD.findall(part)}
    asked = {word.lower().rstrip("s") for word in english.WORD.findall(question)}
    if ": " in question or {word for word in said & asked if len(word) > 3}:
        return question
    heading = _NUMBERED.sub("", trail[-1])
    if (
        _GENERAL.match(heading)
        or _ASKS.match(heading)
        or (len(trail) > 1 and len(heading.split()) < 2)
    ):
        heading = _NUMBERED.sub("", trail[0])
    return f"{heading}: {english.inside(question, frozenset())}"


def about_section(trail: Sequence[str], names: frozenset[str]) -> str:
    """Return the question that a section's first paragraph answers, "" where none is natural."""
    heading = trail[-1] if len(trail) > 1 else ""
    if not heading or english.points_elsewhere(heading) or "," in heading:
        return ""
    if _CLAUSE.match(heading) and not heading.endswith("?"):
        return f"What happens {heading[0].lower()}{heading[1:]}?"
    if _GERUND.match(heading) and len(heading.split()) > 1:
        asked = f"How does {heading[0].lower()}{heading[1:]} work?"
        return asked if len(heading.split()) > 3 else in_context(asked, trail[:1])
    return ""


def about_list(trail: Sequence[str], lead: str, names: frozenset[str]) -> str:
    """Return the question that a whole list answers, "" where none is natural."""
    match = _LEAD.match(lead)
    if match and english.plural(match[1]) and not english.points_elsewhere(match[1]):
        return in_context(f"What are the {english.inside(match[1], names)}?", trail)
    about = topic(trail, names)
    if lead or len(trail) < 2 or not about:
        return ""
    heading = english.inside(trail[-1], names)
    if re.match(r"(?:limits|duties|requirements|conditions|rules)\b", heading):
        if _GENERAL.match(heading):
            return f"What are the {heading} {'in' if _DOCUMENT.search(about) else 'for'} {about}?"
        return f"What are the {heading}?"
    if heading == "exceptions":
        return f"What are the exceptions for {about}?"
    return in_context(f"What are the rules on {about}?", trail[:1])


def about_exception(text: str, trail: Sequence[str], names: frozenset[str]) -> str:
    """Return the question for a paragraph that holds a rule with its exception."""
    about = topic(trail, names)
    if (
        not _EXCEPTION.search(text)
        or " above" in text
        or not about
        or english.points_elsewhere(text.split(",")[0])
    ):
        return ""
    return in_context(f"Are there any exceptions to the rules on {about}?", trail[:1])


def about_field(text: str, trail: Sequence[str], names: frozenset[str]) -> str:
    """Return the question for "Label: value", "" for another text."""
    match = _LABEL.match(text)
    if not match or _SENTENCE.search(match[1]) or english.points_elsewhere(match[1]):
        return ""
    label = english.inside(match[1], names)
    if _DOCUMENT.search(trail[0]):
        title = english.with_the(english.inside(trail[0], names))
        return f"What does {title} say about {label}?"
    thing = label if english.plural(label) or not label.islower() else english.with_a(label)
    nearest = trail if _GENERAL.match(trail[-1]) else trail[-1:]
    return in_context(f"What applies to {thing}?", nearest)


def about_term(term: str) -> str:
    """Return the question for the meaning of a term."""
    return f"What does “{term}” mean?"


def about_steps(trail: Sequence[str], names: frozenset[str]) -> str:
    """Return the question that numbered steps answer."""
    heading = trail[-1]
    if _GERUND.match(heading):
        return in_context(f"What are the steps for {heading[0].lower()}{heading[1:]}?", trail[:1])
    if re.match(r"how to\b", heading, re.IGNORECASE):
        return f"How do I {heading[7:]}?"
    return ""
