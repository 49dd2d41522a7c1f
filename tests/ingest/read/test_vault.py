"""Reading a folder: each file once, nothing from outside, nothing silently left out."""

import contextlib
import os
import signal
import stat
import threading
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.read import stable_read, vault
from retrieval import vault_files
from retrieval.errors import VaultError
from tests.conftest import write_vault
from tests.support.index.vault_root import CANARY, reasons, texts


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder beside the vault with a file that must never be read."""
    return write_vault(tmp_path / "outside", {"secret.md": CANARY})


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise TimeoutError where the block hangs."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_files_are_sorted_and_paths_are_relative_to_the_root(root: Path) -> None:
    write_vault(root, {"b/Z.md": "z", "b/a.markdown": "a", "B.MD": "b"})
    assert list(texts(vault.read(root))) == ["B.MD", "b/Z.md", "b/a.markdown", "good.md"]


def test_hidden_files_and_folders_are_left_out_and_markdown_among_them_is_named(
    root: Path, secret: Path
) -> None:
    write_vault(root, {".obsidian/x.md": "x", ".hidden.md": "x", "..md": "x", "a/.git/y.md": "y"})
    write_vault(root, {"a/.hid/1.md": "1", "a/.hid/b/2.MD": "2", "a/.hid/c": "", ".none/c": ""})
    (root / ".trash").symlink_to(secret)
    (root / ".link").symlink_to(secret)
    found = vault.read(root)
    assert (list(texts(found)), found.rejected) == (["good.md"], ())
    assert found.ignored == ("..md", ".hidden.md", "a/.hid/ (2 Markdown)")


def test_a_root_that_is_a_link_to_a_folder_is_read(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert list(texts(vault.read(tmp_path / "link"))) == ["good.md"]
    assert list(texts(vault.read(root / ".." / "vault"))) == ["good.md"]


@pytest.mark.parametrize("name", ["missing", "vault/good.md"])
def test_a_root_that_is_no_folder_is_an_error_that_names_it(root: Path, name: str) -> None:
    with pytest.raises(VaultError, match=name):
        vault.read(root.parent / name)


@pytest.mark.proves("row 7")
def test_archives_and_other_files_are_ignored_and_listed(root: Path) -> None:
    write_vault(root, {"a.zip": "PK", "b.md.gz": "x", "c/d.txt": "x", "md": "x", "e.md.bak": "x"})
    found = vault.read(root)
    assert found.ignored == ("a.zip", "b.md.gz", "c/d.txt", "e.md.bak", "md")
    assert (list(texts(found)), found.rejected) == (["good.md"], ())


@pytest.mark.proves("row 4")
def test_a_pipe_and_a_socket_are_refused_and_nobody_waits_for_them(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    os.mknod(root / "socket.md", stat.S_IFSOCK | 0o600)
    with within(5):
        found = vault.read(root)
    assert reasons(found)["pipe.md"] == "is not a regular file"
    assert reasons(found)["socket.md"].startswith("cannot be opened")
    assert list(texts(found)) == ["good.md"]


@pytest.mark.proves("row 4")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_refused(root: Path) -> None:
    try:
        os.mknod(root / "zero.md", stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("this container forbids devices")
    with within(5):
        found = vault.read(root)
    assert set(reasons(found)) == {"zero.md"}


@pytest.mark.proves("row 4")
def test_a_link_is_never_followed(root: Path, secret: Path) -> None:
    (root / "file.md").symlink_to(secret / "secret.md")
    (root / "folder").symlink_to(secret)
    (root / "up").symlink_to("..")
    (root / "loop.md").symlink_to("loop.md")
    (root / "loop").symlink_to("loop")
    (root / "gone.md").symlink_to("nowhere.md")
    (root / "inside.md").symlink_to("good.md")
    found = vault.read(root)
    assert texts(found) == {"good.md": "A torch burns.\n"}
    links = {"file.md", "folder", "up", "loop.md", "gone.md", "inside.md"}
    assert set(reasons(found)) == links
    assert all("not followed" in reason for reason in reasons(found).values())
    assert found.ignored == ("loop",)


@pytest.mark.proves("row 4")
def test_a_hard_link_to_a_file_outside_is_refused_and_one_within_is_read(
    root: Path, secret: Path
) -> None:
    os.link(secret / "secret.md", root / "linked.md")
    os.link(root / "good.md", root / "twin.md")
    found = vault.read(root)
    assert set(texts(found)) == {"good.md", "twin.md"}
    assert "hard links outside" in reasons(found)["linked.md"]


@pytest.mark.proves("row 4")
def test_odd_names_are_refused_by_a_name_that_can_be_printed(root: Path) -> None:
    odd = [b"new\nline.md", b"bell\x07.md", b"latin-\xe9.md", b"\xff/in.md"]
    os.mkdir(os.fsencode(root) + b"/\xff")
    for name in odd:
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x", "utf-8")
    found = vault.read(root)
    assert list(texts(found)) == ["good.md"]
    for error in found.rejected:
        assert error.path.isprintable()
        assert str(error).encode()
    assert set(reasons(found)) == {
        r"new\x0aline.md", r"bell\x07.md", r"latin-\udce9.md", r"\udcff/in.md",
    }  # fmt: skip


@pytest.mark.proves("row 4")
def test_two_names_that_differ_only_in_composition_are_one_file_and_one_refusal(
    root: Path,
) -> None:
    name = "Élan.md"
    for form in ("NFC", "NFD"):
        (root / unicodedata.normalize(form, name)).write_text(form, "utf-8")
    found = vault.read(root)
    assert set(texts(found)) == {name, "good.md"}
    assert set(reasons(found)) == {name}


@pytest.mark.proves("row 4")
def test_a_path_over_a_thousand_bytes_is_refused_file_or_folder(root: Path) -> None:
    fd = os.open(root, os.O_RDONLY)
    for _ in range(600):  # a path of 1,199 bytes
        os.mkdir("d", dir_fd=fd)
        below = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)
    write_vault(root, {f"{'e' * 240}/{'f' * 240}/{'g' * 240}/{'h' * 240}/{'i' * 99}.md": ""})
    found = vault.read(root)
    assert list(texts(found)) == ["good.md"]
    assert len(found.rejected) == 2
    assert all("over 1000" in reason for reason in reasons(found).values())


@pytest.mark.proves("row 3")
def test_a_file_over_five_megabytes_is_refused(root: Path) -> None:
    (root / "large.md").write_bytes(b"a" * (vault_files.MAX_BYTES + 1))
    (root / "most.md").write_bytes(b"a" * vault_files.MAX_BYTES)
    found = vault.read(root)
    assert set(texts(found)) == {"good.md", "most.md"}
    assert "over 5,000,000 bytes" in reasons(found)["large.md"]


@pytest.mark.proves("row 4")
def test_a_file_swapped_while_it_is_read_never_shows_what_lies_outside(
    root: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stable_read, "WAIT", 0.0)  # it is swapped all the time: every read is tried
    target = root / "swapped.md"
    stop = threading.Event()

    def swap() -> None:
        spare = root.parent / "spare"
        while not stop.is_set():
            spare.symlink_to(secret / "secret.md")
            os.replace(spare, target)
            with contextlib.suppress(OSError):
                (root / "sub").rmdir()
            with contextlib.suppress(OSError):
                (root / "sub").symlink_to(secret)
            spare.write_text("inside", "utf-8")
            os.replace(spare, target)
            with contextlib.suppress(OSError):
                (root / "sub").unlink()
            target.unlink()
            target.mkdir()
            (root / "sub").mkdir()
            target.rmdir()

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        seen = [vault.read(root) for _ in range(1_000)]
    finally:
        stop.set()
        thread.join()
    assert all(CANARY not in text for found in seen for text in texts(found).values())
    assert all("secret.md" not in path for found in seen for path in texts(found))
    assert len({tuple(sorted(reasons(found))) for found in seen}) > 1  # the swapping was seen
