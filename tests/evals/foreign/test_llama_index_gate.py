"""Our search as LlamaIndex's retriever under the gate."""

import sys
from types import ModuleType
from typing import Any

import pytest

from evals import retrieval as program
from retrieval.context import SearchContext
from retrieval.llama_index import RulesRetriever


@pytest.mark.parametrize(
    ("filters", "status", "words"),
    [
        (None, 0, "Recall@4: 2/2 = 1.00"),
        ({"path": {"prefix": "1. Light/"}}, 1, "lost at: never-returned"),
    ],
)
def test_the_gate_is_green_for_it_and_red_where_it_lacks_files(
    filters: dict[str, Any] | None,
    status: int,
    words: str,
    indexed_rules: SearchContext,
    own: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ours = ModuleType("ours")
    vars(ours)["retriever"] = RulesRetriever(indexed_rules, top_k=50, filters=filters)
    monkeypatch.setitem(sys.modules, "ours", ours)
    assert program.main([*own, "--retriever", "ours:retriever"]) == status
    assert words in capsys.readouterr().out
