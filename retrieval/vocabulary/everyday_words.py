"""Words that people ask about every day, whatever a vault knows: "pint", "jigsaw"."""

from collections import Counter
from functools import cache
from pathlib import Path

from retrieval.text.words import WORD

_QUESTIONS = Path(__file__).parent.parent / "refusal" / "off_topic_questions.txt"
_LEAST = 2  # times; a word that is there once may be a slip, as some are on purpose


@cache
def everyday_words() -> frozenset[str]:
    """Return the words, in lower case, that at least two of some 8000 everyday questions hold."""
    lines = _QUESTIONS.read_text("utf-8").lower().split("\n")
    times = Counter(word for line in lines for word in set(WORD.findall(line)))
    return frozenset(word for word, count in times.items() if count >= _LEAST)
