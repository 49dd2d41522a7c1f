"""Text that is odd: wrong encodings, NUL, invisible and turning characters, and files swapped."""

import contextlib
import os
import threading
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from api.checks.sanitize import visible
from ingest import pipeline
from ingest.chunking import document
from ingest.read import vault
from retrieval.context import SearchContext
from retrieval.errors import FileRejectedError
from tests.conftest import write_vault
from tests.support.index.cutting import ENTRY_LIMIT, index, tokens
from tests.support.index.vault_root import CANARY, reasons, texts
from tests.support.source.promises_table import Runs

OFTEN = settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
ODD = st.text(
    st.characters(categories=["Cs", "Cc", "Cf"]) | st.sampled_from("ab #|-\n"), max_size=80
)
HIDDEN = {"Cc", "Cf"}  # controls; zero-width and bidirectional marks


@pytest.mark.proves("row 5")
def test_nul_is_removed_and_counted(root: Path) -> None:
    (root / "nul.md").write_bytes(b"a\x00b\r\x00\nc\x00")
    (file,) = (f for f in vault.read(root).files if f.path == "nul.md")
    assert (file.text, file.removed_nuls) == ("ab\nc", 3)


@pytest.mark.proves("row 5")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"one\ntwo\nthr\xffee", "byte 0xff in line 3"),
        (b"one\r\ntwo\r\n\xe9", "byte 0xe9 in line 3"),
        (b"one\rtwo\r\r\xe9", "byte 0xe9 in line 4"),
        (b"\xef\xbb\xbfone\n\xc3(", "byte 0xc3 in line 2"),
        (b"a lone surrogate: \xed\xa0\x80", "byte 0xed in line 1"),
        ("torch".encode("utf-16"), "is UTF-16"),
        (b"\xfe\xff" + "torch".encode("utf-16-be"), "is UTF-16"),
    ],
)
def test_what_is_not_utf_8_is_refused_with_its_byte_and_line(
    root: Path, data: bytes, reason: str
) -> None:
    (root / "odd.md").write_bytes(data)
    found = vault.read(root)
    assert list(texts(found)) == ["good.md"]
    assert reason in reasons(found)["odd.md"]
    assert "save it as UTF-8" in reasons(found)["odd.md"]


@pytest.mark.proves("row 5")
def test_a_byte_order_mark_goes_and_line_ends_become_one_kind(root: Path) -> None:
    (root / "a.md").write_bytes(
        b"\xef\xbb\xbf# Title\r\ntwo\rthree\n\r\nfive\x0c\xc2\x85still five"
    )
    text = texts(vault.read(root))["a.md"]
    assert text.split("\n") == ["# Title", "two", "three", "", "five\x0c\x85still five"]


def test_the_hash_is_of_the_bytes_on_disk(root: Path) -> None:
    (root / "crlf.md").write_bytes(b"A torch burns.\r\n")
    good, crlf = sorted(vault.read(root).files, key=lambda file: file.path != "good.md")
    assert good.text == crlf.text
    assert good.sha256 != crlf.sha256


@pytest.mark.proves("row 5")
@OFTEN
@given(data=st.binary(max_size=400) | ODD.map(lambda s: s.encode("utf-8", "surrogatepass")))
@example(data=b"\x00")
@example(data=b"\xef\xbb\xbf")
@example(data=b"\r")
@example(data="---\ntitle: a\u202eb\n---\n# c\u200bd".encode())
def test_no_bytes_in_a_file_hurt_another_file(runs: Runs, root: Path, data: bytes) -> None:
    (root / "odd.md").write_bytes(data)
    found = vault.read(root)
    assert texts(found)["good.md"] == "A torch burns.\n"
    assert set(texts(found)) | set(reasons(found)) == {"good.md", "odd.md"}
    for file in found.files:
        assert file.text.encode().decode() == file.text
        assert not set(file.text) & {"\x00", "\r"}
        with contextlib.suppress(FileRejectedError):
            document.index(file, entry_limit=ENTRY_LIMIT, count=tokens().count)
        if file.path == "odd.md":
            assert file.removed_nuls == data.count(b"\x00")
    runs(1)


@pytest.mark.proves("row 5")
@OFTEN
@given(source=st.text(st.characters(categories=["Cc", "Cf", "L"], exclude_characters="\r\x00")))
@example(source="# A\u200b\u202etorch\n\nburns\u2066 for\ufeff one\u00ad hour")
def test_invisible_characters_are_shown_and_not_searched(
    source: str,
) -> None:
    with contextlib.suppress(FileRejectedError):
        for item in index(source):
            shown = "\n".join(source.split("\n")[item.chunk.first_line - 1 : item.chunk.last_line])
            assert item.chunk.text in shown
            for entry in item.entries:
                assert not {unicodedata.category(c) for c in entry.text} & HIDDEN
    assert (
        not {
            unicodedata.category(c) for c in visible("".join(c for c in source if c not in "\n\t"))
        }
        & HIDDEN
    )


@pytest.mark.proves("row 5")
def test_invisible_characters_are_in_the_table_as_they_stand(
    search_context: SearchContext, vault: Path
) -> None:
    text = "# Tor\u200bches\n\nA to\u00adrch\u202e burns\u2066 for\ufeff nine hours\x1b.\n"
    write_vault(vault, {"odd.md": text})
    (vault / "broken.md").write_bytes(b"\xed\xa0\x80")
    (vault / "nul.md").write_bytes(b"A\x00 lamp.")
    report = pipeline.run(search_context, vault)
    assert [error.path for error in report.rejected] == ["broken.md"]
    assert "nul.md: 1 NUL characters left out" in report.notes
    with search_context.store.connect(autocommit=True) as conn:
        rows = conn.execute("SELECT text FROM chunk WHERE path = 'odd.md'").fetchall()
        words = conn.execute(
            "SELECT trail || words FROM entry JOIN chunk ON chunk.id = chunk_id "
            "WHERE path = 'odd.md'"
        ).fetchall()
    assert [row[0] for row in rows] == [text.rstrip("\n")]
    assert words
    assert all("A torch burns for 9 hours." in row[0] for row in words)


@pytest.mark.proves("row 4")
def test_a_file_swapped_a_thousand_times_during_ingests_brings_nothing_in_from_outside(
    search_context: SearchContext, vault: Path, tmp_path: Path, runs: Runs
) -> None:
    outside = write_vault(tmp_path / "outside", {"secret.md": CANARY}) / "secret.md"
    flips, stop = 0, threading.Event()

    def swap() -> None:
        nonlocal flips
        spare, target = tmp_path / "spare", vault / "swapped.md"
        while not stop.is_set():
            spare.symlink_to(outside)
            os.replace(spare, target)
            spare.write_text(f"inside {flips}", "utf-8")
            os.replace(spare, target)
            flips += 1

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        outcomes: set[bool] = set()
        while flips < 1_000 or len(outcomes) < 2:
            report = pipeline.run(search_context, vault)
            outcomes.add(any(error.path == "swapped.md" for error in report.rejected))
    finally:
        stop.set()
        thread.join()
    with search_context.store.connect(autocommit=True) as conn:
        stored = [row[0] for row in conn.execute("SELECT text FROM chunk")]
    assert any(text.startswith("inside") for text in stored)
    assert not any(CANARY in text for text in stored)
    runs(1_000)
