"""The check of the encoder: sound it is silent, and each part that is not applied is named."""

from collections.abc import Iterator
from typing import Any

import pytest

from evals.faults.of_ingest import INDEX_FAULTS
from evals.faults.of_search import SEARCH_FAULTS
from evals.faults.replace import Replacement, applied
from evals.gating.encoder_check import KNOWN, encoder_faults
from retrieval.encoder import weights
from retrieval.encoder.bi_encoder import Embedder, ModelThread

PARTS = {fault.name: fault.swaps for fault in (*SEARCH_FAULTS, *INDEX_FAULTS)
         if fault.must_turn_red == "integrity: encoder"}  # fmt: skip
PARTS["adapter not applied"] = (
    Replacement("retrieval.encoder.adapter.apply", lambda _: lambda *args: None),
)


@pytest.fixture
def thread() -> Iterator[ModelThread]:
    made = ModelThread()
    yield made
    made.close()


def test_the_bundled_encoder_is_known_and_sound(thread: ModelThread) -> None:
    files = weights.bundled_encoder()
    assert files.digest in KNOWN, "measure the new adapter: evals.gating.encoder_check.measured"
    assert list(encoder_faults(Embedder(files, thread))) == []


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_encoder_that_is_not_applied_is_named(thread: ModelThread, part: str) -> None:
    with applied(*PARTS[part]):
        found = list(encoder_faults(Embedder(weights.bundled_encoder(), thread)))
    assert found, part


def test_of_an_encoder_that_nothing_is_known_of_only_the_lengths_are_checked(
    thread: ModelThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evals.gating.encoder_check.KNOWN", {})
    embedder: Any = Embedder(weights.bundled_encoder(), thread)
    assert list(encoder_faults(embedder)) == []
    with applied(*PARTS["vectors of words not normalised"]):
        assert [fault.split(" ")[0] for fault in encoder_faults(embedder)] == ["vectors"]
