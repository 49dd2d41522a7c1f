"""The files of a folder that are for somebody of an age: "which courses can a 14 year old do"."""

from collections.abc import Sequence

from api.answer.cards.blocks import Part
from api.answer.cards.folders import folders
from api.answer.cards.folders.file_fields import Field, Read, as_typed, listed, of_folder
from api.answer.cards.folders.folders import Folder
from api.answer.cards.lists.rows.by_age import asked_age, is_age, of_age
from api.answer.question.plain_words import PLAIN
from retrieval.models import Terms
from retrieval.text.normalize import searchable
from retrieval.vocabulary.terms import stems_of


def chosen(question: str, terms: Terms, read: Read) -> tuple[Folder, ...]:
    """Return the files of the folder that a question opens with whose age fits, with that line.

    Where the question denies it, those whose age does not. None where it asks for more than that,
    where two fields are called so, or where all files fit or none.
    """
    aged = asked_age(searchable(question))
    if aged is None:
        return ()
    found = []
    for folder in folders.opened_with(question, terms):
        rest = frozenset(stems_of(question)) - frozenset(stems_of(aged.said)) - PLAIN
        if rest - folders.said_by(terms)[folder] - folders.SAID_WITH_IT:
            continue
        named = [of_folder(folder, name, terms, read) for name in terms.fields if is_age(name)]
        of_files = [list(fields.values()) for fields in named if fields]
        if len(of_files) == 1 and (kept := _of_age(of_files[0], aged.years, denied=aged.is_denied)):
            words = as_typed(frozenset(stems_of(aged.said)), question)
            said = ("not", *words) if aged.is_denied else words
            found.append(listed(folder, kept, said, terms))
    return tuple(found)


def _of_age(fields: Sequence[Field], years: float, *, denied: bool) -> list[Field]:
    table = [(Part(n, n), ("", field.value)) for n, field in enumerate(fields)]
    parts = of_age(("", fields[0].name), table, years, denied=denied)
    kept = [fields[part.first_line] for part in parts]
    return kept if len(kept) < len(fields) else []
