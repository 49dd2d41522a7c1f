"""Ask for what a section holds as a whole: its list, its steps, its exceptions, a term's meaning."""

import re
from collections.abc import Iterator, Sequence

from evals.drafting import english

_GENERAL = re.compile(
    r"^(?:rules?|limits?|exceptions?|notes?|overview|details?|general|scope|purpose|duties|"
    r"requirements?|conditions?|responsibilities|steps|procedure)$",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"\b(?:exceptions?|excepted|unless|except|apart from|does not apply|do not apply)\b", re.I
)
_GERUND = re.compile(r"^[A-Z][a-z]+ing\b")
_CLAUSE = re.compile(r"^(?:If|When) \S+ \S+", re.IGNORECASE)
_LEAD = re.compile(r"^(?:the |a |an )?([a-z][a-z' -]{4,50}?)(?:,[^:]*)?:$", re.IGNORECASE)
_DOCUMENT = re.compile(r"\b(?:policy|guide|handbook|rules|procedure|code|terms)$", re.IGNORECASE)


def topic(trail: Sequence[str], known: frozenset[str]) -> str:
    """Return what a section is about as part of a question: "limits of a trial"."""
    title, heading = english.inside(trail[0], known), english.inside(trail[-1], known)
    if len(trail) == 1 or title.lower() in heading.lower():
        return english.with_article(heading) if _DOCUMENT.search(heading) else heading
    if _DOCUMENT.search(title):
        return f"{heading} in {english.with_article(title)}"
    return f"{heading} for {title}" if len(heading.split()) < 3 else heading


def about_section(trail: Sequence[str], known: frozenset[str]) -> str:
    """Return the question that a section's first paragraph answers, "" where none is natural."""
    heading = trail[-1] if len(trail) > 1 else ""
    if not heading or english.points_elsewhere(heading):
        return ""
    if _CLAUSE.match(heading) and not _general_clause(heading):
        return f"What happens {heading[0].lower()}{heading[1:]}?"
    if _GERUND.match(heading) and len(heading.split()) > 1:
        return f"How does {english.inside(heading, known)} work?"
    return ""


def about_list(trail: Sequence[str], lead: str, known: frozenset[str]) -> str:
    """Return the question that a whole list answers, "" where none is natural."""
    match = _LEAD.match(lead)
    if match and english.plural(match[1]) and not english.points_elsewhere(match[1]):
        name = english.inside(match[1], known)
        where = f" for {english.inside(trail[0], known)}" if len(name.split()) < 3 else ""
        return f"What are the {name}{where}?"
    heading = trail[-1] if trail else ""
    if lead or len(trail) < 2 or not english.plural(heading) or len(heading.split()) > 5:
        return ""
    if _GENERAL.match(heading) or len(heading.split()) > 1:
        return f"What are the {topic(trail, known)}?"
    return ""


def about_exception(text: str, trail: Sequence[str], known: frozenset[str]) -> str:
    """Return the question for a paragraph that holds a rule with its exception."""
    if not _EXCEPTION.search(text) or len(trail) < 2:
        return ""
    heading = trail[-1]
    if re.match(r"exceptions?$", heading, re.IGNORECASE):
        return f"Are there exceptions for {english.inside(trail[0], known)}?"
    return f"Are there exceptions to the rule on {topic(trail, known)}?"


def about_field(label: str, trail: Sequence[str], known: frozenset[str]) -> str:
    """Return the question for "Label: value"."""
    if len(label.split()) > 6 or english.points_elsewhere(label) or not trail:
        return ""
    name = english.inside(label, known)
    title = english.inside(trail[0], known)
    if _DOCUMENT.search(title) or len(name.split()) > 1:
        return f"What applies to {name}?" if len(name.split()) > 1 else (
            f"What does {english.with_article(title)} say about {name}?")  # fmt: skip
    return f"What is the {name} for {title}?"


def about_term(term: str) -> str:
    """Return the question for the meaning of a term."""
    return f"What does “{term}” mean?"


def about_steps(trail: Sequence[str], known: frozenset[str]) -> str:
    """Return the question that numbered steps answer."""
    heading = trail[-1] if trail else ""
    if _GERUND.match(heading):
        return f"What are the steps for {english.inside(heading, known)}?"
    if re.match(r"how to\b", heading, re.IGNORECASE):
        return f"How do I {heading[7:]}?"
    return ""


def sentences_with_label(text: str) -> Iterator[tuple[str, str]]:
    """Yield (label, value) where a text is "Label: value"."""
    match = re.match(r"^([A-Z][^:.?!]{1,50}): (\S.{3,})$", text)
    if match:
        yield match[1], match[2]


def _general_clause(heading: str) -> bool:
    return heading.rstrip().endswith("?")
