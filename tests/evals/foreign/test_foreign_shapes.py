"""What Dify's external knowledge bases are sent, and what a foreign run never says."""

import json
from pathlib import Path

import httpx2
import pytest
from openai import DefaultHttpxClient, OpenAI

from evals import retrieval as program
from evals.foreign import evaluation, passages, retrievers
from evals.labels import dataset
from tests.conftest import RULES
from tests.evals.foreign.conftest import QUESTIONS, TORCH, answering
from tests.support.servers.knowledge import KEY, STORE, knowledge_base

OF_REPLIES = ("shown</small>", "ound and shown", "efused", "thresholds", "no answer exists")


def test_a_run_says_nothing_of_replies_and_refusals(
    own: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("half_found.py").write_text(f"def search(question): return [{TORCH!r}]", "utf-8")
    assert program.main([*own, "--retriever", "half_found:search"]) == 1
    (folder,) = Path("results").iterdir()
    page = (folder / "report.html").read_text("utf-8").partition("<body")[2]
    assert "damage from falling" in page
    said = capsys.readouterr().out + page
    assert [words for words in OF_REPLIES if words in said] == []
    sums = json.loads((folder / "summary.json").read_text("utf-8"))
    assert (sums["refused"], sums["threshold_curve"]) == ({}, [])


def test_of_two_lost_golds_the_one_that_never_came_is_named(own: list[str]) -> None:
    golds = [{"path": path, "quote": quote} for _, _, path, quote in QUESTIONS]
    row = {"id": "both", "question": "?", "kind": "prose", "split": "gate", "gold": golds}
    Path("both.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    run = evaluation.measure(
        lambda _: ["However, a torch goes out at once in water.", TORCH], "r",
        dataset.load(Path("both.jsonl")), RULES, dataset_file=Path("both.jsonl"),
        vault_folder=Path("rules"), top_k=1, options={},
    )  # fmt: skip
    assert run.outcomes[0].lost_at == "never-returned"


@pytest.mark.parametrize(
    ("path", "fields"),
    [("retrieval", {"query", "knowledge_id", "retrieval_setting"}), ("retrieve", {"query"})],
)
def test_dify_is_sent_what_it_demands_and_its_metadata_has_the_path(
    path: str, fields: set[str]
) -> None:
    record = {"content": TORCH, "title": "On light", "metadata": {"source": "Torches.md"}}
    asked: list[dict[str, object]] = []
    body = json.dumps({"records": [record]}).encode()
    with answering(200, body, asked=asked) as url, retrievers.client() as client:
        ask = retrievers.endpoint(url.replace("search", path), "dify", client, "K")
        (passage,) = passages.passages(ask("How long?"))
    assert [set(sent) for sent in asked] == [fields]
    assert passage == passages.Passage(TORCH, "Torches.md")


@pytest.mark.parametrize("options", [["--shape", "dify"], ["--knowledge-id", "K"]])
def test_an_option_of_an_endpoint_alone_is_an_error(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        program.main(options)
    assert ended.value.code == 2
    assert options[0] in capsys.readouterr().err


@pytest.mark.parametrize("question", [question for _, question, _, _ in QUESTIONS])
def test_openais_own_client_gets_the_passages_that_the_gate_reads(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(retrievers.KEY, KEY)
    asked: list[str] = []
    http = DefaultHttpxClient(limits=httpx2.Limits(max_keepalive_connections=0))
    with knowledge_base(RULES, asked) as origin, retrievers.client() as client:
        theirs = OpenAI(api_key=KEY, base_url=f"{origin}/v1", max_retries=0, http_client=http)
        page = theirs.vector_stores.search(STORE, query=question, max_num_results=passages.LIMIT)
        url = f"{origin}/v1/vector_stores/{STORE}/search"
        found = passages.passages(retrievers.endpoint(url, "openai-search", client)(question))
    read = [("\n".join(part.text for part in one.content), one.filename) for one in page.data]
    assert [(passage.text, passage.path) for passage in found] == read
    assert len(found) == 5
    assert asked == [f"/v1/vector_stores/{STORE}/search"] * 2
