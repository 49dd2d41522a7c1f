"""Search as you type over the vault, with misspelt words corrected to the vault's own."""

from bisect import bisect_left

from pydantic import BaseModel, Field

from api.answer.question import spelling
from api.schema.answer import SpellingCorrection
from api.state import AppState
from retrieval.index import store
from retrieval.models import Terms
from retrieval.vocabulary.headings import LONGEST, FoundHeading, headings


class Headings(BaseModel):
    """The reply of GET /headings: sections, best first."""

    headings: list[FoundHeading]
    corrections: list[SpellingCorrection] = Field(
        default=[], description="words that the vault does not know, and what was searched"
    )


def find(opened: AppState, typed: str) -> Headings:
    """Return the sections that have the words of `typed`, or the beginnings of words.

    Of files that FILTERS leaves out there are none.

    No model is asked. Raises IndexMissingError and DatabaseUnreachableError.
    """
    context = opened.rules
    typed = typed[:LONGEST]

    def found(conn: store.Connection) -> Headings:
        now = store.live(conn)
        terms = context.terms_at(conn, now)
        sections = context.sections_at(conn, now)
        searched, corrections = spelling.corrected(
            typed, terms, lambda word: _begins_a_word(word, terms)
        )
        return Headings(
            headings=headings(conn, now.id, sections, searched, scope=context.scope_of(conn, now)),
            corrections=[
                SpellingCorrection(typed=one.typed, searched=one.searched) for one in corrections
            ],
        )

    return context.read(found)


def _begins_a_word(word: str, terms: Terms) -> bool:
    words = terms.spellings.of(word[0])
    at = bisect_left(words, word)
    return at < len(words) and words[at].startswith(word)
