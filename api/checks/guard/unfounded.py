"""What an answer says without a source: sentences that no passage has the words of, and codes."""

import re
from collections.abc import Iterator, Sequence

from api.checks.guard.alignment import content
from api.checks.guard.findings import Finding
from api.checks.guard.statements import statements
from api.checks.passage_lines import Source
from retrieval.text.normalize import fold

_MOST_FOREIGN = 0.5  # of a sentence's words; those that only lead over have few
# Words that carry no rule: how an answer speaks of itself.
_LEADING = frozenset(
    content(
        "accord answer apply both case condition depend exception follow following hence include "
        "note number option otherwise part passage possible question rule same section short "
        "source state therefore thing type value version way yes"
    )
)
# Letters and digits mixed beyond what rules write (2d6, 10th, 30ft): a key, a hash, an encoding.
_CODE = re.compile(r"(?<![\w+/=])(?=[\w+/=]*\d)(?=[\w+/=]*[^\W\d_])[\w+/=]{8,}")


def findings(answer: str, sources: Sequence[Source], question: str) -> Iterator[Finding]:
    """Yield what `answer` says without a marker of its own in words that nobody gave it.

    Such a sentence states no number and no name, or the guard would have found it; it can still be
    what a poisoned passage ordered, or what the model knows from elsewhere. Codes are findings
    with a marker, too. Markers count `sources` from 1.
    """
    texts = [question, *(f"{s.path} {s.heading} {s.context} {s.text}" for s in sources)]
    given = fold(" ".join(texts))
    known = set(content(given)) | _LEADING
    for statement in statements(answer):
        words = set(content(statement.text))
        foreign = words - known
        if any(match[0] not in given for match in _CODE.finditer(statement.text)):
            yield Finding("name", statement.text, "holds a code that stands in no passage")
        elif not statement.own and len(foreign) > _MOST_FOREIGN * len(words):
            yield Finding("uncited", statement.text, "says what no passage says, and cites none")
