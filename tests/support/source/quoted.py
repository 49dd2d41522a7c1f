"""What cards show of the lines that they cite."""

import re
from collections.abc import Mapping
from typing import Any

_WORD = re.compile(r"\w+")


def unshown(answer: Mapping[str, Any]) -> list[str]:
    """Return what of an answer's cards and citations a reader of it does not see.

    A citation's lines are among those of its card, which is the one that its marker numbers; a
    card's text stands in the answer, and every cited line in the text, of a folded card word by
    word. An answer without cards or citations shows nothing.
    """
    cards, cited = answer["cards"], answer["citations"]
    found = [] if cards and cited else ["nothing is cited"]
    for number, card in enumerate(cards, start=1):
        if f"**[{number}] {card['heading']}**" not in answer["answer"]:
            found.append(f"card {number} has no title")
        if card["text"] not in answer["answer"]:
            found.append(card["text"])
    if {one["marker"] for one in cited} != set(range(1, len(cards) + 1)):
        found.append("the markers are not the numbers of the cards")
        return found
    for one in cited:
        card = cards[one["marker"] - 1]
        if not (
            one["path"] == card["path"]
            and card["first_line"] <= one["first_line"] <= one["last_line"] <= card["last_line"]
        ):
            found.append(f"{one['path']}:{one['first_line']} is none of its card's lines")
        pieces = _WORD.findall(one["quote"]) if card["folded"] else one["quote"].split("\n")
        found += [piece for piece in pieces if piece not in card["text"]]
    return found
