"""The sections after edits: those of the same files read anew, without reading the others."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.index.store import live
from retrieval.vocabulary import sections
from retrieval.vocabulary.file_terms import TermsCache
from retrieval.vocabulary.headings import headings
from retrieval.vocabulary.sections import Sections, SectionsCache
from tests.conftest import write_vault

OTHERS = {
    f"Other {n}.md": f"# Other {n}\n\nIt.\n\n## Ropes\n\n### Silk\n\nA rope {n}.\n"
    for n in range(6)
}
EDITS: tuple[dict[str, str | None], ...] = (
    {"Other 1.md": "# Other 1\n\nIt.\n\n## Ladders\n\nA ladder.\n"},
    {"New.md": "# Ropes\n\nNew.\n", "Other 2.md": "", "Other 5.md": None},
    {"Other 1.md": OTHERS["Other 1.md"], "New.md": None},
)
TYPED = ("rope", "ro", "ropes silk", "oth", "ladders", "other 1", "new", "torch")


def read(context: SearchContext) -> tuple[Sections, list[Any]]:
    with context.store.connect(autocommit=True) as conn:
        now = live(conn)
        found = context.sections_at(conn, now)
        return found, [headings(conn, now.id, found, typed) for typed in TYPED]


def said(found: Sections) -> tuple[Any, ...]:
    """What sections hold, without the numbers that they have."""
    return (
        sorted((one.path, one.first_line, one.heading, one.snippet) for one in found.all.values()),
        {stem: {found.all[at].heading for at in ats} for stem, ats in found.by_stem.items()},
        [*found.words],
        [joined for joined, _ in found.joined],
        sorted(found.of_files),
    )


def test_an_edit_is_as_if_all_were_read_anew_and_reads_its_files_alone(
    search_context: SearchContext, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vault(vault, OTHERS)
    pipeline.run(search_context, vault)
    context = replace(search_context, terms=TermsCache(), sections=SectionsCache())
    read(context)
    seen: set[str] = set()
    section = sections._section

    def noted(path: str, *rest: Any) -> Any:
        seen.add(path)
        return section(path, *rest)

    monkeypatch.setattr(sections, "_section", noted)
    for edit in EDITS:
        write_vault(vault, {path: text for path, text in edit.items() if text is not None})
        for path in (path for path, text in edit.items() if text is None):
            (vault / path).unlink()
        pipeline.run(search_context, vault)
        seen.clear()
        edited, found = read(context)
        assert seen == {path for path, text in edit.items() if text}
        anew, wanted = read(replace(context, terms=TermsCache(), sections=SectionsCache()))
        assert said(edited) == said(anew)
        assert found == wanted
