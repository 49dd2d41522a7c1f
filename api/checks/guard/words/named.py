"""Whether the passages have the names of a statement."""

from collections.abc import Iterator, Sequence

from api.checks.guard.alignment import Evidence, content
from api.checks.guard.attribution.table_rows import exchanged_cells
from api.checks.guard.case import Finding, GuardCase
from api.checks.guard.statements import Statement
from api.checks.guard.text.names import names, parts
from api.checks.guard.words.noun_swap import exchanged
from api.checks.passage_lines import PassageLine
from retrieval.text.words import abbreviates


def unfounded_names(statement: Statement, case: GuardCase) -> Iterator[Finding]:
    asked = set(content(case.question))
    for name in names(statement.text):
        needed = [word for part in parts(name) for word in content(part)]
        missing = [word for word in needed if word not in asked]
        if not any(_holds(case.known, number, missing, name) for number in case.cited):
            numbers = ", ".join(str(number) for number in case.cited)
            yield Finding("name", " ".join(name), f"does not stand in passage {numbers}")
    lines = [line for line in case.known.lines if line.passage in case.cited]
    for word, row in exchanged_cells(statement.text, lines):
        yield Finding(
            "name", word, f'stands in another row than "{row.quote}" (passage {row.passage})'
        )
    texts = [case.texts[number - 1] for number in case.cited]
    for word, theirs in exchanged(statement.text, texts, case.question):
        yield Finding("name", word, f'no passage cited has it; "{theirs}" stands in its place')


def _holds(known: Evidence, number: int, missing: Sequence[str], name: Sequence[str]) -> bool:
    """Whether a passage has all words of a name, or an abbreviation of it: HD, CON."""
    words = known.words[number - 1]
    lines = (line for line in known.lines if line.passage == number)
    if len(name) == 1 and any(_spelled_out(name[0].lower(), line) for line in lines):
        return True
    initials = "".join(word[0] for word in parts(tuple(name)))
    if set(missing) <= words or (len(initials) > 1 and initials in words):
        return True
    return all(word in words or (len(word) > 3 and word[:3] in words) for word in missing)


def _spelled_out(short: str, line: PassageLine) -> bool:
    return any(abbreviates(short, content(cell.text)) for cell in line.cells)
