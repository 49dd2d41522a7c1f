"""Our search as LlamaIndex's retriever under the gate, as the program that people type."""

import subprocess
import sys
from pathlib import Path

import pytest

RULES_RETRIEVER = """
import atexit
from contextlib import ExitStack

from retrieval.context import open_context
from retrieval.llama_index import RulesRetriever
from retrieval.settings import load

stack = ExitStack()
atexit.register(stack.close)
rules = stack.enter_context(open_context(load()))
everywhere = RulesRetriever(rules, top_k=50)
light = RulesRetriever(rules, top_k=50, filters={"path": {"prefix": "1. Light/"}})
"""


@pytest.mark.parametrize(
    ("retriever", "status", "words"),
    [("everywhere", 0, "Recall@4: 2/2 = 1.00"), ("light", 1, "lost at: never-returned")],
)
def test_the_gate_is_green_for_it_and_red_where_it_lacks_files(
    retriever: str, status: int, words: str, indexed_environment: Path, own: list[str]
) -> None:
    Path("ours.py").write_text(RULES_RETRIEVER, "utf-8")
    command = [sys.executable, "-m", "evals.retrieval", *own, "--retriever", f"ours:{retriever}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert words in done.stdout
