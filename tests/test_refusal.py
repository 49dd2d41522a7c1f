"""Refusals: too little evidence, a false premise, and how the limit is fitted."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from api import refusal
from api.refusal import Fit, Signals
from evals import refusal_fit
from evals.refusal_fit import Example
from retrieval import sketch
from retrieval.errors import ConfigurationError, DatasetError
from retrieval.models import Candidate, Chunk, Entry, Evidence, Hit, SearchResult, Timings
from retrieval.sketch import Sketch

FIT = Fit(margin=2.0, words=0.5, threshold=1.2)
MODELS = {"encoder": "0" * 64, "reranker": "off"}
OTHERS = {**MODELS, "encoder": "1" * 64}
CHIMERA = "The chimera has three heads: a goat's, a lion's and a dragon's."


def vault(name: str, size: int) -> Sketch:
    return sketch.of(sha256(f"{name} {n}".encode()).hexdigest() for n in range(size))


VAULT = vault("rules", 64)


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
    *scores: float | None,
    hits: tuple[Hit, ...] | None = None,
    elsewhere: float = 0.0,
    vault: Sketch = (),
) -> SearchResult:
    shown = (hit("a.md", "A", "Something."),) if hits is None else hits
    trace = tuple(candidate(score) for score in scores)
    times = Timings(0.0, 0.0, 0.0)
    return SearchResult(question, shown, trace, "off", "off", 0.0, "1.1", times, elsewhere, vault)


def signals(best: float, margin: float, words: int, elsewhere: float = 0.0) -> Signals:
    return Signals(best, margin, words, 0.5, elsewhere)


def test_the_signals_are_of_the_whole_trace() -> None:
    found = result("How long does a torch burn?", 1.5, 1.4, None, 1.2, 1.1, 1.0, 0.2)
    given = refusal.signals(found)
    assert given is not None
    assert (given.best, round(given.margin, 6), given.words) == (1.5, 0.5, 3)
    assert (given.nearest, given.elsewhere) == (0.5, 0.0)
    assert refusal.signals(result("the", 1.5)) == signals(1.5, 0.0, 1)
    assert refusal.signals(result("torch", None)) is None


def test_what_is_under_the_limit_is_refused() -> None:
    assert refusal.evidence(signals(1.0, 0.1, 1), FIT) == pytest.approx(0.0)
    low, high = result("torch", 1.0, 0.95), result("torch", 1.3, 1.25)
    assert [refusal.refuses(found, FIT) for found in (low, high)] == [True, False]
    longer = result("torch lantern candle oil", 1.0, 0.95)  # as good a score for more words
    assert not refusal.refuses(longer, FIT)


def test_what_is_not_nearer_than_other_subjects_is_refused_however_well_it_is_found() -> None:
    near, far = (result("torch", 3.0, elsewhere=value) for value in (0.18, 0.14))
    assert [refusal.refuses(found, FIT) for found in (near, far)] == [True, False]
    assert not refusal.refuses(near, None)
    assert refusal.evidence(signals(3.0, 0.0, 1, 0.18), FIT) == pytest.approx(-0.02)


def test_by_how_much_the_rules_must_be_nearer_is_fitted_for_one_vault() -> None:
    fit = Fit(2.0, 0.5, 1.2, nearer=0.45, vault=VAULT)
    edited, other = VAULT[:40] + vault("new", 24), vault("other", 64)
    found = [result("torch", 3.0, elsewhere=0.1, vault=one) for one in (VAULT, edited, other)]
    assert [refusal.refuses(one, fit) for one in found] == [True, True, False]
    near = result("torch", 3.0, elsewhere=0.04, vault=VAULT)
    assert not refusal.refuses(near, fit)


def test_without_a_fit_only_nothing_is_refused() -> None:
    assert not refusal.refuses(result("torch", -5.0), None)
    assert refusal.refuses(result("torch", 5.0, hits=()), None)
    assert refusal.refuses(result("torch"), FIT)


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
    found = refusal.contradicted(question, hits)
    assert (found is not None) == fires
    if found:
        assert (found.passage, found.entry.quote) == (1, CHIMERA)


def test_no_passage_contradicts_nothing() -> None:
    assert refusal.contradicted("What does its 4th head do?", []) is None


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty refusal.json."""
    path = tmp_path / "refusal.json"
    path.write_text("[]", "utf-8")
    monkeypatch.setattr(refusal, "_FILE", path)
    return path


def test_a_fit_belongs_to_its_models(stored: Path) -> None:
    other = Fit(margin=0.0, words=0.1, threshold=0.3, nearer=0.4, vault=VAULT)
    refusal.write(MODELS, FIT, {"split": "calibration"})
    refusal.write(OTHERS, other, {"split": "calibration"})
    refusal.write(MODELS, FIT, {"split": "calibration", "ids": ["c"]})
    assert len(json.loads(stored.read_text("utf-8"))) == 2
    assert (refusal.find(MODELS), refusal.find(OTHERS)) == (FIT, other)
    assert refusal.find({**MODELS, "reranker": "x"}) is None


@pytest.mark.parametrize("text", ["", "{", "3", "[{}]", '[{"for": {}, "margin": "x"}]'])
def test_a_broken_file_is_said_to_be_one(stored: Path, text: str) -> None:
    stored.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=r"refusal\.json cannot be read"):
        refusal.find(MODELS)


def test_what_is_shipped_can_be_read() -> None:
    assert refusal.find({}) is None


def made(kind: str, count: int, best: float, per_word: float = 0.0) -> list[Example]:
    """Questions of 2 to 10 words whose best scores lie evenly within 0.4 from `best` on."""
    return [
        Example(
            kind,
            kind == "prose",
            signals(best + 0.4 * n / count + per_word * (n * 7 % 9), 0.1, 2 + n * 7 % 9),
        )
        for n in range(count)
    ]


def test_the_fit_refuses_the_share_that_was_aimed_at() -> None:
    known = made("prose", 100, 1.0) + made("offtopic", 20, 0.4)
    for aim in (0.02, 0.1):
        rule = refusal_fit.fit(known, aim)
        found = refusal_fit.shares(known, refusal_fit.refused(known, rule))
        assert found["answerable"] == pytest.approx(aim, abs=0.011)
        assert found["offtopic"] == 1.0


def test_length_is_taken_out_of_scores_and_is_no_evidence_itself() -> None:
    falling = refusal_fit.fit(made("prose", 100, 1.0, -0.05) + made("offtopic", 20, 0.4, -0.05))
    assert falling.words > 0.1
    level = made("prose", 100, 1.0)
    short = [Example("offtopic", False, signals(0.4 + 0.02 * n, 0.1, 1)) for n in range(20)]
    assert abs(refusal_fit.fit(level + short).words) < 0.05


def test_a_question_without_candidates_is_refused_and_not_fitted_to() -> None:
    known = made("prose", 50, 1.0) + made("offtopic", 10, 0.4)
    nothing = Example("offtopic", False, None)
    rule = refusal_fit.fit(known)
    assert refusal_fit.fit([*known, nothing]) == rule
    assert refusal_fit.refused([nothing], rule) == [True]


def test_cross_validation_judges_every_question_by_a_fit_on_others() -> None:
    known = made("prose", 50, 1.0) + made("offtopic", 10, 0.4)
    lone = Example("nearmiss", False, signals(1.1, 0.1, 5))  # as good as an answerable one
    found = refusal_fit.shares([*known, lone], refusal_fit.cross_validated([*known, lone]))
    assert (found["offtopic"], found["nearmiss"]) == (1.0, 0.0)
    assert 0.0 < found["answerable"] < 0.2


def test_one_kind_alone_cannot_be_fitted() -> None:
    for known in (made("prose", 20, 1.0), made("offtopic", 20, 1.0), []):
        with pytest.raises(DatasetError, match="too few to fit when to refuse"):
            refusal_fit.fit(known)
