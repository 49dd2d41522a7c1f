"""Metadata: what front matter says, of which type, and what is named because no filter sees it."""

from pathlib import Path

import pytest

from ingest.__main__ import main
from ingest.read import metadata
from ingest.read.vault import SourceFile
from retrieval.metadata.schema import infer
from tests.conftest import write_vault

FILES = {
    "a.md": "---\nedition: 2\ntags: [combat, magic]\nreviewed: 2024-05-01\ndraft: no\n---\nText.",
    "b.md": "---\n# a comment\nedition: 10\ntags: combat\nreviewed: 2024-02-30\n---\nText.",
    "c.md": '---\nedition: "second"\nnothing: ~\nowner:\n  name: Ann\npath: x\n---\nText.',
    "d/e.md": "No front matter.",
}


def test_what_a_vault_states_is_shown_and_wrong_types_are_named_by_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = write_vault(tmp_path / "vault", FILES)
    assert main(["--metadata", str(vault)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "path: path, of 4 of 4 files",
        "draft: string, of 1 of 4 files",
        "edition: number, of 3 of 4 files",
        "reviewed: string, of 2 of 4 files",  # as common as a date, and no date is the 30th
        "tags: list of strings, of 2 of 4 files",
        "c.md:4: owner holds fields of its own; filters take texts and lists of them",
        "c.md:6: 'path' is the name of something else in filters; rename the field",
        "c.md:2: edition: 'second' is no number, as edition is in most files",
    ]
    (vault / "c.md").unlink()
    assert main(["--metadata", str(vault)]) == 0


@pytest.mark.parametrize(
    ("header", "values", "reason"),
    [
        ("a: 1.10", {"a": "1.10"}, None),
        ("a: [x, ~, 2]", {"a": ("x", "2")}, None),
        ("a: []\nb: ''", {}, None),
        ("a: [[x]]", {}, "a list of more than texts"),
        (f"a: {'x' * 301}", {}, "301 characters, over 300"),
        ('a: "\\0"', {}, "holds a NUL"),
        ('a: "\\ud800"', {}, "half a character"),
        ('"\\ud800": a', {}, "a field's name holds"),
        ("? [x]\n: y", None, None),  # no file at all
        ("a: 1\na: 2", None, None),
    ],
)
def test_only_plain_values_become_metadata(
    header: str, values: dict[str, object] | None, reason: str | None
) -> None:
    file = SourceFile("a.md", f"---\n{header}\n---\nText.", "", 0)
    if values is None:
        shown, faults = metadata.report([file])
        assert (shown, len(faults)) == (["path: path, of 0 of 0 files"], 1)
        return
    found = metadata.of(file)
    assert found.values == values
    assert len(found.faults) == (reason is not None)
    assert all(reason in why for _, why in found.faults if reason)


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        (["1", "2.5", "-3"], "number"),
        (["1", "2nd"], "string"),
        (["1", "2", "2nd"], "number"),
        (["1e5"], "string"),
        (["2024-01-31", "2024-02-29"], "date"),
        (["2023-02-29"], "string"),
        (["true", "FALSE"], "boolean"),
        (["yes"], "string"),
        ([("a",), ("b",), "c"], "list of strings"),
    ],
)
def test_a_field_has_the_type_that_most_files_write(written: list[str], kind: str) -> None:
    assert infer([{"a": one} for one in written])["a"] == kind
