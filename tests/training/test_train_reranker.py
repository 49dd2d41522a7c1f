"""Training the cross-encoder: a stop in between, a folder that loads as it is, and its teacher."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from sentence_transformers import CrossEncoder

from retrieval.encoder import adapter, weights
from retrieval.encoder.adapter import Adapter
from retrieval.encoder.bi_encoder import Embedder, ModelThread
from retrieval.errors import ConfigurationError
from retrieval.ranking import late_interaction
from tests.support.made import training_material
from tests.support.made.training_material import silent, stopper
from training import train_reranker
from training.learning import ranker_task
from training.learning.material import Line
from training.learning.ranker import Ranker
from training.learning.ranker_task import Recipe
from training.learning.teacher import Teacher
from training.triples import Group

RECIPE = Recipe(depth=3, length=96, lines=6, negatives=2)
EPOCHS = 1.3  # 5 steps of 22 lines, the last in the second epoch


@pytest.fixture(scope="module")
def groups_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return training_material.material(tmp_path_factory.mktemp("groups"))


@pytest.fixture(scope="module")
def trained(groups_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cross-encoder of a few steps."""
    return make(groups_file, tmp_path_factory.mktemp("trained"))


def make(groups_file: Path, folder: Path, *, stop: int = 0) -> Path:
    asked = training_material.job(groups_file, folder / "checkpoint", epochs=EPOCHS)
    out = folder / "reranker"
    train_reranker.make(asked, RECIPE, out, stopper(stop) if stop else silent)
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_stopped_training_that_goes_on_is_one_without_a_stop(
    groups_file: Path, trained: Path, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        make(groups_file, tmp_path, stop=4)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]
    assert contents(make(groups_file, tmp_path)) == contents(trained)


def test_the_folder_loads_as_a_cross_encoder_with_raw_scores(trained: Path) -> None:
    model = CrossEncoder(
        str(trained), device="cpu", local_files_only=True, model_kwargs={"use_safetensors": True}
    )
    pairs = [("what does a drum cost", "A drum costs 30 gold."), ("a", "b " * 200)]
    found = model.predict(pairs, show_progress_bar=False)
    assert model.config.num_hidden_layers == 3
    files = weights.find(str(trained), offline=True)
    assert weights.max_tokens(files) == 96
    assert weights.reads_entries(files)
    tokens = model.tokenizer(*pairs[1], truncation=True)
    assert len(tokens["input_ids"]) == 96
    own = Ranker(weights.bundled_base(), depth=3, length=96, init=None)
    own.network.load_state_dict(model.model.state_dict())
    with torch.no_grad():
        mine = own.eval().scores(pairs)
    assert found.tolist() == pytest.approx(mine.tolist(), abs=1e-5)


def test_held_out_lines_are_measured_against_the_base(trained: Path) -> None:
    measured = json.loads((trained / "dev.json").read_text("utf-8"))
    assert measured["lines"] > 0
    assert 0 < measured["reranker"]["mrr"] <= 1
    assert measured["base_cosine"]["mrr"] > 0.5
    record = json.loads((trained / "manifest.json").read_text("utf-8"))
    assert (record["init"], record["recipe"]["depth"], record["steps"]) == ("base", 3, 5)


def test_scores_stand_in_the_order_of_the_pairs() -> None:
    torch.manual_seed(1)
    ranker = Ranker(weights.bundled_base(), depth=3, length=96, init=None)
    pairs = [("price of an axe", "an axe costs seven gold " * n) for n in (8, 1, 4, 2)]
    with torch.no_grad():
        together = ranker.scores(pairs)
        alone = torch.cat([ranker.scores([pair]) for pair in pairs])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=0)


def test_the_loss_is_listwise_and_a_third_binary() -> None:
    scores = torch.tensor([2.0, 0.0, 1.0, 1.0, 1.0])  # a question with 2 texts, one with 3
    listwise = (-2 + torch.log(torch.exp(torch.tensor(2.0)) + 1) + torch.log(torch.tensor(3.0))) / 2
    softplus = torch.nn.functional.softplus
    binary = (
        softplus(torch.tensor(-2.0)) + softplus(torch.tensor(0.0))
        + softplus(torch.tensor(-1.0)) + 2 * softplus(torch.tensor(1.0))
    ) / 5  # fmt: skip
    expected = float(listwise + 0.3 * binary)
    assert float(ranker_task.cost(scores, (2, 3), Recipe(binary=0.3))) == pytest.approx(
        expected, abs=1e-6
    )


def test_a_batch_holds_the_questions_of_a_line_with_one_answer_first() -> None:
    negatives = tuple(f"n{n}" for n in range(9))
    line = Line(tuple(Group("c", f"q{n}", ("p1", "p2"), negatives, (), ()) for n in range(5)))
    drawn = ranker_task.batch([line], Recipe(), Random(1))
    assert drawn.sizes == (6, 6, 6)
    assert len({drawn.pairs[at][0] for at in (0, 6, 12)}) == 3
    assert len({drawn.pairs[at][1] for at in (0, 6, 12)} & {"p1", "p2"}) == 1


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


def test_a_teacher_changes_what_is_learned_and_is_on_record(
    groups_file: Path, trained: Path, tmp_path: Path
) -> None:
    asked = training_material.job(groups_file, tmp_path / "checkpoint", epochs=EPOCHS)
    begun = train_reranker.Start(teacher=weights.bundled_encoder().adapter)
    train_reranker.make(asked, RECIPE, tmp_path / "taught", silent, begun)
    found = {}
    for name, folder in (("alone", trained), ("taught", tmp_path / "taught")):
        record = json.loads((folder / "manifest.json").read_text("utf-8"))
        found[name] = (record["teacher"], (folder / "model.safetensors").read_bytes())
    assert found["alone"][0] is None
    assert found["taught"][0]
    assert found["alone"][1] != found["taught"][1]
