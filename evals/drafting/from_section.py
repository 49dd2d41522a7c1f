"""Ask for what a section holds as a whole: its list, its steps, its exceptions, a term's meaning.

A trail is the headings above, outermost first: the first of it is the file's title. Each function
returns a question, or "" where none is natural.
"""

import re
from collections.abc import Sequence

from evals.drafting import english

_GENERAL = re.compile(
    r"(?:[\w ]*\brules|rule|limits?|exceptions?|notes?|overview|details?|general|scope|purpose|"
    r"duties|requirements?|conditions?|responsibilities|steps|procedure)$",
    re.IGNORECASE,
)
_COUNTABLE = re.compile(r"(?:limits|duties|requirements|conditions|rules|exceptions)\b")
_EXCEPTION = re.compile(
    r"\b(?:exceptions?|excepted|unless|except|apart from|does not apply|do not apply)\b", re.I
)
_GERUND = re.compile(r"(?!(?:dur|noth|someth|even|morn|build)ing)[A-Z]?[a-z]+ing\b", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:If|When) \S+ \S+ \S+.*[^?]$", re.IGNORECASE)
_NO_TOPIC = re.compile(
    r"(?:if|when|who|what|how|where|which|why|do|are|is|at|before|after|during|on|in|not|day|week|"
    r"month|step|(?:jan|febr)uary|march|april|may|june|july|august|\w+ber)\b|.*(?:,|\b(?:is|are|"
    r"we|you)\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:the |a |an )?([a-z][a-z' -]{4,50}?)(?:,[^:]*)?:$", re.IGNORECASE)
_LABEL = re.compile(r"([A-Z][\w ,'’()-]{2,50}): (\S.{3,})$")
# Labels that are half a sentence, or say something of the document and not of its subject.
_NO_LABEL = re.compile(
    r"\b(?:is|are|was|has|have|can|may|must|costs?|than)\b|^\w+(?:ed|ing|en)\b|"
    r"\b(?:to|of|for|by|at|on|in|from|with)$|^(?:if|when|for|in|on|at|by|since|until|valid|"
    r"version|owner|status|author|date|updated|contact|members|note|example|legend|key|"
    r"warning|(?:the )?exception)\b",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(r"\b(?:policy|guide|handbook|rules|procedure|code|terms)$", re.IGNORECASE)
_GLOSSARY = re.compile(
    r"\b(?:glossary|definitions?|terms|vocabulary|abbreviations)\b", re.IGNORECASE
)
_CHAPTER = re.compile(r"^(?:(?:chapter|part|section) )?\d+[.:)]?(?: [-–—])? ", re.IGNORECASE)


def in_context(question: str, trail: Sequence[str]) -> str:
    """Return a question that says what it is about.

    Where it shares no word with the headings above, one of them goes in front: "Moving between
    regions: how long does the move take?"
    """
    said, asked = (
        {word.lower().rstrip("s") for word in english.WORD.findall(text) if len(word) > 3}
        for text in (" ".join(trail), question)
    )
    if ": " in question or said & asked:
        return question
    heading = trail[-1]
    weak = _GENERAL.match(heading) or _NO_TOPIC.match(heading) or english.points_elsewhere(heading)
    heading = trail[0] if weak or " " not in heading else heading
    return f"{_named(heading)}: {english.inside(question)}"


def about_section(trail: Sequence[str]) -> str:
    """Ask what the first paragraph of a section answers: how something works, what happens if."""
    heading = trail[-1] if len(trail) > 1 else ""
    if english.points_elsewhere(heading) or "," in heading:
        return ""
    if _CLAUSE.match(heading):
        return in_context(f"What happens {english.inside(heading)}?", trail[:1])
    if not _GERUND.match(heading) or " " not in heading:
        return ""
    asked = f"How does {english.inside(heading)} work?"
    return asked if len(heading.split()) > 3 else in_context(asked, trail[:1])


def about_list(
    trail: Sequence[str], lead: str, names: frozenset[str], *, of_sentences: bool
) -> str:
    """Ask for a whole list, by the line that introduces it or else by its heading."""
    match = _LEAD.match(lead)
    if match and english.plural(match[1]) and not english.points_elsewhere(match[1]):
        return in_context(f"What are the {english.inside(match[1], names)}?", trail)
    about, heading = _topic(trail, names), english.inside(trail[-1], names)
    if lead or len(trail) < 2 or not about:
        return ""
    if not _COUNTABLE.match(heading):
        good = of_sentences or english.plural(heading)
        what = f"rules on {about}" if of_sentences else heading
        return in_context(f"What are the {what}?", trail[:1]) if good else ""
    what = f"{heading} for {about}" if _GENERAL.match(heading) else heading
    return f"What are the {what}?"


def about_steps(trail: Sequence[str]) -> str:
    """Ask for numbered steps."""
    heading = trail[-1]
    if re.match(r"how to\b", heading, re.IGNORECASE):
        return f"How do I {heading[7:]}?"
    asked = f"What are the steps for {english.inside(heading)}?"
    return in_context(asked, trail[:1]) if _GERUND.match(heading) else ""


def about_exception(text: str, trail: Sequence[str], names: frozenset[str]) -> str:
    """Ask for the exceptions of a section, of a text that holds one with its rule."""
    about = _topic(trail, names)
    if not _EXCEPTION.search(text) or not about or " above" in text:
        return ""
    if english.points_elsewhere(text.split(",")[0]):
        return ""
    return in_context(f"Are there any exceptions to the rules on {about}?", trail[:1])


def about_field(text: str, trail: Sequence[str], names: frozenset[str]) -> str:
    """Ask for the value of "Label: value"."""
    match = _LABEL.match(text)
    if not match or len(match[1].split()) > 6 or match[1].count("(") != match[1].count(")"):
        return ""
    if _NO_LABEL.search(match[1]) or english.points_elsewhere(match[1]):
        return ""
    if any(english.base(word) or word in english.COMMANDS for word in match[1].lower().split()):
        return ""
    label, title = english.inside(match[1], names), english.inside(_named(trail[0]), names)
    if _DOCUMENT.search(title):
        return f"What does {english.with_article('the', title)} say about {label}?"
    about = _topic(trail, names) or title
    return in_context(f"What do the rules on {about} say about {label}?", trail[:1])


def about_term(term: str, trail: Sequence[str]) -> str:
    """Ask for the meaning of a term, of a glossary."""
    return f"What does “{term}” mean?" if _GLOSSARY.search(" ".join(trail)) else ""


def _topic(trail: Sequence[str], names: frozenset[str]) -> str:
    """What a section is about as part of a question: "rotation in the password policy"."""
    title, heading = (english.inside(_named(one), names) for one in (trail[0], trail[-1]))
    document = _DOCUMENT.search(title)
    named = english.with_article("the", title) if document else title
    if len(trail) == 1 or _GENERAL.match(heading):
        return named
    if english.points_elsewhere(heading) or _NO_TOPIC.match(heading):
        return ""
    alone = " " in heading or _GERUND.match(heading) or heading.lower() in title.lower()
    if alone or len(named.split()) > 3:
        return heading
    return f"{heading} {'in' if document else 'for'} {named}"


def _named(heading: str) -> str:
    """A heading without its number and what stands behind a colon or a dash."""
    return re.split(r": | [-–—] ", _CHAPTER.sub("", heading))[0]
