"""Embeds of Obsidian: a line that stands for the text of another file ("![[Fees#Boats]]")."""

from collections.abc import Iterable, Iterator
from typing import Any

from retrieval.metadata.filters import Given
from retrieval.text.dialects import WIKI, link_words
from retrieval.text.words import WORD

_MOST = 2
_LONGEST = 200  # characters of a name that is searched for


def alone(
    line: str, paths: Iterable[str], filters: Given | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what a line embeds, in words, with the filter that leaves its file of what passed.

    Nothing where the line says something besides. A file is named as by a link: by the end of its
    path among `paths`, in upper or lower case.
    """
    if WORD.search(WIKI.sub("", line)):
        return
    for found in [one for one in WIKI.finditer(line) if one[0].startswith("!")][:_MOST]:
        name = found[1].partition("#")[0].strip().lower().removesuffix(".md")
        path = next((one for one in paths if f"/{one.lower()}".endswith(f"/{name}.md")), None)
        if path:
            given = [filters] if filters else []
            yield link_words(found)[:_LONGEST], {"and": [*given, {"path": path}]}
