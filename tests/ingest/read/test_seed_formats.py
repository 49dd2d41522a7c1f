"""Questions in the seeds' formats, measured by the gate as they are."""

import json
from pathlib import Path

import pytest

from evals import retrieval as program
from retrieval.settings import Settings
from tests.conftest import RULES, write_vault


def test_the_seeds_fixtures_are_read_as_they_are(environment: Path) -> None:
    torch = next(iter(RULES))
    first = [
        {
            "question": "How long does a torch burn?",
            "expectedChunkSubstring": "A torch burns for one hour.",
            "source": f"vault/{torch}",
        }
    ]
    second = [
        {
            "query": "How long does a torch burn?",
            "relevant_doc_ids": [torch],
            "irrelevant_doc_ids": ["9. Missing/None.md"],
        }
    ]
    for fixture, status in ((first, 0), (second, 0)):
        path = environment / "fixture.json"
        path.write_text(json.dumps(fixture), "utf-8")
        assert program.main(["--dataset", str(path)]) == status
    second[0]["irrelevant_doc_ids"] = [torch]
    (environment / "fixture.json").write_text(json.dumps(second), "utf-8")
    assert program.main(["--dataset", str(environment / "fixture.json")]) == 1


def test_documents_are_found_by_path_without_suffix_or_by_name(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "How long does a torch burn?"
    path = environment / "fixture.json"
    names = ("1. Light/Torches.md", "1. Light/Torches", "Torches", "lanterns")
    rows = [{"query": asked, "relevant_doc_ids": [name]} for name in names]
    path.write_text(json.dumps(rows), "utf-8")
    assert program.main(["--dataset", str(path)]) == 1
    out = capsys.readouterr().out
    assert f"FAIL (expected in: lanterns; lost at: label) — {asked}" in out
    assert "Recall@4: 3/4 = 0.75" in out
    wrong = {"query": asked, "relevant_doc_ids": ["Weapons"], "irrelevant_doc_ids": ["Torches"]}
    path.write_text(json.dumps([wrong]), "utf-8")
    assert program.main(["--dataset", str(path), "--min-recall", "0"]) == 1
    assert "forbidden in the first 3: 1. Light/Torches.md (q1)" in capsys.readouterr().out


def test_a_document_name_that_fits_two_files_is_never_a_pass(
    environment: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    write_vault(settings.vault, {"9. More/Torches.md": "# More\n\nOf torches.\n"})
    asked = {"query": "How long does a torch burn?", "relevant_doc_ids": ["Torches"]}
    path = environment / "fixture.json"
    path.write_text(json.dumps([asked]), "utf-8")
    assert program.main(["--dataset", str(path)]) == 2
    err = capsys.readouterr().err
    assert "q1 ('How long does a torch burn?'): 'Torches' fits " in err
    assert "['1. Light/Torches.md', '9. More/Torches.md']" in err


def test_no_relevant_document_is_never_a_pass(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = environment / "fixture.json"
    path.write_text(json.dumps([{"query": "A torch?", "relevant_doc_ids": []}]), "utf-8")
    assert program.main(["--dataset", str(path)]) == 2
    assert "with 0 places for the answer: 'A torch?'" in capsys.readouterr().err
