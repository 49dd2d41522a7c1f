"""The examples of docs/gate-your-own.md, as they stand there, run and counted again by hand."""

import importlib
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evals import retrieval as program
from tests.conftest import RULES
from tests.support.servers.knowledge import KEY, STORE, knowledge_base
from tests.support.source.documented import Command, saved_as, typed

DOCUMENT = "gate-your-own.md"
COMMANDS = typed(DOCUMENT, "evals.retrieval")
HANDBOOK = Path(program.__file__).parent / "datasets" / "handbook.jsonl"
VAULT = Path(program.__file__).parent / "vaults" / "handbook"
Passages = Iterable[tuple[str, str]]  # text and path, best first
READ: dict[str, Callable[[Any, str], Passages]] = {  # by the name in Python
    "by_words:search": lambda search, asked: ((p["text"], p["path"]) for p in search(asked)),
    "mine:retriever": lambda langchain, asked: (
        (document.page_content, document.metadata["source"]) for document in langchain.invoke(asked)
    ),
    "nodes:retriever": lambda llama, asked: (
        (found.node.text, found.node.metadata["file_path"]) for found in llama.retrieve(asked)
    ),
}


def of(option: str) -> dict[str, list[Command]]:
    """The commands of the document that have this option, by its value."""
    found: dict[str, list[Command]] = {}
    for command in COMMANDS:
        if option in command.options:
            value = command.options[command.options.index(option) + 1]
            found.setdefault(value, []).append(command)
    return found


def run(command: Command, named: dict[str, str], patch: pytest.MonkeyPatch) -> int:
    """The exit status of a command whose placeholders are `named`."""
    for name, value in command.variables:
        patch.setenv(name, named[value])
    return program.main([named.get(word, word) for word in command.options])


def independent(search: Callable[[str], Passages]) -> tuple[int, float, int]:
    """Hits among the first four, the mean reciprocal rank, and how many questions were asked."""

    def flat(text: str) -> str:
        text = text.replace("’", "'").replace("“", '"').replace("”", '"').replace("–", "-")
        return " ".join(text.replace("|", " ").split())

    hits, reciprocals = 0, []
    rows = [json.loads(line) for line in HANDBOOK.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row.get("gold") and not row.get("history")]
    for row in rows:
        found = list(search(row["question"]))
        ranks = []
        for golds in [row["gold"], *([gold] for gold in row.get("alt", ()))]:
            places = [
                next((rank for rank, (text, path) in enumerate(found, 1)
                      if path.endswith(gold["path"]) and flat(gold["quote"]) in flat(text)), 999)
                for gold in golds
            ]  # fmt: skip
            ranks.append(max(places))
        hits += min(ranks) <= 4
        reciprocals.append(1 / min(ranks) if min(ranks) < 999 else 0.0)
    return hits, sum(reciprocals) / len(rows), len(rows)


def test_there_is_an_example_of_each_kind() -> None:
    assert set(of("--retriever")) == set(READ)
    assert [len(of("--shape")[shape]) for shape in ("ours", "dify", "openai-search")] == [1, 2, 1]


@pytest.mark.parametrize("name", READ)
def test_a_documented_retriever_has_the_numbers_of_an_independent_script(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    module, _, attribute = name.partition(":")
    (tmp_path / f"{module}.py").write_text(saved_as(DOCUMENT, f"{module}.py"), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (command,) = of("--retriever")[name]
    run(command, {"FOLDER": str(VAULT), "questions.jsonl": str(HANDBOOK)}, monkeypatch)
    said = capsys.readouterr().out
    retriever = getattr(importlib.import_module(module), attribute)
    hits, reciprocal, asked = independent(lambda question: READ[name](retriever, question))
    assert f"Recall@4: {hits}/{asked} = {hits / asked:.2f}" in said
    assert f"MRR: {reciprocal:.3f}" in said
    assert hits > asked / 3
    assert "not measured from outside: replies" in said
    assert "found and shown" not in said


def over_http(
    command: Command, origin: str, patch: pytest.MonkeyPatch, vault: str = "rules"
) -> int:
    """The exit status of a documented command, whose URL's origin is another."""
    ((url,),) = ([o for o in command.options if re.match(r"https?://", o)],)
    here = re.sub(r"^https?://[^/]+", origin, url).replace("/ID/", f"/{STORE}/")
    named = {"FOLDER": vault, "questions.jsonl": "q.jsonl", "KEY": KEY, "ID": STORE, url: here}
    return run(command, named, patch)


@pytest.mark.parametrize(
    "command",
    [*of("--shape")["dify"], *of("--shape")["openai-search"]],
    ids=["data set of Dify", "external base of Dify", "openai-search"],
)
def test_a_documented_endpoint_of_others_is_measured(
    command: Command,
    own: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[str] = []
    with knowledge_base(RULES, asked) as origin:
        assert over_http(command, origin, monkeypatch) == 0
    assert len(asked) == 2
    said = capsys.readouterr().out
    assert "2 of 3 questions asked" in said
    assert said.endswith("Recall@4: 2/2 = 1.00\n")


def test_the_documented_endpoint_of_ours_is_the_running_api(
    client: httpx2.Client,
    own: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (command,) = of("--shape")["ours"]
    assert over_http(command, str(client.base_url).rstrip("/"), monkeypatch) == 0
    said = capsys.readouterr().out
    assert "/search; not measured from outside" in said
    assert said.endswith("Recall@4: 2/2 = 1.00\n")
