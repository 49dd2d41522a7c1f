"""TREC files of a run: what is written scores the same elsewhere and reads as it was written."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evals import retrieval
from evals.labels import dataset
from evals.measure.evaluation import measure
from evals.measure.run import Run
from evals.measure.subject import subject
from evals.reports import trec
from retrieval.context import SearchContext

FIELDS = {"kind": "prose", "split": "gate", "answer": "See there."}
QUESTIONS: list[dict[str, Any]] = [
    {"id": "torch", "question": "How long does a torch burn?",
     "gold": [{"path": "1. Light/Torches.md", "quote": "A torch burns for one hour."}]},
    {"id": "axe costs", "question": "What does a battle axe cost?", "kind": "table",
     "gold": [{"path": "2. Arms/Weapons.md", "quote": "| Battle axe | 7 |"}],
     "alt": [[{"path": "1. Light/Torches.md", "quote": "A torch burns for one hour."}]]},
    {"id": "both", "question": "torches in water and holding breath", "kind": "multi",
     "split": "calibration", "gold": [
         {"path": "1. Light/Torches.md", "quote": "a torch goes out at once in water"},
         {"path": "2. Arms/Hazards.md", "quote": "holds breath for as many rounds as CON"}]},
    {"id": "whole", "question": "weapons", "gold": [{"path": "2. Arms/Weapons.md", "quote": ""}]},
    {"id": "gone", "question": "How long does a torch burn?",
     "gold": [{"path": "1. Light/Torches.md", "quote": "A torch burns\tfor two hours."}]},
    {"id": "laser", "question": "What does a laser cost?", "kind": "offtopic", "gold": []},
]  # fmt: skip


@pytest.fixture
def folder(indexed_environment: Path) -> Path:
    """The working folder with the questions; the environment names the small vault's index."""
    lines = [json.dumps(FIELDS | question) for question in QUESTIONS]
    (indexed_environment / "q.jsonl").write_text("\n".join(lines), "utf-8")
    return indexed_environment


def ir_measures(*arguments: str) -> str:
    """What the command line of ir-measures says, to eight places."""
    command = [str(Path(sys.executable).with_name("ir_measures")), "--places", "8", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def run(folder: Path, indexed_rules: SearchContext) -> Run:
    """The questions as they are measured."""
    questions = dataset.load(folder / "q.jsonl")
    with subject(indexed_rules, None) as measured:
        return measure(
            indexed_rules, measured, questions, dataset_file=folder / "q.jsonl", vault_folder=folder
        )


def test_the_command_line_of_ir_measures_gets_the_numbers_that_were_measured(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert retrieval.main(["--dataset", "q.jsonl", "--trec", "out"]) == 1  # a gold is gone
    printed = capsys.readouterr().out.splitlines()
    names = trec.ir_measures_names(4)
    files = ["out/qrels.txt", "out/run.txt"]
    lines = ir_measures("--by_query", *files, *names.values()).splitlines()
    there = {tuple(line.split("\t")[:2]): float(line.split("\t")[2]) for line in lines}
    assert len(run.values) == 5
    for name, called in names.items():
        here = {q.replace(" ", "%20"): row[name] or 0.0 for q, row in run.values.items()}
        here["all"] = sum(here.values()) / 5
        assert {q: there[q, called] for q in here} == pytest.approx(here, abs=1e-8)
    assert 0 < there["all", "RR"] < 1  # a gold that nothing holds counts as 0
    assert printed[-1] == f"again: ir_measures {' '.join([*files, *names.values()])}"


def test_lines_of_trec_files_have_their_cells_whatever_the_ids(run: Run) -> None:
    trec.write_trec(Path(), run)
    ranked = [line.split() for line in Path("run.txt").read_text("utf-8").splitlines()]
    assert {len(cells) for cells in ranked} == {6}
    assert ranked[0][:2] + ranked[0][3:] == ["torch", "Q0", "1", "-1", "rules-oracle"]
    assert ranked[0][2] == "1.%20Light/Torches.md:1"
    qrels = [line.split() for line in Path("qrels.txt").read_text("utf-8").splitlines()]
    assert {len(cells) for cells in qrels} == {4}
    assert {cells[0] for cells in qrels} == {"torch", "axe%20costs", "both", "whole", "gone"}
