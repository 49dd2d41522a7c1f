"""The names of what HTML folds: <details> with a <summary>, as static sites write questions."""

import re

_SHOWN = r"(?:\s+(?:open|(?:class|id|name)=\"[^\"<>]*\"))*>"
_DETAILS = re.compile(
    rf"(?:</?details{_SHOWN}[ \t]*)?"
    rf"(?:(?:<summary{_SHOWN}(.*)</summary>|</?summary{_SHOWN})(?:[ \t]*</details>)?)?"
)
_HIDING = re.compile(rf"<(?:details|summary)(?!{_SHOWN})")
_TAG = re.compile(r"<[^<>]*>")


def summary(line: str) -> str | None:
    """Return the name that a line of such tags alone gives, "" for none; None for another line."""
    found = _DETAILS.fullmatch(line)
    return _TAG.sub("", found[1] or "") if found else None


def are_shown(text: str) -> bool:
    """Tell whether none of a text's has an attribute that may hide what is in it."""
    return _HIDING.search(text) is None
