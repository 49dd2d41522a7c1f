"""`evals.interchange`: what is exported scores the same elsewhere; what is imported is asked."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals import beir, dataset, interchange, metrics, retrieval, spans
from evals.metrics import Scored
from evals.outcome import Subject
from ingest import pipeline
from retrieval.errors import DatasetError
from retrieval.rulebook import Rulebook, open_rulebook
from retrieval.settings import Settings
from tests.conftest import write_vault

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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indexed: Settings) -> Path:
    """The working folder, without .env; the environment names the small vault's index."""
    assert indexed.database_url
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", indexed.database_url.get_secret_value())
    monkeypatch.setenv("VAULT", str(indexed.vault))
    monkeypatch.setenv("RAG_THRESHOLD", "-9")
    lines = [json.dumps(FIELDS | question) for question in QUESTIONS]
    (tmp_path / "q.jsonl").write_text("\n".join(lines), "utf-8")
    return tmp_path


@pytest.fixture
def rules(indexed: Settings) -> Iterator[Rulebook]:
    with open_rulebook(indexed) as opened:
        yield opened


def measured(rules: Rulebook, path: Path) -> tuple[list[Scored], Subject]:
    """The questions as they are measured, with the index that was asked."""
    with retrieval.subject(rules, None) as subject:
        outcomes = list(retrieval.evaluate(rules, subject, dataset.load(path)))
        pages = spans.pages_of(subject.files)
        return metrics.score(outcomes, subject, pages, top_k=4, candidates=30), subject


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_command_line_of_ir_measures_gets_the_numbers_that_were_measured(
    folder: Path, rules: Rulebook, capsys: pytest.CaptureFixture[str]
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
    scored, _ = measured(rules, folder / "q.jsonl")
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


def test_a_reversed_run_does_not_score_the_same(folder: Path, rules: Rulebook) -> None:
    scored, _ = measured(rules, folder / "q.jsonl")
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
    folder: Path, rules: Rulebook
) -> None:
    scored, _ = measured(rules, folder / "q.jsonl")
    interchange.write_trec(folder, scored)
    run = [line.split() for line in (folder / "run.txt").read_text("utf-8").splitlines()]
    assert {len(cells) for cells in run} == {6}
    assert run[0][:2] + run[0][3:] == ["torch", "Q0", "1", "-1", "rules-oracle"]
    assert run[0][2] == "1.%20Light/Torches.md:1"
    qrels = [line.split() for line in (folder / "qrels.txt").read_text("utf-8").splitlines()]
    assert {len(cells) for cells in qrels} == {4}
    assert {cells[0] for cells in qrels} == {"torch", "axe%20costs", "both", "whole", "gone"}


def test_a_beir_export_holds_every_passage_and_every_question(
    folder: Path, rules: Rulebook
) -> None:
    scored, subject = measured(rules, folder / "q.jsonl")
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


def test_ragas_samples_have_the_field_names_of_ragas(folder: Path, rules: Rulebook) -> None:
    scored, subject = measured(rules, folder / "q.jsonl")
    interchange.write_ragas(folder / "ragas.jsonl", scored, subject)
    samples = rows(folder / "ragas.jsonl")
    assert set(samples[0]) == {
        "user_input", "retrieved_contexts", "retrieved_context_ids", "reference_contexts",
        "reference_context_ids", "reference",
    }  # fmt: skip
    assert samples[0]["user_input"] == "How long does a torch burn?"
    assert samples[0]["retrieved_contexts"][0].startswith("Torches\n# Torches")
    assert samples[0]["reference_contexts"] == ["A torch burns for one hour."]
    assert samples[3]["reference_contexts"] == [subject.files["2. Arms/Weapons.md"]]
    assert set(samples[5]) == {"user_input", "retrieved_contexts", "retrieved_context_ids"}


def write_beir(folder: Path, qrels: dict[str, str]) -> Path:
    """A BEIR folder of two documents and three queries."""
    corpus = [{"_id": "../a.b", "title": "Falling", "text": "A fall deals 1d6."},
              {"_id": "2", "text": "Whoever drowns holds breath."}]  # fmt: skip
    queries = [{"_id": name, "text": text} for name, text in
               {"q1": "damage of a fall", "q2": "breath?", "q3": "what?"}.items()]  # fmt: skip
    write_vault(folder, {
        "corpus.jsonl": "\n".join(json.dumps(row) for row in corpus),
        "queries.jsonl": "\n".join(json.dumps(row) for row in queries) + "\n",
        **{f"qrels/{name}.tsv": "query-id\tcorpus-id\tscore\n" + text
           for name, text in qrels.items()},
    })  # fmt: skip
    return folder


def test_a_beir_folder_is_imported_and_measured(
    folder: Path, database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_beir(folder / "set", {"test": "q1\t../a.b\t2\nq1\t2\t0\n", "dev": "q2\t2\t1\nq2\tx\t1\n"})
    assert interchange.main(["import", "set", "--out", "out"]) == 0
    out = capsys.readouterr().out
    assert "2 questions; 1 queries have no relevant document and were left out" in out
    assert "not in the corpus, yet relevant: x" in out
    first, second = dataset.load(folder / "out/dataset.jsonl")
    assert (first.id, first.split, first.question) == ("q1", "gate", "damage of a fall")
    assert [[gold.path for gold in place] for place in first.places] == [["%2E%2E%2Fa%2Eb.md"]]
    assert (second.split, len(second.places)) == ("calibration", 2)  # either is a hit
    monkeypatch.setenv("DATABASE_URL", database)
    settings = Settings.model_validate({"database_url": database, "rag_threshold": -9.0})
    with open_rulebook(settings) as rules:
        pipeline.run(rules, folder / "out/vault")
        with retrieval.subject(rules, folder / "out/vault") as subject:
            outcomes = list(retrieval.evaluate(rules, subject, [first, second]))
    assert [outcome.judgement and outcome.judgement.hit for outcome in outcomes] == [True, True]
    assert sorted(subject.files) == ["%2E%2E%2Fa%2Eb.md", "2.md"]


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("corpus.jsonl", '{"_id": "3", "text": 1}', "corpus.jsonl:3: text is 1, not a text"),
        ("corpus.jsonl", '{"_id": "2", "text": ""}', "corpus.jsonl:3: the id '2' stands there"),
        ("queries.jsonl", '{"_id": "q1", "text": ""}', "queries.jsonl:4: the id 'q1' stands there"),
        ("queries.jsonl", "{", "queries.jsonl:4: is not JSON"),
        ("queries.jsonl", "[]", "queries.jsonl:4: is [], not an object"),
        ("qrels/test.tsv", "q1 2 1", "test.tsv:3: has 1 cells, not 3 separated by tabs"),
        ("qrels/test.tsv", "q1\t2\tyes", "test.tsv:3: the score 'yes' is not a number"),
        ("qrels/test.tsv", "q9\t2\t1", "test.tsv:3: the query 'q9' is not in queries.jsonl"),
    ],
)
def test_a_fault_of_a_beir_folder_is_named_with_file_and_line(
    tmp_path: Path, name: str, line: str, message: str
) -> None:
    root = write_beir(tmp_path, {"test": "q1\t2\t1\n"})
    text = (root / name).read_text().rstrip("\n")
    (root / name).write_text(f"{text}\n{line}\n")
    with pytest.raises(DatasetError, match=r".") as caught:
        beir.read(root)
    assert message in str(caught.value)


def test_a_query_of_two_splits_and_a_folder_without_judgements_are_refused(tmp_path: Path) -> None:
    both = write_beir(tmp_path / "both", {"test": "q1\t2\t1\n", "dev": "q1\t2\t1\n"})
    with pytest.raises(DatasetError, match=r"'q1' is in dev\.tsv, too"):
        beir.read(both)
    with pytest.raises(DatasetError, match=r"no file SPLIT\.tsv"):
        beir.read(write_beir(tmp_path / "none", {}))
    with pytest.raises(DatasetError, match="no query has a relevant document"):
        beir.read(write_beir(tmp_path / "zero", {"test": "q1\t2\t0\n"}))
    assert interchange.main(["import", str(tmp_path / "absent"), "--out", str(tmp_path)]) == 2


def test_file_names_stay_in_their_folder_and_apart() -> None:
    names = ["a/b", "..", ".hidden", "a%2Fb", "x" * 300, "x" * 301, "é", "a b"]
    files = [beir.file_name(name) for name in names]
    assert len(set(files)) == len(names)
    assert all("/" not in f and not f.startswith(".") and len(f) < 250 for f in files)


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
