"""The ablation's blind chunker: full windows of a fixed size that overlap and lose nothing."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.stages import fixed_chunks
from ingest.chunking.document import IndexedChunk
from ingest.read.vault import SourceFile

TABLE = "# Arms\n\n| Arm | Cost |\n|---|---|\n" + "".join(
    f"| axe {n} | {n} |\n" for n in range(200)
)
PROSE = "\n\n".join(f"Rule {n} says that nobody may do what it says." for n in range(120))


def words(text: str) -> int:
    """A count of word pieces for which every word is one."""
    return len(text.split())


def fixed(text: str, limit: int = 254) -> list[IndexedChunk]:
    file = SourceFile("configurations/Axes.md", text, "", 0)
    return fixed_chunks.index(file, entry_limit=limit, count=words)


@given(st.sampled_from([TABLE, PROSE]) | st.text(alphabet="ab |#-.\n\x0c\x85", max_size=3_000))
def test_fixed_chunks_cover_every_line_and_say_which(text: str) -> None:
    lines = text.split("\n")
    covered: set[int] = set()
    for item in fixed(text):
        chunk = item.chunk
        own = lines[chunk.first_line - 1 : chunk.last_line]
        shown = chunk.text.split("\n")
        assert len(shown) == len(own)
        assert shown[1:-1] == own[1:-1]
        assert shown[0] in own[0]
        assert shown[-1] in own[-1]
        covered.update(range(chunk.first_line, chunk.last_line + 1))
    assert {n for n, line in enumerate(lines, start=1) if line.strip()} <= covered
    ids = [item.chunk.id for item in fixed(text)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("text", [TABLE, PROSE, "word " * 2_000])
def test_fixed_chunks_are_full_and_overlap(text: str) -> None:
    chunks = [item.chunk for item in fixed(text)]
    assert len(chunks) > 2
    assert {words(chunk.text) for chunk in chunks[:-1]} == {512}
    for before, after in pairwise(chunks):
        assert before.text.split()[-64:] == after.text.split()[:64]


def test_a_fixed_chunk_is_searched_whole_in_windows_that_the_encoder_reads() -> None:
    for item in fixed(PROSE, limit=100):
        texts = [entry.text for entry in item.entries]
        assert max(map(words, texts)) <= 100
        assert " ".join(" ".join(texts).split()) == " ".join(item.chunk.text.split())
        assert item.entries[0].first_line == item.chunk.first_line
        assert item.entries[-1].last_line == item.chunk.last_line
