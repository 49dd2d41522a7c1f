"""A BEIR folder: imported and asked; its faults are named with file and line."""

import json
from pathlib import Path

import pytest

from evals import interchange, retrieval
from evals.labels import beir, dataset
from retrieval.context import SearchContext
from retrieval.errors import DatasetError
from tests.conftest import index_of, write_vault


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
    loaded: SearchContext,
    server: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)  # no .env there
    write_beir(
        tmp_path / "set", {"test": "q1\t../a.b\t2\nq1\t2\t0\n", "dev": "q2\t2\t1\nq2\tx\t1\n"}
    )
    assert interchange.main(["import", "set", "--out", "out"]) == 0
    out = capsys.readouterr().out
    assert "2 questions; 1 queries have no relevant document and were left out" in out
    assert "not in the corpus, yet relevant: x" in out
    first, second = dataset.load(tmp_path / "out/dataset.jsonl")
    assert (first.id, first.split, first.question) == ("q1", "gate", "damage of a fall")
    assert [[gold.path for gold in place] for place in first.places] == [["%2E%2E%2Fa%2Eb.md"]]
    assert (second.split, len(second.places)) == ("calibration", 2)  # either is a hit
    imported = tmp_path / "out/vault"
    with (
        index_of(loaded, server, imported, rag_threshold=-9.0) as rules,
        retrieval.subject(rules, imported) as subject,
    ):
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
