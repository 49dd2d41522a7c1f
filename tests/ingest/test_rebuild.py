"""Other rules beside a vault's own: what is asked of them, and what they weigh in a fit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evals.fitting import stage_weights
from evals.fitting.stage_weights import Example
from evals.labels import extra_vaults, training_questions
from evals.measure.subject import subject
from retrieval.context import SearchContext
from retrieval.errors import DatasetError
from tests.conftest import write_vault

TEXT = """# Tolls

A cart pays two pence at the bridge.
?? What does a cart pay?
?? How much for crossing on wheels?

| Animal | Toll |
|---|---|
| Horse | a penny |
?? What does a horse pay?
"""


@pytest.fixture
def training(tmp_path: Path) -> Path:
    """Training texts with nine questions a collection."""
    files = {f"{name}/{n}. Tolls.md": TEXT for name in extra_vaults.COLLECTIONS for n in range(3)}
    return write_vault(tmp_path / "training", files)


def test_every_seventh_question_is_asked_of_its_line(training: Path, tmp_path: Path) -> None:
    found = extra_vaults.write(training, tmp_path / "asked")
    assert [one.name for one in found] == list(extra_vaults.COLLECTIONS)
    first, eighth = found[0].questions
    assert first.question == "What does a cart pay?"
    assert first.places[0][0].quote == "A cart pays two pence at the bridge."
    assert eighth.question == "How much for crossing on wheels?"
    assert eighth.places[0][0].path == "2. Tolls.md"
    assert eighth.places[0][0].quote == "A cart pays two pence at the bridge."
    assert "??" not in (found[0].vault / "2. Tolls.md").read_text("utf-8")


def test_their_questions_are_searched_in_them(
    training: Path, tmp_path: Path, search_context: SearchContext
) -> None:
    context = replace(search_context, threshold=float("-inf"))
    found = extra_vaults.examples(context, extra_vaults.write(training, tmp_path / "asked")[:1])
    (asked,) = found.values()
    assert [int(mask.sum()) for example in asked for (mask,) in example.needed] == [1, 1]


def test_training_texts_are_indexed_without_their_questions(
    training: Path, search_context: SearchContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_questions, "TEXTS", training)
    folder = training / extra_vaults.COLLECTIONS[0]
    with subject(search_context, folder) as measured:
        assert sorted(measured.files) == ["0. Tolls.md", "1. Tolls.md", "2. Tolls.md"]
        assert not any("??" in text for text in measured.files.values())
        assert any("Horse" in chunk.text for chunk in measured.chunks_of("2. Tolls.md"))


def test_what_is_missing_or_wrong_is_named(training: Path, tmp_path: Path) -> None:
    file = training / extra_vaults.COLLECTIONS[0] / "0. Tolls.md"
    file.write_text("?? What stands above?\n", "utf-8")
    with pytest.raises(DatasetError, match=r"0\. Tolls\.md:1: no line stands above"):
        extra_vaults.write(training, tmp_path / "asked")
    file.write_bytes(b"\xff")
    with pytest.raises(DatasetError, match=r"0\. Tolls\.md: is not UTF-8"):
        extra_vaults.write(training, tmp_path / "asked")
    with pytest.raises(DatasetError, match=r"no folder .*missing.*--beside"):
        extra_vaults.write(tmp_path / "missing", tmp_path / "asked")


def made(answer: int, *, dense: float, text: float) -> Example:
    """Two candidates: the one that answers has these scores, the other what is left of 1."""
    features = np.array([[dense, text, 0, 0, 0, 0], [1 - dense, 1 - text, 0, 0, 0, 0]], dtype=float)
    return Example(str(answer), features, ((np.array([answer == 0, answer == 1]),),))


def test_collections_share_half_of_the_fit_whatever_their_sizes() -> None:
    own = [made(0, dense=0.6, text=0.9)] * 5
    other = [made(0, dense=0.6, text=0.2)]
    alone = stage_weights.fit(own).text
    once, twice = (stage_weights.fit(own, {"a": other * n}).text for n in (1, 50))
    assert once == pytest.approx(twice, abs=0.002)
    assert once < alone / 2
    assert stage_weights.fit(own, {"a": other * 5}).text == pytest.approx(
        stage_weights.fit(own + other * 5).text, abs=0.002
    )
    assert stage_weights.fit(own, {"a": other, "b": own}).text == pytest.approx(
        stage_weights.fit(own * 3, {"b": own, "a": other * 7}).text, abs=0.002
    )
