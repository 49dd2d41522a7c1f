"""Training the encoder: a stop in between, another seed, what is written, what is refused."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch

from retrieval.encoder import adapter, weights
from retrieval.encoder.bi_encoder import Embedder, ModelThread
from retrieval.errors import ConfigurationError
from tests.support.made import training_material
from tests.support.made.training_material import silent, stopper
from training import train_encoder
from training.learning import encoder_batches, held_out, material
from training.learning.checkpoint import Checkpoint
from training.learning.encoder import Encoder, parameters
from training.learning.encoder_batches import Sizes
from training.learning.encoder_task import Recipe
from training.learning.material import Line, Sources
from training.learning.pieces import buckets, short_and_long
from training.learning.schedule import Plan
from training.triples import Group

RECIPE = Recipe(length=32, dimension=16, sizes=Sizes(lines=6, negatives=1, whole=0.3))
EPOCHS = 1.3  # 5 steps of 22 lines, the last in the second epoch


@pytest.fixture(scope="module")
def groups_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return training_material.material(tmp_path_factory.mktemp("groups"))


@pytest.fixture(scope="module")
def trained(groups_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter of a few steps, and its manifest beside it."""
    folder = tmp_path_factory.mktemp("trained")
    return make(groups_file, folder)


def make(groups_file: Path, folder: Path, *, seed: int = 7, stop: int = 0) -> Path:
    asked = training_material.job(groups_file, folder / "checkpoint", epochs=EPOCHS, seed=seed)
    out = folder / "adapter.safetensors"
    train_encoder.make(asked, RECIPE, out, stopper(stop) if stop else silent)
    return out


def test_a_stopped_training_that_goes_on_is_one_without_a_stop(
    groups_file: Path, trained: Path, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        make(groups_file, tmp_path, stop=4)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]
    assert make(groups_file, tmp_path).read_bytes() == trained.read_bytes()
    manifests = [(path / "manifest.json").read_text() for path in (tmp_path, trained.parent)]
    assert manifests[0] == manifests[1]
    assert not (tmp_path / "checkpoint").exists()


def test_another_seed_gives_another_adapter(
    groups_file: Path, trained: Path, tmp_path: Path
) -> None:
    assert make(groups_file, tmp_path, seed=8).read_bytes() != trained.read_bytes()


def test_the_share_says_how_much_of_what_changed_is_written(
    groups_file: Path, trained: Path, tmp_path: Path
) -> None:
    asked = training_material.job(groups_file, tmp_path / "checkpoint", epochs=EPOCHS)
    train_encoder.make(asked, replace(RECIPE, share=1.0), tmp_path / "a.safetensors", silent)
    whole, half = (adapter.read(path) for path in (tmp_path / "a.safetensors", trained))
    for name, values in whole.differences.items():
        step = np.abs(values).max() / 50 + 2e-7  # of bytes, and of weights near 1 as floats
        assert np.allclose(half.differences[name], values / 2, atol=step), name
    assert whole.head
    assert half.head
    assert np.array_equal(half.head.projection, whole.head.projection)


@pytest.mark.parametrize("share", ["0", "1.1", "-1", "half"])
def test_a_share_that_is_none_is_refused(share: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        train_encoder.main(["--groups", "g", "--out", "o", "--share", share])
    assert "--share" in capsys.readouterr().err


def test_the_manifest_names_data_recipe_and_results(groups_file: Path, trained: Path) -> None:
    record = json.loads((trained.parent / "manifest.json").read_text("utf-8"))
    base = weights.bundled_base()
    assert record["base"] == {"name": base.name, "digest": base.digest}
    assert record["recipe"]["length"] == 32
    assert record["steps"] == 5
    counts = record["counts"]
    assert counts["lines"] + counts["held_out_lines"] == len(training_material.THINGS)
    for when in ("before", "trained", "written"):
        assert set(record["held_out"][when]) == {"dense", "late", "sum"}
        assert 0 < record["held_out"][when]["late"]["mrr"] <= 1


def test_the_embedder_gives_the_vectors_that_were_trained(
    groups_file: Path, trained: Path, tmp_path: Path
) -> None:
    base = weights.bundled_base()
    text = "what does a battle axe cost"
    served = Embedder(replace(base, adapter=trained), ModelThread()).question(text)
    found = adapter.read(trained)
    assert found.head is not None
    assert found.head.projection.shape == (16, 384)
    assert all(name.startswith("encoder.layer.") for name in found.differences)
    encoder = Encoder(base, length=32, dimension=16)
    adapter.apply(parameters(encoder.transformer), found)
    with torch.no_grad():
        encoder.projection.weight.copy_(torch.from_numpy(found.head.projection))
        mine = encoder.encode([text])
    np.testing.assert_allclose(served.vector, mine.vectors[0].numpy(), atol=1e-5)
    np.testing.assert_allclose(
        served.tokens.vectors, mine.tokens[0][mine.inner[0]].numpy(), atol=1e-5
    )


def test_a_checkpoint_of_another_training_is_refused(groups_file: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        make(groups_file, tmp_path, stop=4)
    with pytest.raises(ConfigurationError, match=r"seed = 7, not 8.*--checkpoint"):
        make(groups_file, tmp_path, seed=8)
    state = tmp_path / "checkpoint" / "training.pt"
    state.write_bytes(state.read_bytes()[:1000])
    with pytest.raises(ConfigurationError, match=r"training\.pt cannot be read.*delete it"):
        Checkpoint(state.parent, {}).read()


def test_encoding_apart_changes_no_vector() -> None:
    encoder = Encoder(weights.bundled_base(), length=64, dimension=8)
    texts = ["a torch"] * 15 + ["a torch burns for an hour " * 6, "one axe"]
    assert len(short_and_long([len(text) for text in texts])) == 2
    with torch.no_grad():
        found = encoder.encode(texts)
        for row in (0, 15, 16):
            alone = encoder.encode([texts[row]])
            torch.testing.assert_close(found.vectors[row], alone.vectors[0])
            torch.testing.assert_close(found.tokens[row][found.inner[row]], alone.tokens[0, 1:-1])
            alike = encoder.scores(alone, found)
            assert int(alike.late[0, row] >= alike.late.max() - 1e-5)


def test_a_text_that_is_right_as_well_is_no_negative() -> None:
    ours = Group("a", "q", ("one", "two"), ("three", "four"), (), ())
    rivals = [Line((Group("a", f"r{n}", ("two",), ("one",), (), ()),)) for n in range(3)]
    for seed in range(10):
        drawn = encoder_batches.batch(
            [Line((ours,)), *rivals], Sizes(lines=4, negatives=2, whole=0.0), Random(seed)
        )
        answer = drawn.texts[int(drawn.answers[0])]
        right = {drawn.texts[i] for i in np.flatnonzero(drawn.also_right[0].numpy())}
        assert right == {"one", "two"} - {answer}
        assert not drawn.also_right[1:].any()


def test_a_batch_holds_one_collection_and_no_line_twice() -> None:
    lines = [Line((Group(f"c{n % 3}/x", "q", (f"t{n}",), ("n",), (), ()),)) for n in range(60)]
    batches = encoder_batches.epoch(lines, Sizes(lines=6), Random(1))
    assert all(len({line.collection for line in batch}) == 1 for batch in batches)
    assert len({line.text for batch in batches for line in batch}) == sum(map(len, batches))


def test_nearer_negatives_are_drawn_more_often() -> None:
    draw = Random(1)
    found = [text for _ in range(300) for text in material.nearer("abcdefghij", 2, draw)]
    assert found.count("a") > 2 * found.count("j") > 0
    assert sorted(material.nearer("abc", 5, draw)) == ["a", "b", "c"]


def test_a_line_that_is_added_moves_no_other_into_the_held_out(groups_file: Path) -> None:
    before = {line.text for line in material.load(Sources(groups_file), Random(1)).held_out}
    after = {line.text for line in material.load(Sources(groups_file), Random(9)).held_out}
    assert before == after != set()


def test_foreign_groups_are_chosen_and_the_unusable_counted(
    groups_file: Path, tmp_path: Path
) -> None:
    foreign = tmp_path / "foreign.jsonl.gz"
    rows: list[dict[str, object]] = [
        {"src": "x/y", "q": f"q{n}", "pos": f"p{n}", "neg": ["n"]} for n in range(5)
    ]
    rows += [{"src": "x", "q": "q", "pos": None, "neg": ["n"]}]
    rows += [{"src": "x", "q": "q", "pos": "p", "neg": []}]
    with gzip.open(foreign, "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    found = material.load(Sources(groups_file, foreign, 3), Random(1))
    assert (len(found.foreign), found.left_out) == (3, 2)
    assert {line.collection for line in found.foreign} == {"x"}


def test_a_rank_counts_ties_against_the_right_text() -> None:
    assert held_out.rank(torch.tensor([0.5, 0.5, 0.9, 0.1])) == 3
    assert held_out.summary([1, 2]) == {"mrr": 0.75, "first": 0.5}
    assert held_out.summary([]) is None


def test_rates_rise_for_sixty_steps_and_end_at_zero() -> None:
    plan = Plan(steps=600, minutes=10)
    assert plan.factor(0, 0) == pytest.approx(1 / 60)
    assert plan.factor(300, 0) == pytest.approx(0.5)
    assert plan.factor(300, 450) == pytest.approx(0.25)
    assert plan.factor(600, 0) == 0
    with pytest.raises(ConfigurationError, match="--minutes or --epochs"):
        Plan()


def test_buckets_hold_every_row_once_and_little_padding() -> None:
    draw = Random(1)
    lengths = [draw.randint(10, 128) for _ in range(300)]
    found = buckets(lengths)
    assert sorted(row for rows in found for row in rows) == list(range(300))
    computed = sum(len(rows) * max(lengths[row] for row in rows) for rows in found)
    assert computed < 1.1 * sum(lengths)


def test_the_program_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "adapter.safetensors"
    missing = str(tmp_path / "no.jsonl.gz")
    assert train_encoder.main(["--groups", missing, "--out", str(out), "--epochs", "1"]) == 2
    assert "no.jsonl.gz cannot be read" in capsys.readouterr().err
