"""Refusals: another subject, a false premise, and how the limit is fitted."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evals.fitting import refusal
from evals.fitting.refusal import Example
from ingest import pipeline
from retrieval.context import SearchContext, calibrated_for
from retrieval.errors import ConfigurationError, DatasetError
from retrieval.models import Chunk, Entry, Evidence, Hit, OffTopicLimits, SearchResult
from retrieval.refusal import off_topic
from retrieval.refusal.off_topic import Signals
from retrieval.search import search
from retrieval.search_trace import Candidate, Timings
from retrieval.settings import Settings

MODELS = {"encoder": "0" * 64, "reranker": "off"}
OTHERS = {**MODELS, "encoder": "1" * 64}
LIMITS = OffTopicLimits(covered=0.2, nearer=0.4)


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
    off_topic_score: float = 0.0,
    covered: float | None = None,
    limits: OffTopicLimits | None = LIMITS,
) -> SearchResult:
    """What a search found whose nearest candidate has a cosine of 0.5."""
    shown = (hit("a.md", "A", "Something."),)
    trace = tuple(candidate(score) for score in scores)
    return SearchResult(
        question, shown, trace, "off", "off", 0.0, "1.1", Timings(0.0, 0.0, 0.0),
        off_topic_score=off_topic_score, covered=covered, off_topic_limits=limits,
    )  # fmt: skip


def test_the_signals_are_of_the_whole_trace() -> None:
    found = result("How long does a torch burn?", 1.5, 1.4, off_topic_score=0.2, covered=0.3)
    assert off_topic.signals(found) == Signals(0.5 - 0.2, 0.3)
    assert off_topic.signals(result("torch")) is None


def test_the_words_count_with_half_of_what_the_vectors_say() -> None:
    assert off_topic.subject(Signals(0.4, 0.1)) == pytest.approx(0.3)
    assert off_topic.subject(Signals(0.4, None)) == 0.4
    assert off_topic.over_limit(Signals(0.4, 0.1), LIMITS) == pytest.approx(0.1)
    assert off_topic.over_limit(Signals(0.37, None), LIMITS) == pytest.approx(-0.03)
    assert off_topic.over_limit(Signals(0.4, 0.1, few_said=True), LIMITS) == pytest.approx(0.16)


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        ("rent a boat", False),
        ("how much to rent some boat?", False),
        ("rent a yacht", True),  # no passage says one
        ("how do I rent a boat that floats", True),  # more than two words
        ("what is it", True),
    ],
)
def test_what_is_asked_in_few_words_that_a_file_says_may_be_a_little_under_the_limit(
    question: str, refused: bool
) -> None:
    found = result(question, 1.5, off_topic_score=0.3, covered=0.06)
    boats, rents = hit("a.md", "A", "A boat floats."), hit("a.md", "B", "Some of them are to rent.")
    elsewhere = hit("b.md", "Rents", "No passage of its own file says what floats.")
    assert off_topic.refuses(replace(found, hits=(boats, elsewhere, rents))) is refused
    assert off_topic.refuses(replace(found, hits=(boats, elsewhere)))


@pytest.mark.parametrize(
    ("off_topic_score", "covered", "refused"),
    [(0.05, None, False), (0.15, None, True), (0.3, 0.15, False), (0.3, 0.05, True)],
)
def test_what_is_not_nearer_than_other_subjects_is_refused_however_well_it_is_found(
    off_topic_score: float, covered: float | None, refused: bool
) -> None:
    found = result("torch", 3.0, off_topic_score=off_topic_score, covered=covered)
    assert off_topic.refuses(found) == refused
    assert not off_topic.refuses(replace(found, off_topic_limits=None))  # nothing was fitted


@pytest.mark.parametrize(
    ("covered", "is_doubtful", "refused"),
    [(0.26, False, False), (0.24, True, False), (0.18, True, False), (0.16, False, True)],
)
def test_what_is_a_little_under_a_limit_that_nothing_was_fitted_on_is_doubtful(
    covered: float, is_doubtful: bool, refused: bool
) -> None:
    limits = OffTopicLimits(covered=0.25, nearer=0.4, doubtful=0.08)
    found = result("torch", 3.0, off_topic_score=0.5, covered=covered, limits=limits)
    assert (off_topic.is_doubtful(found), off_topic.refuses(found)) == (is_doubtful, refused)
    fitted = replace(found, off_topic_limits=limits._replace(doubtful=0.0))
    assert not off_topic.is_doubtful(fitted)
    assert off_topic.refuses(fitted) == (covered < 0.25)


def test_a_fit_belongs_to_its_models_and_to_the_vault_it_stands_in(tmp_path: Path) -> None:
    assert off_topic.of_vault(tmp_path) == []
    off_topic.write(tmp_path, MODELS, LIMITS, {"split": "calibration"})
    off_topic.write(tmp_path, OTHERS, OffTopicLimits(0.1, 0.3), {"split": "calibration"})
    off_topic.write(tmp_path, MODELS, LIMITS, {"split": "calibration", "ids": ["c"]})
    assert off_topic.of_vault(tmp_path) == [
        {"for": OTHERS, "covered": 0.1, "nearer": 0.3},
        {"for": MODELS, "covered": 0.2, "nearer": 0.4},
    ]


@pytest.mark.parametrize("text", ["", "{", "3", "[{}]", '[{"for": {}, "covered": "x"}]'])
def test_a_broken_file_is_said_to_be_one(tmp_path: Path, text: str) -> None:
    (tmp_path / off_topic.FILE).write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=r"off_topic\.json cannot be read"):
        off_topic.of_vault(tmp_path)


def test_an_ingest_keeps_the_limits_of_its_vault_with_the_generation(
    settings: Settings, open_rules: Callable[[Settings], SearchContext]
) -> None:
    context = open_rules(settings)
    models = calibrated_for(settings, context.embedder, context.reranker)

    def limits() -> OffTopicLimits | None:
        pipeline.run(context, settings.vault)
        result = search(context, "How long does a torch burn?")
        entries.append(result.terms.entries)
        return result.off_topic_limits

    entries: list[int] = []
    assert limits() == off_topic.of_size(entries[0])
    high = OffTopicLimits(covered=9.0, nearer=9.0)
    off_topic.write(settings.vault, models, high, {})
    assert limits() == high
    refused = search(context, "For which time can we see with our light?")
    assert (refused.certainty, refused.confidence, refused.refusal) == ("refused", 0.0, "off_topic")
    off_topic.write(settings.vault, models, LIMITS, {})
    pipeline.run(context, settings.vault, rebuild=True)
    assert limits() == LIMITS
    (settings.vault / off_topic.FILE).unlink()
    assert limits() == off_topic.of_size(entries[0])


def test_the_fewer_entries_a_vault_has_the_less_is_refused() -> None:
    limits = [off_topic.of_size(entries).covered for entries in (0, 1, 15, 100, 1_000, 100_000)]
    assert limits == sorted(limits)
    assert limits[0] == limits[1] == -0.5
    assert limits[-2:] == [off_topic.FOR_ALL.covered] * 2


def made(kind: str, count: int, lowest: float, *, words: bool = True) -> list[Example]:
    """Questions by how much nearer they are: evenly within 0.4 from `lowest` on."""
    steps = [lowest + 0.4 * n / count for n in range(count)]
    told = [Signals(0.0, step) if words else Signals(step, None) for step in steps]
    return [Example(kind, kind == "prose", one) for one in told]


@pytest.mark.parametrize("words", [True, False])
def test_the_fit_refuses_the_share_that_was_aimed_at(words: bool) -> None:
    known = made("prose", 100, 0.3, words=words) + made("offtopic", 20, -0.2, words=words)
    for aim in (0.02, 0.1):
        rule = refusal.fit(known, aim)
        found = refusal.shares(known, refusal.refused(known, rule))
        assert found["answerable"] == pytest.approx(aim, abs=0.011)
        assert found["offtopic"] == 1.0


def test_both_limits_are_fitted_and_the_words_one_is_that_of_other_vaults_without_words() -> None:
    told = [Example("prose", True, Signals(0.5 + 0.01 * n, 0.2)) for n in range(50)]
    rule = refusal.fit(told, 0.0)
    assert (rule.nearer, rule.covered) == (0.5, 0.45)
    assert refusal.fit(made("prose", 50, 0.3, words=False)).covered == off_topic.FOR_ALL.covered


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
    lone = Example("nearmiss", False, Signals(0.0, 0.5))  # as good as an answerable one
    found = refusal.shares([*known, lone], refusal.cross_validated([*known, lone]))
    assert (found["offtopic"], found["nearmiss"]) == (1.0, 0.0)
    assert 0.0 < found["answerable"] < 0.2
