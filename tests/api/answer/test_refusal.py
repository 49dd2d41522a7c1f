"""Refusals: another subject, a false premise, and how the limit is fitted."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from evals.fitting import refusal
from evals.fitting.refusal import Example
from retrieval.errors import ConfigurationError, DatasetError
from retrieval.models import Candidate, Chunk, Entry, Evidence, Hit, SearchResult, Timings
from retrieval.refusal import minhash, off_topic, premise
from retrieval.refusal.minhash import Sketch
from retrieval.refusal.off_topic import OffTopicFit, Signals

MODELS = {"encoder": "0" * 64, "reranker": "off"}
OTHERS = {**MODELS, "encoder": "1" * 64}
CHIMERA = "The chimera has three heads: a goat's, a lion's and a dragon's."


def vault(name: str, size: int) -> Sketch:
    return minhash.of(sha256(f"{name} {n}".encode()).hexdigest() for n in range(size))


VAULT = vault("rules", 64)
FIT = OffTopicFit(covered=0.2, nearer=0.4, vault=VAULT)


def candidate(score: float | None) -> Candidate:
    return Candidate("a.md:1", 1, 0.5, None, None, None, 1, 0.5, None, None, score, "returned")


def hit(path: str, heading: str, *sentences: str) -> Hit:
    found = tuple(
        Evidence(Entry("sentences", heading, n, n, text, "", f"{heading}: ", text), 0.5)
        for n, text in enumerate(sentences, start=1)
    )
    return Hit(Chunk(path, heading, 1, len(sentences), "\n".join(sentences)), 1.0, found)


def result(
    question: str,
    *scores: float,
    hits: tuple[Hit, ...] | None = None,
    elsewhere: float = 0.0,
    covered: float | None = None,
    vault: Sketch = VAULT,
) -> SearchResult:
    """What a search found whose nearest candidate has a cosine of 0.5."""
    shown = (hit("a.md", "A", "Something."),) if hits is None else hits
    trace = tuple(candidate(score) for score in scores)
    return SearchResult(
        question, shown, trace, "off", "off", 0.0, "1.1", Timings(0.0, 0.0, 0.0),
        elsewhere=elsewhere, covered=covered, vault=vault,
    )  # fmt: skip


def signals(nearer: float, covered: float | None = None) -> Signals:
    return Signals(nearer, covered, VAULT)


def test_the_signals_are_of_the_whole_trace() -> None:
    found = result("How long does a torch burn?", 1.5, 1.4, elsewhere=0.2, covered=0.3)
    assert off_topic.signals(found) == Signals(0.5 - 0.2, 0.3, VAULT)
    assert off_topic.signals(result("torch")) is None


def test_the_words_count_with_half_of_what_the_vectors_say() -> None:
    assert off_topic.subject(signals(0.4, 0.1)) == pytest.approx(0.3)
    assert off_topic.subject(signals(0.4)) == 0.4
    assert off_topic.over_limit(signals(0.4, 0.1), FIT) == pytest.approx(0.1)
    assert off_topic.over_limit(signals(0.37), FIT) == pytest.approx(-0.03)


@pytest.mark.parametrize(
    ("elsewhere", "covered", "refused"),
    [(0.05, None, False), (0.15, None, True), (0.3, 0.15, False), (0.3, 0.05, True)],
)
def test_what_is_not_nearer_than_other_subjects_is_refused_however_well_it_is_found(
    elsewhere: float, covered: float | None, refused: bool
) -> None:
    found = result("torch", 3.0, elsewhere=elsewhere, covered=covered)
    assert off_topic.refuses(found, FIT) == refused
    assert not off_topic.refuses(found, None)


def test_by_how_much_the_rules_must_be_nearer_is_fitted_for_one_vault() -> None:
    fit = OffTopicFit(covered=0.4, nearer=0.45, vault=VAULT)
    edited, other = VAULT[:40] + vault("new", 24), vault("other", 64)
    for covered in (None, 0.1):
        found = [
            result("torch", 3.0, elsewhere=0.1, covered=covered, vault=one)
            for one in (VAULT, edited, other)
        ]
        assert [off_topic.refuses(one, fit) for one in found] == [True, True, False]
    near = result("torch", 3.0, elsewhere=0.04)
    assert not off_topic.refuses(near, fit)


def test_without_a_fit_only_nothing_is_refused() -> None:
    assert not off_topic.refuses(result("torch", -5.0), None)
    assert off_topic.refuses(result("torch", 5.0, hits=()), None)
    assert off_topic.refuses(result("torch"), FIT)


@pytest.mark.parametrize(
    ("question", "fires"),
    [
        ("How old must a chimera be to grow its 4th head?", True),
        ("What does the fifth head of a chimera do?", True),
        ("What do the chimera's four heads eat?", True),
        ("Which of the three heads of a chimera breathes fire?", False),
        ("What does its 2nd head do, of the chimera?", False),
        ("How many heads has a chimera?", False),
        ("Can a chimera with 4 heads fly?", False),  # asked, not taken for granted
        ("What does the 4th claw of a chimera do?", False),
        ("What does the 4th head of a hydra do?", False),  # another subject's passage
    ],
)
def test_more_parts_than_the_rule_counts_are_a_false_premise(question: str, fires: bool) -> None:
    hits = [hit("Monsters/Chimera.md", "Chimera", "It flies.", CHIMERA)]
    found = premise.contradicted(question, hits)
    assert (found is not None) == fires
    if found:
        assert found.entry.quote == CHIMERA


def test_no_passage_contradicts_nothing() -> None:
    assert premise.contradicted("What does its 4th head do?", []) is None


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty refusal.json."""
    path = tmp_path / "refusal.json"
    path.write_text("[]", "utf-8")
    monkeypatch.setattr(off_topic, "_FILE", path)
    return path


def test_a_fit_belongs_to_its_models(stored: Path) -> None:
    other = OffTopicFit(covered=0.1, nearer=0.3, vault=vault("other", 64))
    off_topic.write(MODELS, FIT, {"split": "calibration"})
    off_topic.write(OTHERS, other, {"split": "calibration"})
    off_topic.write(MODELS, FIT, {"split": "calibration", "ids": ["c"]})
    assert len(json.loads(stored.read_text("utf-8"))) == 2
    assert (off_topic.find(MODELS), off_topic.find(OTHERS)) == (FIT, other)
    assert off_topic.find({**MODELS, "reranker": "x"}) is None


@pytest.mark.parametrize("text", ["", "{", "3", "[{}]", '[{"for": {}, "covered": "x"}]'])
def test_a_broken_file_is_said_to_be_one(stored: Path, text: str) -> None:
    stored.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=r"refusal\.json cannot be read"):
        off_topic.find(MODELS)


def test_what_is_shipped_can_be_read() -> None:
    assert off_topic.find({}) is None


def made(kind: str, count: int, lowest: float, *, words: bool = True) -> list[Example]:
    """Questions by how much nearer they are: evenly within 0.4 from `lowest` on."""
    steps = [lowest + 0.4 * n / count for n in range(count)]
    told = [signals(0.0, step) if words else signals(step) for step in steps]
    return [Example(kind, kind == "prose", one) for one in told]


@pytest.mark.parametrize("words", [True, False])
def test_the_fit_refuses_the_share_that_was_aimed_at(words: bool) -> None:
    known = made("prose", 100, 0.3, words=words) + made("offtopic", 20, -0.2, words=words)
    for aim in (0.02, 0.1):
        rule = refusal.fit(known, aim)
        found = refusal.shares(known, refusal.refused(known, rule))
        assert found["answerable"] == pytest.approx(aim, abs=0.011)
        assert found["offtopic"] == 1.0
        assert rule.vault == VAULT


def test_both_limits_are_fitted_and_the_words_one_is_that_of_other_vaults_without_words() -> None:
    told = [Example("prose", True, signals(0.5 + 0.01 * n, 0.2)) for n in range(50)]
    rule = refusal.fit(told, 0.0)
    assert (rule.nearer, rule.covered) == (0.5, 0.45)
    assert refusal.fit(made("prose", 50, 0.3, words=False)).covered == off_topic.COVERED


def test_a_question_without_candidates_is_refused_and_not_fitted_to() -> None:
    known = made("prose", 50, 0.3)
    nothing = Example("offtopic", False, None)
    rule = refusal.fit(known)
    assert refusal.fit([*known, nothing]) == rule
    assert refusal.refused([nothing], rule) == [True]
    with pytest.raises(DatasetError, match="4 answerable questions: too few"):
        refusal.fit([*known[:4], nothing])


def test_cross_validation_judges_every_question_by_a_fit_on_others() -> None:
    known = made("prose", 50, 0.3) + made("offtopic", 10, -0.2)
    lone = Example("nearmiss", False, signals(0.0, 0.5))  # as good as an answerable one
    found = refusal.shares([*known, lone], refusal.cross_validated([*known, lone]))
    assert (found["offtopic"], found["nearmiss"]) == (1.0, 0.0)
    assert 0.0 < found["answerable"] < 0.2
