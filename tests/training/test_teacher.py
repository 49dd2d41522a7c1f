"""A bi-encoder as the cross-encoder's teacher: its scores, its share of the loss, its record."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from retrieval.encoder import adapter, weights
from retrieval.encoder.adapter import Adapter
from retrieval.encoder.bi_encoder import Embedder, ModelThread
from retrieval.errors import ConfigurationError
from retrieval.ranking import late_interaction
from tests.support.made import training_material
from tests.support.made.training_material import silent
from training import train_reranker
from training.learning import ranker_task
from training.learning.ranker_task import Recipe
from training.learning.teacher import Teacher

PAIRS = [
    ("what does a drum cost", "A drum costs 30 gold."),
    ("what does a drum cost", "Sleeping in the rain is forbidden to guards of the northern gate."),
    ("who may sleep outside", "A drum costs 30 gold."),
]


def teacher() -> Teacher:
    encoder = weights.bundled_encoder()
    assert encoder.adapter is not None
    return Teacher(weights.bundled_base(), adapter.read(encoder.adapter), length=112)


def test_it_scores_pairs_as_search_does() -> None:
    thread = ModelThread()
    try:
        embedder = Embedder(weights.bundled_encoder(), thread)
        texts = embedder.encode([text for _, text in PAIRS])
        asked = [embedder.question(question) for question, _ in PAIRS]
    finally:
        thread.close()
    ours = [
        float(question.vector @ texts.vectors[row])
        + float(late_interaction.scores(question.tokens, [texts.tokens[row]])[0])
        for row, question in enumerate(asked)
    ]
    assert teacher().scores(PAIRS).numpy() == pytest.approx(12 * np.array(ours), abs=0.1)


def test_half_of_the_listwise_loss_asks_for_its_order() -> None:
    scores = torch.tensor([0.0, 0.0, 3.0])
    theirs = torch.tensor([0.0, 0.0, 50.0])  # all of its weight on the third
    recipe = Recipe(binary=0.0)
    alone = float(ranker_task.cost(scores, (3,), recipe))
    together = float(ranker_task.cost(scores, (3,), recipe, theirs))
    of_the_third = alone - 3  # -log softmax, three higher than the first text's score
    assert together == pytest.approx((alone + of_the_third) / 2, abs=1e-5)


def test_absent_texts_of_a_short_group_have_no_part() -> None:
    scores, theirs = (
        torch.tensor([1.0, 0.0, 0.5, 2.0, 0.0]),
        torch.tensor([3.0, 1.0, 2.0, 1.0, 0.0]),
    )
    recipe = Recipe(binary=0.0)
    together = float(ranker_task.cost(scores, (2, 3), recipe, theirs))
    first = float(ranker_task.cost(scores[:2], (2,), recipe, theirs[:2]))
    second = float(ranker_task.cost(scores[2:], (3,), recipe, theirs[2:]))
    assert together == pytest.approx((first + second) / 2, abs=1e-6)


def test_an_adapter_without_a_head_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="--teacher has no head"):
        Teacher(weights.bundled_base(), Adapter({}, None), length=96)


def test_it_changes_what_is_learned_and_is_on_record(tmp_path: Path) -> None:
    groups = training_material.material(tmp_path)
    found = weights.bundled_encoder().adapter
    recipe = Recipe(depth=3, length=96, lines=6, negatives=2)
    weights_of = {}
    for name, given in (("alone", None), ("taught", found)):
        asked = training_material.job(groups, tmp_path / f"{name}.checkpoint", epochs=0.5)
        begun = train_reranker.Start(teacher=given)
        train_reranker.make(asked, recipe, tmp_path / name, silent, begun)
        weights_of[name] = (tmp_path / name / "model.safetensors").read_bytes()
        record = json.loads((tmp_path / name / "manifest.json").read_text("utf-8"))
        assert (record["teacher"] is None) == (given is None)
    assert weights_of["alone"] != weights_of["taught"]
