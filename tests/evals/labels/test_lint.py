"""`evals.lint`: quotes that are wrong are named with their place; what is committed is clean."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evals import lint
from evals.labels import quote_locations
from retrieval.text.normalize import comparable
from tests.support.index.plants import (
    TORCH,
    WEAPONS,
    answerable,
    findings,
    unanswerable,
)

pytestmark = pytest.mark.usefixtures("planted")

ROOT = Path(__file__).parents[3]


def run(*arguments: str) -> int:
    return lint.main(["--dataset", *arguments])


@pytest.mark.parametrize("fields", [{"gold": [TORCH]}, {"kind": "prose"}, {"kind": "riddle"}])
def test_what_the_loader_refuses_is_named_and_no_pass(
    fields: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("q.jsonl").write_text(json.dumps(unanswerable(**fields)), encoding="utf-8")
    assert run("q.jsonl", "--vault", "vault") == 2
    error = capsys.readouterr().err
    assert error.startswith("evals.lint: nothing was checked: q.jsonl:1: kind ")


def test_the_status_is_0_1_or_2(planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    findings(answerable())
    assert run("q.jsonl", "--vault", "vault") == 0
    assert capsys.readouterr().out == "q.jsonl: 0 findings against vault\n"
    findings(answerable(answer=""))
    assert run("q.jsonl", "--vault", "vault") == 1
    (planted / "empty.jsonl").write_text("\n")
    (planted / "nothing").mkdir()
    for arguments in (("none.jsonl",), ("empty.jsonl",), ("q.jsonl", "--vault", "nothing"),
                      ("q.jsonl", "--vault", "none")):  # fmt: skip
        capsys.readouterr()
        assert run(*arguments) == 2
        assert capsys.readouterr().err.startswith("evals.lint: nothing was checked: ")


def test_formats_that_people_bring_are_checked_for_what_they_hold() -> None:
    rows = [
        {
            "question": "torch?",
            "expectedChunkSubstring": TORCH["quote"],
            "source": "vault/torches.md",
        },
        {"question": "axe?", "expectedChunkSubstring": "Battle axe | 9", "source": "torches.md"},
        {"query": "smith?", "relevant_doc_ids": ["smith.md"], "irrelevant_doc_ids": []},
    ]
    Path("q.json").write_text(json.dumps(rows), encoding="utf-8")
    found = lint.lint(Path("q.json"), Path("vault"))
    assert [finding.split(" nearest is")[0] for finding in found] == [
        'q.json: question 2: q2: gone: the quote "Battle axe 9" is not in vault/torches.md;',
        "q.json: question 3: q3: 'smith.md' is no file of the vault",
    ]


def test_a_page_compares_as_its_file_does_and_knows_its_lines() -> None:
    page = quote_locations.page("x.md", WEAPONS.replace("\n\n", "\n \n|  |\n"))
    assert page.text == comparable(WEAPONS)
    assert [page.line(page.text.index(word)) for word in ("Weapons", "Hand", "smith")] == [1, 7, 13]
    seven, four = page.text.index("axe 7"), page.text.index("axe 4")
    assert page.lines(seven, four).strip() == "Battle axe 7 Hand axe 4"
    assert page.lines(seven, seven + 1).strip() == "Battle axe 7"
    assert page.lines(page.text.index("smith"), len(page.text)).startswith("The smith mends it.")


def test_no_model_is_loaded() -> None:
    heavy = "{'torch', 'transformers', 'sentence_transformers', 'psycopg', 'scipy'}"
    code = f"import sys, evals.lint; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "set()\n", done.stderr


def test_a_reworded_question_asks_nothing_that_the_gate_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lint, "REWORDED", tmp_path)
    first = (ROOT / "evals" / "datasets" / "rules.jsonl").read_text("utf-8").split("\n")[0]
    row = json.loads(first) | {"id": "twin", "split": "calibration", "critical": False}
    (tmp_path / "rules.jsonl").write_text(json.dumps(row), encoding="utf-8")
    found = lint.lint(tmp_path / "rules.jsonl", ROOT / "vault")
    assert any("twin: near-duplicate: asks the same as mu-armor" in one for one in found)
    assert any("twin: shares the quote" in one and "in gate" in one for one in found)
    assert all(": twin: " in one for one in found)
