"""`evals.lint`: quotes that are wrong are named with their place; what is committed is clean."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from evals import lint
from evals.labels import quote_locations
from retrieval.text.normalize import comparable
from tests.support.index.plants import (
    AXE,
    TORCH,
    WEAPONS,
    answerable,
    finding,
    findings,
    unanswerable,
)

pytestmark = pytest.mark.usefixtures("planted")

ROOT = Path(__file__).parents[3]


def run(*arguments: str) -> int:
    return lint.main(["--dataset", *arguments])


def test_faultless_labels_have_no_findings() -> None:
    assert findings(answerable(), unanswerable(), answerable(
        id="axe", question="and the axe for battle, its price?", kind="table", answer="7 gp",
        gold=[AXE], must_include=["7"], must_not_include=["4"], history=["weapons cost money?"],
        split="calibration",
    )) == []  # fmt: skip


def test_a_reworded_quote_is_gone_and_the_nearest_passage_named() -> None:
    gold = {"path": "torches.md", "quote": "A torch burns for two hours."}
    assert finding(answerable(gold=[gold])) == (
        'q.jsonl:1: torch: gone: the quote "A torch burns for two hours." is not in '
        "vault/torches.md; nearest is vault/torches.md:3 (89 % alike): "
        '"A torch burns for one hour."'
    )


def test_a_quote_that_nothing_resembles_is_gone() -> None:
    gold = {"path": "torches.md", "quote": "ZYXWVUTSRQPONMLKJ"}
    assert finding(answerable(gold=[gold])).endswith(
        "is not in vault/torches.md, and nothing in the vault is like it"
    )


def test_a_quote_that_moved_gets_its_new_anchor() -> None:
    assert finding(answerable(), answerable(
        id="axe", question="battle axe price", answer="7", must_include=["7"],
        gold=[AXE | {"path": "torches.md"}],
    )) == (
        'q.jsonl:2: axe: moved: the quote "Battle axe 7" is not in vault/torches.md, '
        "but at vault/arms/weapons.md:5"
    )  # fmt: skip


def test_a_file_that_was_renamed_is_named() -> None:
    assert finding(answerable(gold=[TORCH | {"path": "light.md"}])) == (
        'q.jsonl:1: torch: moved: the quote "A torch burns for one hour." is not in '
        "'light.md', which is no file of the vault, but at vault/torches.md:3"
    )


def test_an_equally_good_place_is_checked_like_a_gold() -> None:
    assert "but at vault/torches.md:3" in finding(answerable(alt=[[TORCH | {"path": "x.md"}]]))


def test_an_ambiguous_quote_is_named_with_its_lines() -> None:
    gold = {"path": "arms/weapons.md", "quote": "Two hands hold a battle axe."}
    assert finding(answerable(gold=[gold])) == (
        'q.jsonl:1: torch: ambiguous: the quote "Two hands hold a battle axe." stands 2 times in '
        "vault/arms/weapons.md, at lines 8, 10: lengthen it"
    )


def test_a_short_quote_is_named() -> None:
    gold = {"path": "torches.md", "quote": "in water."}
    assert finding(answerable(gold=[gold])) == (
        'q.jsonl:1: torch: the quote "in water." has 9 characters, fewer than 12: lengthen it'
    )


@pytest.mark.parametrize("quote", ["", "  ", "|---|---|---|", "… — *** — …"])
def test_a_quote_without_a_word_is_unwinnable(quote: str) -> None:
    gold = {"path": "torches.md", "quote": quote}
    expected = f"q.jsonl:1: torch: unwinnable: the quote {quote!r} holds no word"
    assert finding(answerable(gold=[gold])) == expected


def test_a_quote_longer_than_a_passage_is_unwinnable(planted: Path) -> None:
    text = "A torch burns. " + "It flickers. " * 100
    (planted / "vault" / "long.md").write_text(text, encoding="utf-8")
    found = finding(answerable(gold=[{"path": "long.md", "quote": text}]))
    assert found.startswith('q.jsonl:1: torch: unwinnable: the quote "A torch burns. It flickers.')
    assert found.endswith("has 1,315 characters, over 1,200: cut it")


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


def test_what_is_committed_is_clean_and_checked_in_under_15_seconds() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "evals.lint"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "rules.jsonl: 0 findings" in done.stdout
    assert "handbook.jsonl: 0 findings" in done.stdout
    assert "handbook: 0 findings in " in done.stdout
    assert "\nvault: 0 findings in " in done.stdout
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert seconds < 15  # 5 for labels, 10 for chunks
