"""A file is replaced at once or not at all."""

from pathlib import Path

import pytest

from retrieval import atomic_write


def test_a_write_that_fails_leaves_the_old_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fit.json"
    atomic_write.write(path, "old \u2019\n")

    def stop(self: Path, target: Path) -> Path:
        raise OSError(28, "no space left")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", stop)
        with pytest.raises(OSError, match="no space left"):
            atomic_write.write(path, "new\n")
    assert path.read_text("utf-8") == "old \u2019\n"
    assert [file.name for file in tmp_path.iterdir()] == ["fit.json"]
    atomic_write.write(path, "new\n")
    assert path.read_bytes() == b"new\n"
    assert [file.name for file in tmp_path.iterdir()] == ["fit.json"]


def test_who_may_read_a_file_stays_when_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "missed.jsonl"
    path.touch(0o600)
    atomic_write.write(path, "new\n")
    assert (path.read_text("utf-8"), path.stat().st_mode & 0o777) == ("new\n", 0o600)
