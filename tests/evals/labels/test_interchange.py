"""`evals.interchange`: what is exported scores the same elsewhere and reads as it was written."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals import interchange, retrieval
from evals.labels import dataset
from evals.measure import metrics, span_overlap
from evals.measure.metrics import ScoredOutcome
from evals.measure.outcome import Subject
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


@pytest.fixture
def context(indexed_rules: SearchContext) -> SearchContext:
    return indexed_rules


def measured(context: SearchContext, path: Path) -> tuple[list[ScoredOutcome], Subject]:
    """The questions as they are measured, with the index that was asked."""
    with retrieval.subject(context, None) as subject:
        outcomes = list(retrieval.evaluate(context, subject, dataset.load(path)))
        pages = span_overlap.pages_of(subject.files)
        return metrics.score(outcomes, subject, pages, top_k=4, candidates=30), subject


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_command_line_of_ir_measures_gets_the_numbers_that_were_measured(
    folder: Path, context: SearchContext, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interchange.main(["export", "--dataset", "q.jsonl", "--out", "out"]) == 0
    printed = capsys.readouterr().out.splitlines()
    names = interchange.ir_measures_names(4)
    command = [str(Path(sys.executable).with_name("ir_measures")), "--by_query", "--places", "8"]
    files = ["out/trec/qrels.txt", "out/trec/run.txt"]
    done = subprocess.run(
        [*command, *files, *names.values()], capture_output=True, text=True, check=True
    )
    there = {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in done.stdout.splitlines()}
    scored, _ = measured(context, folder / "q.jsonl")
    answerable = [item for item in scored if item.needed]
    assert len(answerable) == 5
    for name, measure in names.items():
        values = [item.values[name] for item in answerable]
        for item, value in zip(answerable, values, strict=True):
            where = (item.outcome.question.id.replace(" ", "%20"), measure)
            assert float(there[where]) == pytest.approx(value, abs=1e-8)
        mean = sum(value for value in values if value is not None) / 5
        assert float(there["all", measure]) == pytest.approx(mean, abs=1e-8)
        assert f"{measure}\t{mean:.4f}" in printed
    assert 0 < float(there["all", "RR"]) < 1  # a gold that nothing holds counts as 0
    assert printed[-1] == f"again: ir_measures {' '.join([*files, *names.values()])}"


def test_a_reversed_run_does_not_score_the_same(folder: Path, context: SearchContext) -> None:
    scored, _ = measured(context, folder / "q.jsonl")
    interchange.write_trec(folder / "a", scored)
    backwards = [replace(item, ranking=item.ranking[::-1]) for item in scored]
    interchange.write_trec(folder / "b", backwards)
    assert (folder / "a/qrels.txt").read_text() == (folder / "b/qrels.txt").read_text()
    results = [
        subprocess.run(
            [str(Path(sys.executable).with_name("ir_measures")), "a/qrels.txt", run, "RR"],
            capture_output=True, text=True, check=True,
        ).stdout
        for run in ("a/run.txt", "b/run.txt")
    ]  # fmt: skip
    assert results[0] > results[1]


def test_lines_of_trec_files_have_their_cells_whatever_the_ids(
    folder: Path, context: SearchContext
) -> None:
    scored, _ = measured(context, folder / "q.jsonl")
    interchange.write_trec(folder, scored)
    run = [line.split() for line in (folder / "run.txt").read_text("utf-8").splitlines()]
    assert {len(cells) for cells in run} == {6}
    assert run[0][:2] + run[0][3:] == ["torch", "Q0", "1", "-1", "rules-oracle"]
    assert run[0][2] == "1.%20Light/Torches.md:1"
    qrels = [line.split() for line in (folder / "qrels.txt").read_text("utf-8").splitlines()]
    assert {len(cells) for cells in qrels} == {4}
    assert {cells[0] for cells in qrels} == {"torch", "axe%20costs", "both", "whole", "gone"}


def test_a_beir_export_holds_every_passage_and_every_question(
    folder: Path, context: SearchContext
) -> None:
    scored, subject = measured(context, folder / "q.jsonl")
    interchange.write_beir(folder / "beir", scored, subject)
    corpus = {row["_id"]: row for row in rows(folder / "beir/corpus.jsonl")}
    chunks = [chunk for path in subject.files for chunk in subject.chunks_of(path)]
    assert len(corpus) == len(chunks) >= 3
    assert "A torch burns for one hour." in corpus["1.%20Light/Torches.md:1"]["text"]
    assert corpus["1.%20Light/Torches.md:1"]["title"] == "Torches"
    assert [row["_id"] for row in rows(folder / "beir/queries.jsonl")] == [
        "torch", "axe%20costs", "both", "whole", "gone", "laser",
    ]  # fmt: skip
    gate = (folder / "beir/qrels/gate.tsv").read_text("utf-8").splitlines()
    assert gate[0] == "query-id\tcorpus-id\tscore"
    assert "torch\t1.%20Light/Torches.md:1\t1" in gate
    assert {line.split("\t")[0] for line in gate[1:]} == {"torch", "axe%20costs", "whole", "gone"}
    assert len([line for line in gate if line.startswith("axe")]) == 2  # either place will do
    assert "gone\t1.%20Light/Torches.md#A%20torch%20burns%09for%20two%20hours.\t1" in gate
    both = (folder / "beir/qrels/calibration.tsv").read_text("utf-8").splitlines()
    assert len(both) == 3


def test_questions_survive_being_written(folder: Path) -> None:
    brought = [
        {"question": "torch?", "expectedChunkSubstring": "one hour", "source": "torches.md"},
        {"query": "axe?", "relevant_doc_ids": ["a", "b"], "irrelevant_doc_ids": ["c"]},
    ]
    (folder / "q.json").write_text(json.dumps(brought), "utf-8")
    assert interchange.main(["import", "q.json", "--out", "out"]) == 0
    assert dataset.load(folder / "out/dataset.jsonl") == dataset.load(folder / "q.json")
    ours = dataset.load(Path(retrieval.__file__).parent / "datasets" / "rules.jsonl")
    interchange.write_dataset(folder / "again.jsonl", ours)
    assert dataset.load(folder / "again.jsonl") == ours
