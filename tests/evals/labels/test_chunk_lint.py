"""`evals.lint` of chunks: every fault of a cut is named with its line; the vaults are clean."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import ingest.chunking.chunk
from evals import lint
from evals.labels import chunk_checks
from evals.labels.chunk_checks import Limits
from ingest.chunking import document
from ingest.chunking.document import IndexedChunk
from ingest.read.vault import SourceFile
from retrieval.encoder import weights
from retrieval.encoder.tokens import TokenCounter
from retrieval.models import Entry
from tests.conftest import RULES, write_vault

ROOT = Path(__file__).parents[3]
ROWS = "".join(f"| Weapon number {n} of the long list | {n} | 1d{n} |\n" for n in range(80))
TABLE = "# Arms\n\n## Prices\n\n| Weapon | Cost (gp) | Damage |\n|---|---|---|\n" + ROWS
RULE = (
    "---\ntitle: Oil\n---\n\n# Oil\n\n## Flasks\n\nA flask burns for two rounds.\n\n"
    "However, it does not burn in water.\n\nAnyone can light it.\n"
)


@cache
def limits() -> Limits:
    return Limits(256, TokenCounter(weights.bundled_encoder()))


def cut(text: str) -> tuple[SourceFile, list[IndexedChunk]]:
    """A file and its chunks as ingest makes them."""
    file = SourceFile("a.md", text, "", 0)
    return file, document.index(file, entry_limit=254, count=limits().tokens.count)


def faults(file: SourceFile, indexed: Sequence[IndexedChunk]) -> list[tuple[int, str]]:
    return list(chunk_checks.file_faults(file, indexed, limits()))


def between(item: IndexedChunk, first: int, last: int) -> IndexedChunk:
    """The part of a chunk from line to line, with the entries that stand there."""
    lines = item.chunk.text.split("\n")[first - item.chunk.first_line :][: last - first + 1]
    chunk = replace(item.chunk, first_line=first, last_line=last, text="\n".join(lines))
    entries = [e for e in item.entries if first <= e.first_line and e.last_line <= last]
    whole = replace(item.entries[-1], words=item.entries[-1].words)
    return IndexedChunk(chunk, (*entries, whole))


@pytest.mark.parametrize("text", [*RULES.values(), TABLE, RULE, "# Only\n\n## Headings\n", ""])
def test_what_ingest_cuts_is_without_findings(text: str) -> None:
    assert faults(*cut(text)) == []


Items = Sequence[IndexedChunk]
SMOKE = RULE.replace("light it.", "light it. " + "It smokes badly. " * 9 + "Zounds")
PARAGRAPH = "# Oil\n\nA flask burns.\nIt is hot.\nHowever, not in water.\n"
LIST = "# Oil\n\nA flask burns.\n\nWhoever carries it:\n\n- runs\n- hides\n"
SECTIONS = "# Oil\n\nHot.\n\n## Flasks\n\nCold.\n"
EMPTY = "# Oil\n\nHot.\n\n## Flasks\n\n## Jars\n\nCold.\n"


def parts(*lines: tuple[int, int]) -> Callable[[Items], Items]:
    """Cut the one chunk otherwise: into these lines."""
    return lambda items: [between(items[0], first, last) for first, last in lines]


def later(items: Items) -> Items:
    """Chunks whose first line is one off."""
    return [replace(i, chunk=replace(i.chunk, first_line=i.chunk.first_line + 1)) for i in items]


def entries(change: Callable[[Sequence[Entry]], Sequence[Entry]]) -> Callable[[Items], Items]:
    """Change the entries of every chunk."""
    return lambda items: [replace(item, entries=tuple(change(item.entries))) for item in items]


@pytest.mark.parametrize(
    ("text", "broken", "expected"),
    [
        # Lines that no chunk holds, or that are one off.
        (RULE, parts((5, 11)), [(13, 'no chunk holds the line "Anyone can light it."')]),
        (RULE, later, [
            (6, "the chunk ends at line 14, not at 13"),
            (5, 'no chunk holds the line "# Oil"'),
            (7, 'its chunk holds "" for "## Flasks"'),
            (9, 'its chunk holds "" for "A flask burns for two rounds."'),
            (11, 'its chunk holds "" for "However, it does not burn in water."'),
            (13, 'its chunk holds "" for "Anyone can light it."'),
            (5, "the heading is cut from its text in line 7"),
        ]),
        # Words that no entry has, or only that of the whole chunk.
        (SMOKE, entries(lambda own: [replace(e, words=e.words[:-6]) for e in own]), [
            (9, "1 words are not embedded: rounds"),
            (11, "1 words are not embedded: water"),
            (13, "1 words are not embedded: zounds"),
        ]),
        (LIST, entries(lambda own: own[-1:]), [
            (3, "3 words are not embedded: a, burns, flask"),
            (5, "3 words are not embedded: carries, it, whoever"),
            (7, "1 words are not embedded: runs"),
            (8, "1 words are not embedded: hides"),
        ]),
        (LIST, entries(lambda own: [*(replace(e, trail="Oil: ") for e in own[:-1]), own[-1]]), [
            (5, "3 words are not embedded: carries, it, whoever"),
        ]),
        # An exception cut from its rule or its paragraph; what limits nothing may stand alone.
        (RULE, parts((5, 9), (11, 13)), [
            (11, "the exception is cut from its rule in line 9: shorten both"),
        ]),
        (RULE, parts((5, 11), (13, 13)), []),
        (PARAGRAPH, parts((1, 4), (5, 5)), [
            (5, "the exception is cut from its rule in line 4: shorten both"),
            (3, "3 words are not embedded: a, burns, flask"),
            (4, "3 words are not embedded: hot, is, it"),
            (5, "4 words are not embedded: however, in, not, water"),
        ]),
        # A heading alone, or at the end of the part above; an empty section is no finding.
        (RULE, parts((5, 7), (9, 13)), [
            (5, "a chunk of nothing but headings"),
            (7, "the heading is cut from its text in line 9"),
        ]),
        (SECTIONS, parts((1, 5), (7, 7)), [(5, "the heading is cut from its text in line 7")]),
        (EMPTY, parts((1, 5), (7, 9)), []),
    ],
)  # fmt: skip
def test_what_a_broken_cut_loses_is_named(
    text: str, broken: Callable[[Items], Items], expected: list[tuple[int, str]]
) -> None:
    file, indexed = cut(text)
    assert faults(file, indexed) == []
    assert faults(file, broken(indexed)) == expected


def test_a_table_that_goes_on_without_its_header_is_named() -> None:
    file, indexed = cut(TABLE)
    assert len(indexed) > 2
    bare = [replace(item, chunk=replace(item.chunk, context="")) for item in indexed]
    header = '"| Weapon | Cost (gp) | Damage |"'
    assert faults(file, bare) == [
        (item.chunk.first_line, f"the table of line 5 goes on without its header {header}")
        for item in indexed[1:]
    ]
    (first,) = entries(lambda own: [replace(e, lead="") for e in own])(indexed[:1])
    lines = [line for line, what in faults(file, [first, *indexed[1:]]) if "no header" in what]
    assert lines == list(range(7, indexed[0].chunk.last_line + 1))


def test_what_a_model_would_cut_off_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    file, (item,) = cut(RULE)
    long = replace(item.entries[0], words="axe " * 300)
    found = faults(file, [replace(item, entries=(*item.entries, long))])
    assert [line for line, what in found if "the encoder reads 3 to 256" in what] == [9]
    empty = replace(item.entries[0], trail="", words=" ")
    found = faults(file, [replace(item, entries=(*item.entries, empty))])
    assert found == [(9, '" " has 2 word pieces; the encoder reads 3 to 256')]
    monkeypatch.setattr(ingest.chunking.chunk, "CHUNK_LIMIT", 600)  # what a change of it would do
    file, indexed = cut("# Oil\n\n" + "A flask of oil burns for some rounds. " * 50)
    lines = [line for line, what in faults(file, indexed) if "a cross-encoder reads 512" in what]
    assert lines == [1]


def test_twins_are_named(tmp_path: Path) -> None:
    text = "# Oil\n\n## Flask\n\n" + "It burns hot. " * 60 + "\n"
    twice = text + "\n" + text[text.index("## Flask") :]
    report = chunk_checks.lint(write_vault(tmp_path / "v", {"oil.md": twice}))
    assert report.findings == (
        f"{tmp_path}/v/oil.md:7: ambiguous: says word for word what oil.md:1 says, below the same "
        "headings: drop one",
    )
    assert (
        chunk_checks.lint(write_vault(tmp_path / "w", {"a.md": text, "b.md": text})).findings == ()
    )


def test_a_file_that_is_not_indexed_is_a_finding(tmp_path: Path) -> None:
    root = write_vault(tmp_path / "v", {"oil.md": "---\ntitle: [\n---\n# Oil\n"})
    (root / "bad.md").write_bytes(b"caf\xe9")
    found = chunk_checks.lint(root).findings
    assert [finding.split(": ")[0] for finding in found] == [f"{root}/bad.md:1", f"{root}/oil.md:1"]
    assert all("not indexed: " in finding for finding in found)


@pytest.fixture
def headless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunker that drops what later parts of a table repeat."""
    monkeypatch.setattr(ingest.chunking.chunk, "_part_context", lambda document, placed: "")


@pytest.mark.usefixtures("headless")
def test_a_broken_chunker_turns_the_program_red(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write_vault(tmp_path / "v", {"arms.md": TABLE})
    assert lint.main(["--vault", str(root)]) == 1
    out = capsys.readouterr().out.splitlines()
    assert "goes on without its header" in out[0]
    assert out[-1].startswith(f"{root}: {len(out) - 1} findings in ")


def test_an_empty_folder_is_never_a_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lint.main(["--vault", str(tmp_path)]) == 2
    assert lint.main(["--vault", str(tmp_path / "none")]) == 2
    assert lint.main(["--vault", str(ROOT / "vault"), "--encoder", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("evals.lint: nothing was checked: ") == 3
