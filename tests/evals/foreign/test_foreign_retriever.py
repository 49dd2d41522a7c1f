"""A retriever that is not ours under the gate: endpoints, what a miss is, and what fails."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evals import retrieval as program
from evals.foreign import evaluation, passages, retrievers
from evals.labels import dataset
from evals.measure.span_overlap import pages_of
from retrieval.errors import RetrieverError
from tests.conftest import RULES
from tests.evals.foreign.conftest import FALL, TORCH, answering

BODIES: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "ours": lambda text, path: {"passages": [{"text": text, "path": path, "context": ""}]},
    "dify": lambda text, path: {
        "records": [{"segment": {"content": text, "document": {"name": path}}}]
    },
    "openai-search": lambda text, path: {
        "data": [{"filename": path, "content": [{"type": "text", "text": text}]}]
    },
}


@pytest.mark.parametrize("shape", retrievers.SHAPES)
def test_an_endpoint_of_each_shape_is_red_for_what_it_lacks(
    shape: str, own: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    body = json.dumps(BODIES[shape](TORCH, "Torches.md")).encode()
    with answering(200, body) as url:
        junit = ["--junit", "junit.xml"]
        assert program.main([*own, "--endpoint", url, "--shape", shape, *junit]) == 1
    said = capsys.readouterr().out
    assert "2 of 3 questions asked" in said
    assert "lost at: never-returned" in said
    assert said.endswith("Recall@4: 1/2 = 0.50\n")
    assert "damage from falling" in Path("junit.xml").read_text("utf-8")


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [(200, b"<html>", "not of the shape ours"), (200, b"{}", "not of the shape ours"),
     (500, b"broken", "answered 500: 'broken'"), (200, b'{"passages": [1]}', "not of the shape")],
)  # fmt: skip
def test_an_endpoint_that_answers_otherwise_is_no_red_gate(
    status: int, body: bytes, said: str, own: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(status, body) as url:
        assert program.main([*own, "--endpoint", url]) == 2
    assert said in capsys.readouterr().err


def test_an_endpoint_that_is_down_is_no_red_gate(
    own: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(200, b"") as url:
        pass
    assert program.main([*own, "--endpoint", url]) == 2
    assert "cannot be reached" in capsys.readouterr().err


def test_an_endpoint_that_is_slow_is_no_red_gate(
    own: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(retrievers, "TIMEOUT", 0.2)
    with answering(200, b"{}", 0.6) as url:
        assert program.main([*own, "--endpoint", url]) == 2
    assert "did not answer within 0.2 s" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "said"),
    [("import api.no_such", "called api, too"), ("import no_such_package", "is it installed"),
     ("import api\nsearch = api.no_such", "called api, too"),
     ("def search(q): from api.no_such import r", "called api, too, and was taken"),
     ("def search(q): import evals; return evals.no_such(q)", "called evals, too, and was taken"),
     ("def search(q): return q.no_such", "; call it with that question"),
     ("search = 5", "is a int"), ("def search(q): return 5", "returned int 5"),
     ("def search(q): return [5]", "a passage is int 5"),
     ("def other(q): ...", "name an attribute"),
     ("def search(q): raise OSError('gone')", "raised OSError: gone at the question 'How long")],
)  # fmt: skip
def test_a_retriever_that_fails_is_no_red_gate(
    code: str, said: str, own: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"failing_{abs(hash(code))}"
    Path(f"{name}.py").write_text(code, "utf-8")
    assert program.main([*own, "--retriever", f"{name}:search"]) == 2
    assert said in capsys.readouterr().err


def test_a_retriever_named_as_a_package_of_ours_is_sent_to_an_endpoint(
    own: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main([*own, "--retriever", "api:retrieve"]) == 2
    assert "a package of ours is called api, too" in capsys.readouterr().err


def test_a_drop_against_the_baseline_of_an_earlier_run_is_red(
    own: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("all_of_it.py").write_text(f"def search(q): return [{TORCH!r}, {FALL!r}]", "utf-8")
    Path("half_of_it.py").write_text(f"def search(q): return [{TORCH!r}]", "utf-8")
    assert program.main([*own, "--retriever", "all_of_it:search"]) == 0
    (before,) = Path("results").glob("*/measurement.json")
    again = ["--baseline", str(before), "--min-recall", "0", "--retriever"]
    assert program.main([*own, *again, "all_of_it:search"]) == 0
    assert program.main([*own, *again, "half_of_it:search"]) == 1
    said = capsys.readouterr().out
    assert "BROKEN falling (lost at: never-returned)" in said
    sums = [json.loads(p.read_text("utf-8")) for p in Path("results").glob("*/summary.json")]
    assert [one["refused"] for one in sums] == [{}, {}, {}]


@pytest.mark.parametrize(
    ("returned", "lost_at"),
    [([TORCH], None), (["x"] * 4 + [TORCH], "further-down"),
     (["nothing of it"], "not-of-the-vault"),
     ([], "never-returned"), ([{"text": TORCH, "path": "Weapons.md"}], "never-returned"),
     ([{"text": TORCH, "path": "/else/1. Light/Torches.md"}], None),
     ([{"text": "An old torch.", "path": "Torches.md"}], "not-of-the-vault")],
)  # fmt: skip
def test_a_miss_says_what_can_be_known_from_outside(
    returned: list[object], lost_at: str | None, own: list[str]
) -> None:
    run = evaluation.measure(
        lambda _: returned, "r", dataset.load(Path("q.jsonl"))[:1], RULES,
        dataset_file=Path("q.jsonl"), vault_folder=Path("rules"), top_k=4, options={},
    )  # fmt: skip
    assert run.outcomes[0].lost_at == lost_at


def test_passages_of_langchain_and_llamaindex_are_read_alike() -> None:
    node = SimpleNamespace(get_content=lambda: TORCH, metadata={"file_path": "Torches.md"})
    document = SimpleNamespace(page_content=TORCH, metadata={"source": "Torches.md"})
    given = [SimpleNamespace(node=node, score=0.5), node, document]
    found = passages.passages(given)
    assert found == [passages.Passage(TORCH, "Torches.md")] * 3
    placed = passages.placed(found, pages_of(RULES), list(RULES))
    assert {one.files for one in placed} == {("1. Light/Torches.md",)}
    with pytest.raises(RetrieverError, match="no list of passages"):
        passages.passages("one text")
