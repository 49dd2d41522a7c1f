"""The loader of questions, and that calibration and gate of what is committed share nothing."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from evals.labels import dataset
from evals.labels.dataset import SPLITS, Gold, Question
from evals.lint import lint
from ingest.read import vault
from retrieval.errors import DatasetError
from retrieval.text.normalize import comparable

DATASETS = sorted((Path(__file__).parents[3] / "evals" / "datasets").glob("*.jsonl"))
SUBSTRINGS = """[
{
"question": "How bad is a fall of 30'?",
"expectedChunkSubstring": "1d6 for every full 10' fallen",
"source": "vault/5. Adventures/4. Hazards and Challenges.md"
},
{
"question": "What is the hit die for a Fighter?",
"expectedChunkSubstring": "Hit Dice | 1d8",
"source": "vault/2. Classes/4. Fighter.md"
}
]"""
DOCUMENTS = """[
{
"query": "How do I set up the proxy?",
"relevant_doc_ids": ["proxy-setup", "proxy-guide"],
"irrelevant_doc_ids": ["mail-setup", "mail-headers"]
},
{
"query": "Which plans have support by phone?",
"relevant_doc_ids": ["plans", "support-hours"],
"irrelevant_doc_ids": ["careers"]
}
]"""
ROW: dict[str, Any] = {
    "id": "torch", "question": "How long?", "kind": "prose", "answer": "One hour",
    "gold": [{"path": "light.md", "quote": "burns for one hour"}], "split": "gate",
    "critical": True, "must_include": ["1 hour|one hour"], "must_not_include": ["day"],
    "why_unanswerable": None,
}  # fmt: skip


def load(folder: Path, text: str) -> list[Question]:
    file = folder / "questions.jsonl"
    file.write_text(text, encoding="utf-8")
    return dataset.load(file)


def test_our_lines_become_questions_with_their_line(tmp_path: Path) -> None:
    alt = {"id": "b", "alt": [[{"path": "b.md", "quote": "an hour"}]], "history": ["A torch?"]}
    none = {"id": "c", "question": "Laser?", "kind": "offtopic", "absent": ["laser"],
            "why_unanswerable": "No lasers."}  # fmt: skip
    rows = [json.dumps(row) for row in (ROW, ROW | alt, none)]
    first, second, third = load(tmp_path, "\ufeff" + "\n\n".join(rows) + "\n")
    assert first == Question(
        line=1, id="torch", question="How long?", kind="prose", answer="One hour",
        places=((Gold("light.md", "burns for one hour"),),), split="gate", critical=True,
        must_include=("1 hour|one hour",), must_not_include=("day",), why_unanswerable="",
        absent=(), history=(), forbidden=(),
    )  # fmt: skip
    assert (second.line, second.history, len(second.places)) == (3, ("A torch?",), 2)
    assert second.places[1] == (Gold("b.md", "an hour"),)
    assert (third.line, third.answerable, third.critical, third.split) == (5, False, False, "")
    assert (third.absent, third.why_unanswerable) == (("laser",), "No lasers.")


def test_a_line_separator_inside_of_a_text_ends_no_line(tmp_path: Path) -> None:
    row = json.dumps(ROW | {"question": "How\u2028long\x85?"}, ensure_ascii=False)
    assert load(tmp_path, row)[0].question == "How\u2028long\x85?"


def test_lists_of_substrings_are_read_as_they_are(tmp_path: Path) -> None:
    fall, die = load(tmp_path, SUBSTRINGS)
    assert (fall.question, fall.answerable) == (
        "How bad is a fall of 30'?",
        True,
    )
    assert die.places == ((Gold("2. Classes/4. Fighter.md", "Hit Dice | 1d8"),),)


def test_lists_of_documents_are_read_as_they_are(tmp_path: Path) -> None:
    proxy, phone = load(tmp_path, DOCUMENTS)
    assert proxy.question == "How do I set up the proxy?"
    assert proxy.places == ((Gold("proxy-setup", ""), Gold("proxy-guide", "")),)
    assert proxy.forbidden == ("mail-setup", "mail-headers")
    assert len({proxy.id, phone.id}) == 2


def test_three_fields_may_have_a_kind_a_split_and_be_critical(tmp_path: Path) -> None:
    plain = {"question": "How?", "expectedChunkSubstring": "one hour", "source": "light.md"}
    more = {"id": "torch", "kind": "table", "critical": True, "split": "gate"}
    first, rich = load(tmp_path, json.dumps([plain, {**plain, **more}]))
    assert (first.id, first.kind, first.critical, first.split) == ("q1", "prose", False, "")
    assert (rich.id, rich.kind, rich.critical, rich.split) == ("torch", "table", True, "gate")
    assert first.places == rich.places == ((Gold("light.md", "one hour"),),)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "is not JSON: "),
        ("5", "the row: Input should be a valid dictionary"),
        (json.dumps(ROW), "the id 'torch' is that of line 1, too"),
        (json.dumps(ROW | {"id": None}), "id: Field required"),
        (json.dumps(ROW | {"id": "b", "question": " \n"}), "the question is empty"),
        (json.dumps(ROW | {"id": "b", "question": 5}), "question: Input should be a valid string"),
        (json.dumps(ROW | {"id": "b", "kind": "riddle"}), "kind 'riddle' is none of ("),
        (json.dumps(ROW | {"id": "b", "gold": []}), "kind 'prose' with 0 places for the answer"),
        (json.dumps(ROW | {"id": "b", "kind": "edition"}), "kind 'edition' with 1 places"),
        (json.dumps(ROW | {"id": "b", "gold": [5]}), "gold.0: Input should be"),
        (json.dumps(ROW | {"id": "b", "gold": [{"path": "a"}]}), "gold.0.quote: Field required"),
        (json.dumps(ROW | {"id": "b", "must_include": "x"}), "must_include: Input should be"),
        (json.dumps(ROW | {"id": "b", "alt": [5]}), "alt.0: Input should be a valid tuple, not 5"),
        (json.dumps(ROW | {"id": "b", "split": 5}), "split: Input should be a valid string, not 5"),
        (
            json.dumps(ROW | {"id": "b", "critical": "no"}),
            "critical: Input should be a valid boolean, not 'no'",
        ),
        (json.dumps(ROW | {"id": "b", "absent": [5]}), "absent.0: Input should be a valid string"),
        (json.dumps(ROW | {"id": "b", "chunk": 7}), "unknown fields ['chunk']; known are ["),
    ],
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str, what: str) -> None:
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, f"{json.dumps(ROW)}\n\n{line}\n")
    assert str(caught.value).startswith(f"{tmp_path / 'questions.jsonl'}:3: {what}")


@pytest.mark.parametrize(
    ("second", "what"),
    [
        ("5", " question 2: has neither expectedChunkSubstring nor relevant_doc_ids"),
        ('{"query": "q"}', " question 2: has neither expectedChunkSubstring nor relevant_doc_ids"),
        ('{"query": "q", "relevant_doc_ids": "a"}', " question 2: relevant_doc_ids: Input should"),
        (
            '{"query": "q", "relevant_doc_ids": ["a"], "critcal": true}',
            " question 2: unknown fields ['critcal']; known are ['critical', ",
        ),
        ('{"relevant_doc_ids": ["a"]}', " question 2: query: Field required"),
        ('{"question": "q", "expectedChunkSubstring": "x"}', " question 2: source: Field required"),
        ("", " is not JSON: Expecting value: line 1 column 41 (char 40)"),
    ],
)
def test_a_listed_question_that_is_none_is_named(tmp_path: Path, second: str, what: str) -> None:
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, f'[{{"query": "q", "relevant_doc_ids": []}},{second}]')
    assert str(caught.value).startswith(f"{tmp_path / 'questions.jsonl'}:{what}")


@pytest.mark.parametrize("text", ["", "\n \n", "[]"])
def test_a_dataset_without_questions_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(DatasetError, match=r"questions\.jsonl: holds no questions"):
        load(tmp_path, text)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes(b'{"id": "\xff"}')
    for name in ("bad.jsonl", "none.jsonl"):
        with pytest.raises(DatasetError, match=rf"{name}: cannot be read: "):
            dataset.load(tmp_path / name)


def test_every_committed_question_is_in_a_split_and_both_have_both_kinds() -> None:
    assert [path.name for path in DATASETS] == ["handbook.jsonl", "rules.jsonl", "typed.jsonl"]
    for path in DATASETS:
        questions = dataset.load(path)
        vaults = {question.vault for question in questions}
        assert vaults == ({"handbook", "rules"} if path.stem == "typed" else {""})
        held = {(question.vault, question.split, question.answerable) for question in questions}
        assert held == set(product(vaults, SPLITS, (True, False)))


@pytest.mark.parametrize("name", ["rules", "handbook"])
def test_the_questions_with_aliases_have_their_quotes_and_are_no_question_of_a_gate(
    name: str,
) -> None:
    path = DATASETS[0].parent / "aliases" / f"{name}.jsonl"
    folder = Path("vault") if name == "rules" else Path("evals/vaults") / name
    assert lint(path, DATASETS[0].parents[2] / folder) == []
    assert {question.split for question in dataset.load(path)} == {"calibration"}


@pytest.mark.parametrize("path", DATASETS, ids=lambda path: path.stem)
def test_the_splits_share_no_question(path: Path) -> None:
    asked: dict[str, set[str]] = {split: set() for split in SPLITS}
    for question in dataset.load(path):
        words = comparable(" ".join([*question.history, question.question])).casefold()
        asked[question.split].add("".join(filter(str.isalnum, words)))
    assert not asked["calibration"] & asked["gate"]


@pytest.mark.parametrize("path", DATASETS, ids=lambda path: path.stem)
def test_the_splits_share_no_gold_quote(path: Path) -> None:
    quotes: dict[str, set[tuple[str, str]]] = {split: set() for split in SPLITS}
    for question in dataset.load(path):
        golds = [gold for place in question.places for gold in place]
        quotes[question.split] |= {(gold.path, comparable(gold.quote)) for gold in golds}
    assert not quotes["calibration"] & quotes["gate"]


def test_questions_are_never_ingested() -> None:
    """An answer key in the index would answer every question of the gate."""
    folder = DATASETS[0].parent
    found = vault.read(folder)
    assert found.files == ()
    assert len(found.ignored) == len(list(folder.rglob("*.jsonl"))) > len(DATASETS)
