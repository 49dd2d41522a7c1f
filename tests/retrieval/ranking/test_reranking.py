"""A cross-encoder that is named in the settings orders the passages, and every report names it."""

import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from ingest import pipeline
from retrieval.context import SearchContext, open_context
from retrieval.encoder import weights
from retrieval.encoder.bi_encoder import Embedder, ModelThread
from retrieval.errors import ModelUnavailableError
from retrieval.ranking.reranking import CrossEncoderReranker, Passage
from retrieval.search import search
from retrieval.settings import Settings
from tests.support.servers.serving import serving

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = "a torch burns for one hour how long does fall deal damage weapon cost axe 1d6 water"
QUESTION = "How long does a torch burn?"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a cross-encoder of one small layer and random weights, as safetensors."""
    return build(tmp_path_factory.mktemp("models") / "tiny-cross-encoder")


def build(folder: Path, labels: Sequence[str] = ("LABEL_0",), says: int | None = None) -> Path:
    """Make a model with these labels; with `says` it gives that one, whatever it reads."""
    vocabulary = {word: number for number, word in enumerate(SPECIAL + WORDS.split())}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    torch.manual_seed(7)
    network = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=128,
            num_labels=len(labels),
            id2label=dict(enumerate(labels)),
            label2id={label: number for number, label in enumerate(labels)},
            initializer_range=1.0,
        )
    )
    if says is not None:
        with torch.no_grad():
            network.classifier.weight.zero_()
            chosen = torch.eye(max(2, len(labels)))[says, : len(labels)]
            network.classifier.bias.copy_(18 * chosen - 9)
    network.save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=128,
    ).save_pretrained(folder)
    assert (folder / "model.safetensors").is_file()
    return folder


@pytest.fixture
def reranked(
    indexed: Settings, model: Path, open_rules: Callable[[Settings], SearchContext]
) -> SearchContext:
    return open_rules(indexed.model_copy(update={"reranker_model": str(model)}))


def test_the_rerankers_scores_decide_the_order(reranked: SearchContext, model: Path) -> None:
    found = search(reranked, QUESTION)
    assert found.rerank == str(model)
    assert found.timings.rerank_ms > 0
    ranked = sorted(found.trace, key=lambda row: row.rerank_rank or 0)
    assert [row.rerank_rank for row in ranked] == list(range(1, len(found.trace) + 1))
    scores = [row.rerank_score for row in ranked if row.rerank_score is not None]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores) > 2
    returned = [row for row in ranked if row.fate == "returned"]
    assert [hit.chunk.id for hit in found.hits] == [row.chunk_id for row in returned]
    assert [hit.score for hit in found.hits] == [row.rerank_score for row in returned]


def test_the_rerankers_order_is_another_one(reranked: SearchContext) -> None:
    questions = (QUESTION, "How long does water fall?", "one hour axe", "cost damage weapon")
    orders = [[row.fused_rank for row in search(reranked, q).trace] for q in questions]
    assert any(order != sorted(order) for order in orders)


def test_the_scores_are_the_models_own(reranked: SearchContext) -> None:
    assert isinstance(reranked.reranker, CrossEncoderReranker)
    found = search(reranked, QUESTION, top_k=50)
    passages = [Passage(hit.chunk, "") for hit in found.hits]
    again = reranked.reranker.scores(QUESTION, passages)
    assert again == pytest.approx([hit.score for hit in found.hits], abs=1e-5)


def test_a_model_that_was_trained_on_entries_reads_the_nearest_entry(
    indexed: Settings, model: Path, tmp_path: Path, open_rules: Callable[[Settings], SearchContext]
) -> None:
    folder = shutil.copytree(model, tmp_path / "of-entries")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "reads": "entries"}), "utf-8")
    rules = open_rules(indexed.model_copy(update={"reranker_model": str(folder)}))
    (hit,) = search(rules, QUESTION, top_k=1).hits
    assert isinstance(rules.reranker, CrossEncoderReranker)
    nearest = max(hit.evidence, key=lambda found: found.score).entry.text
    (of_entry,) = rules.reranker.scores(QUESTION, [Passage(hit.chunk, nearest)])
    (of_nothing,) = rules.reranker.scores(QUESTION, [Passage(hit.chunk, "")])
    assert hit.score == pytest.approx(of_entry, abs=1e-5)
    assert of_entry != pytest.approx(of_nothing, abs=1e-4)


def test_candidates_past_the_limit_are_not_read(reranked: SearchContext) -> None:
    few = replace(reranked, settings=reranked.settings.model_copy(update={"rag_candidates": 2}))
    trace = search(few, QUESTION, top_k=1).trace
    read = [row for row in trace if row.rerank_rank is not None]
    assert {row.fused_rank for row in read} == {1, 2}
    assert {row.fate for row in trace if row.rerank_rank is None} == {"candidates"}
    assert len(trace) > 2


def test_as_many_are_read_as_are_asked_for(reranked: SearchContext) -> None:
    few = replace(reranked, settings=reranked.settings.model_copy(update={"rag_candidates": 1}))
    found = search(few, QUESTION, top_k=3)
    assert (len(found.hits), {row.fate for row in found.trace[:3]}) == (3, {"returned"})


def test_passages_that_are_not_read_whole_are_counted(
    reranked: SearchContext, caplog: pytest.LogCaptureFixture
) -> None:
    assert isinstance(reranked.reranker, CrossEncoderReranker)
    short = search(reranked, QUESTION).hits[0].chunk
    caplog.clear()
    room = 128 - 3 - 7  # [CLS], [SEP] twice; "How long does a torch burn ?"
    whole = replace(short, heading="", context="", text="axe " * room)
    reranked.reranker.scores(QUESTION, [Passage(short, ""), Passage(whole, "")])
    assert caplog.messages == []
    longer = replace(whole, text="axe " * (room + 1))
    passages = [Passage(chunk, "") for chunk in (longer, short, longer)]
    reranked.reranker.scores(QUESTION, passages)
    (message,) = caplog.messages
    assert message.startswith("2 of 3 passages are longer than the 128 tokens")
    assert message.endswith("their ends were not read")


def test_an_encoder_as_it_is_saved_today_says_its_limit(model: Path) -> None:
    files = weights.find(str(model), offline=True)
    with closing(ModelThread()) as thread:
        assert Embedder(files, thread).limit == 128


def test_a_threshold_of_the_operator_is_on_the_rerankers_scores(reranked: SearchContext) -> None:
    best = search(reranked, QUESTION).hits[0].score
    assert len(search(replace(reranked, threshold=best), QUESTION).hits) == 1
    assert search(replace(reranked, threshold=best + 1), QUESTION).hits == ()


def test_without_a_fitted_threshold_nothing_is_dropped(indexed: Settings, model: Path) -> None:
    settings = indexed.model_copy(update={"reranker_model": str(model), "rag_threshold": None})
    with open_context(settings) as context:
        assert context.threshold == float("-inf")


def test_the_api_names_the_reranker(indexed: Settings, model: Path) -> None:
    with serving(indexed.model_copy(update={"reranker_model": str(model)})) as served:
        assert served.get("/readyz").json()["rerank"] == str(model)
        reply = served.post("/search", json={"question": QUESTION, "explain": True}).json()
        assert reply["rerank"] == str(model)
        assert all(row["rerank_rank"] for row in reply["trace"])


def test_off_says_off(settings: Settings, open_rules: Callable[[Settings], SearchContext]) -> None:
    rules = open_rules(settings)
    pipeline.run(rules, settings.vault)
    found = search(rules, QUESTION)
    assert (found.rerank, rules.reranker, found.timings.rerank_ms < 1) == ("off", None, True)
    assert all(row.rerank_rank is row.rerank_score is None for row in found.trace)


@pytest.mark.parametrize("setting", ["reranker_model", "embedding_model"])
def test_weights_of_other_formats_are_refused(
    indexed: Settings,
    model: Path,
    tmp_path: Path,
    setting: str,
    open_rules: Callable[[Settings], SearchContext],
) -> None:
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((model / name).read_bytes())
    torch.save({}, tmp_path / "pytorch_model.bin")
    (tmp_path / "model.onnx").touch()
    settings = indexed.model_copy(update={setting: str(tmp_path)})
    with pytest.raises(ModelUnavailableError, match=r"no \.safetensors.*pickles are not loaded"):
        open_rules(settings)


def test_a_model_that_is_not_here_is_refused_offline(
    indexed: Settings, open_rules: Callable[[Settings], SearchContext]
) -> None:
    settings = indexed.model_copy(update={"reranker_model": "nobody/no-such-model"})
    with pytest.raises(ModelUnavailableError, match="HF_HUB_OFFLINE=false"):
        open_rules(settings)
