"""How likely the first card answers: the fit, what it reads of a search, and what is decided."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.context import SearchContext, calibrated_for
from retrieval.errors import ConfigurationError
from retrieval.models import SearchResult
from retrieval.refusal import confidence, off_topic
from retrieval.refusal.confidence import NAMES, ConfidenceFit, features
from retrieval.search import search
from tests.support.index.ingested import IndexFiles

EVEN = ConfidenceFit(dict.fromkeys(NAMES, 0.0), 0.0, 0.5)  # says one half of everything
TORCH = "How long does a torch burn?"


@given(
    st.lists(st.floats(-5, 5), min_size=len(NAMES), max_size=len(NAMES)),
    st.sampled_from(range(len(NAMES))),
    st.floats(0, 5),
)
def test_the_probability_rises_with_what_has_a_weight(
    numbers: list[float], place: int, more: float
) -> None:
    fit = ConfidenceFit({name: (-1.0) ** n / 4 for n, name in enumerate(NAMES)}, 0.3, 0.5)
    before = np.array(numbers)
    after = before.copy()
    after[place] += more
    low, high = sorted([fit.probability(before), fit.probability(after)])
    assert 0.0 <= low <= high <= 1.0
    rises = fit.probability(after) >= fit.probability(before)
    assert rises or fit.weights[NAMES[place]] < 0


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty confidence.json."""
    path = tmp_path / "confidence.json"
    path.write_text("[]", "utf-8")
    monkeypatch.setattr(confidence, "_FILE", path)
    confidence._found.cache_clear()
    yield path
    confidence._found.cache_clear()


def keep(context: SearchContext, fit: ConfidenceFit) -> None:
    models = calibrated_for(context.settings, context.embedder, context.reranker)
    confidence.write(models, fit, {"n": 1})


def test_a_fit_is_kept_for_its_models(search_context: SearchContext, stored: Path) -> None:
    assert confidence.fitted(search_context) is None
    keep(search_context, EVEN)
    assert confidence.fitted(search_context) == EVEN
    off = search_context.settings.model_copy(update={"rag_late_interaction": False})
    assert confidence.fitted(replace(search_context, settings=off)) is None


def test_a_fit_of_other_features_says_what_to_run(
    search_context: SearchContext, stored: Path
) -> None:
    models = calibrated_for(
        search_context.settings, search_context.embedder, search_context.reranker
    )
    entry = {**asdict(EVEN), "weights": {"score": 1.0, "luck": 2.0}, "for": models}
    stored.write_text(json.dumps([entry]), "utf-8")
    with pytest.raises(ConfigurationError, match=r"\['luck', 'score'\].* python -m evals\.calibr"):
        confidence.fitted(search_context)


@pytest.mark.parametrize("text", ["", "{", "3", "[{}]"])
def test_a_broken_file_is_said_to_be_one(
    search_context: SearchContext, stored: Path, text: str
) -> None:
    stored.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=r"confidence\.json cannot be read"):
        confidence.fitted(search_context)


def test_what_is_decided_depends_on_the_limit(search_context: SearchContext, stored: Path) -> None:
    assert said(search_context, TORCH) == ("answered", None, None)
    for limit, certainty in ((0.5, "answered"), (0.51, "nearest")):
        keep(search_context, replace(EVEN, limit=limit))
        assert said(search_context, TORCH) == (certainty, 0.5, None)


def said(context: SearchContext, question: str) -> tuple[str, float | None, str | None]:
    found = search(context, question)
    return found.certainty, found.confidence, found.refusal


@pytest.mark.parametrize(
    "question", ["How do I undo my last git commit?", "Why does my car not start in the cold?"]
)
def test_another_subject_is_refused_without_any_confidence(
    search_context: SearchContext, stored: Path, question: str
) -> None:
    keep(search_context, EVEN)
    context = replace(search_context, threshold=-9.0)
    assert said(context, question) == ("refused", 0.0, "off_topic")


def foreign(found: SearchResult) -> SearchResult:
    """The same search, were the question much nearer to other subjects than to the rules."""
    return replace(found, off_topic_score=2.0, covered=-2.0, off_topic_limits=off_topic.FOR_ALL)


def named(found: SearchResult) -> bool:
    given = off_topic.signals(found)
    assert given
    return given.named


@pytest.mark.parametrize(
    "question",
    [
        "dagger", "What is a battle axe?", "Drowning", "weapon axe", "How do I drown someone?",
        "can anybody drown",
    ],
)  # fmt: skip
def test_what_the_vault_has_by_name_is_never_refused(
    search_context: SearchContext, question: str
) -> None:
    found = foreign(search(search_context, question))
    assert found.hits
    assert named(found)
    assert not off_topic.refuses(found)


def test_a_name_among_much_else_does_not_keep_a_question(search_context: SearchContext) -> None:
    found = foreign(
        search(search_context, "Which football club signed a dagger sponsor last season?")
    )
    assert not named(found)
    assert off_topic.refuses(found)
    assert not named(search(search_context, "What is it?"))


@pytest.mark.parametrize(
    ("question", "is_named"),
    [
        ("how do i get a klabauter off my neck", True),
        ("which football club signed a klabauter sponsor last season", False),
        ("how do i get a gull off my neck", False),  # no file is called so
    ],
)
def test_the_title_of_the_first_passage_keeps_a_question(
    index_files: IndexFiles, question: str, is_named: bool
) -> None:
    files = {
        "Klabauter.md": "# Klabauter\n\nA klabauter lets go when salt is thrown on it.\n",
        "Bread.md": "# Bread\n\nGulls steal bread from the table.\n",
        "Rolls.md": "# Rolls\n\n"
        + "".join(f"- For roll {n} you get loaf {n}.\n" for n in range(60)),
    }
    context = index_files(files, rag_threshold=-9.0)
    assert named(search(context, question)) is is_named


def test_the_features_are_numbers_with_names(indexed_rules: SearchContext) -> None:
    asked = "Does a torch burn in water?"
    found = search(indexed_rules, asked)
    first, last = found.hits[0], found.hits[-1]
    given = dict(zip(NAMES, features(found, asked), strict=True))
    assert np.isfinite(list(given.values())).all()
    assert given["drop"] == pytest.approx(first.score - last.score)
    assert given["weakest_first"] <= given["weakest_any"] <= 1
    assert given["matched_first"] <= given["matched_any"] <= 1
    assert (given["unnamed"], given["unsaid"], given["why"]) == (0.0, 0.0, 0.0)
    assert given["length"] == pytest.approx(np.log(7))


def test_a_reason_that_is_asked_for_and_a_number_that_is_not_there_count(
    search_context: SearchContext,
) -> None:
    found = search(search_context, "Why does a torch burn for 9 hours?")
    given = dict(zip(NAMES, features(found, "why does a torhc burn for 9 hours?"), strict=True))
    assert (given["why"], given["numbers"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("typed", "counts"),
    [
        ("A torch burns for one hour, why so short?", True),
        ("What is the reason a torch burns for an hour?", True),
        ("For what reason does a torch burn?", True),
        ("Can I light a torch without giving a reason?", False),
        ("Can I put it out for any reason?", False),
    ],
)
def test_a_reason_counts_wherever_it_is_asked_for(
    search_context: SearchContext, typed: str, *, counts: bool
) -> None:
    given = dict(zip(NAMES, features(search(search_context, TORCH), typed), strict=True))
    assert given["why"] == counts


@pytest.mark.parametrize(
    ("question", "unnamed", "unsaid"),
    [
        ("Max load of the jeans program?", 1.0, 0.0),
        ("Max load of the silk program?", 0.0, 0.0),
        ("What colour is silk?", 0.0, 1.0),
        ("Have insects ruined garments in the bazaar?", 0.0, 0.0),  # a sentence is no name
    ],
)
def test_a_row_that_nobody_named_and_a_kind_that_it_lacks_count(
    index_files: IndexFiles, question: str, unnamed: float, unsaid: float
) -> None:
    table = "| Program | Max load (kg) |\n|---|---|\n| Wool | 2 |\n| Silk | 1 |\n| Cotton | 7 |\n"
    rumours = (
        "# Rumours\n\n| What is told | Roll |\n|---|---|\n"
        "| Grey moths ate all the coats of the market in a single night. | 3 |\n"
        "| The old mill turns by itself whenever there is no moon at all. | 4 |\n"
    )
    context = index_files(
        {"Washing.md": f"# Washing\n\n## Programs\n\n{table}", "Rumours.md": rumours},
        rag_threshold=-9.0,
    )
    given = dict(zip(NAMES, features(search(context, question), question), strict=True))
    assert (given["unnamed"], given["unsaid"]) == (unnamed, unsaid)


def test_a_search_that_found_nothing_has_no_features(search_context: SearchContext) -> None:
    found = search(replace(search_context, threshold=99.0), TORCH)
    assert found.hits == ()
    with pytest.raises(ValueError, match="nothing was found"):
        features(found, TORCH)
    assert (found.certainty, found.confidence, found.refusal) == ("refused", 0.0, "no_passage")
