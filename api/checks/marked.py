"""What a marker of an answer stands behind: its sentence, the one before, other markers."""

import re

from api.checks.guard.facts import facts
from api.checks.guard.occurrences import content
from api.checks.markers import MARKER, RUN
from api.checks.passage_lines import sentences
from retrieval.text.normalize import fold

_LONGEST = 1_000  # characters before a marker among which its sentence is looked for
_RUN = 40  # characters on each side
_RUN_END = re.compile(rf"{RUN.pattern}$", re.ASCII)


def claim_of(text: str, match: re.Match[str]) -> str:
    """Return what the sentence of a marker says up to it, or after it where it opens one."""
    row = _row_before(text, match)
    plain = MARKER.sub("", row)
    before = [sentence for _, sentence in sentences(plain)]
    last = before[-1] if before else ""
    since = MARKER.split(row)[-1]
    if since.strip() and len(content(fold(since))) >= 2 and len(since) < len(last):
        last = since
    if len(content(fold(last))) >= 2 or facts(fold(last)):
        return last
    after = re.split(r"[\n.]|\[\d", text[match.end() :], maxsplit=1)[0]
    return f"{last} {after}"


def sentence_before(text: str, match: re.Match[str]) -> frozenset[str]:
    """Return the stems of the sentence before that of a marker, where it cites no other passage."""
    row = _row_before(text, match)
    found = [sentence for _, sentence in sentences(row)][-2:-1]
    cites = {marker for sentence in found for marker in MARKER.findall(sentence)}
    return frozenset(content(fold("".join(found)))) if cites <= {match[1]} else frozenset()


def _row_before(text: str, match: re.Match[str]) -> str:
    """What stands before a marker in its line."""
    begin = max(0, match.start() - _LONGEST)
    return text[max(begin, text.rfind("\n", begin, match.start()) + 1) : match.start()]


def neighbours(text: str, match: re.Match[str]) -> set[int]:
    """Return the markers that stand right beside one, so that all share the claim."""
    before = _RUN_END.search(text[max(0, match.start() - _RUN) : match.start()])
    after = RUN.match(text, match.end(), match.end() + _RUN)
    found = f"{before[0] if before else ''}{after[0] if after else ''}"
    return {int(one[1]) for one in MARKER.finditer(found)}
