"""The last word on the order: twins behind each other, superseded files behind all."""

import pytest

from retrieval.index.store import ScoredChunk
from retrieval.models import Chunk, SourceNote
from retrieval.ranking.fusion import Fused
from retrieval.ranking.precedence import Ranked, current_first, with_twins

OLD, NEW, OTHER = "hr/passwords-2024.md", "hr/passwords.md", "hr/devices.md"
LOW = float("-inf")  # a threshold that drops nothing
NOTES = {OLD: SourceNote(OLD, "Superseded"), OTHER: SourceNote(OTHER, "errata", "2nd", (OLD,))}


def ranked(*paths: str) -> list[Ranked]:
    """Candidates in this order, with the scores 1, 0.9, 0.8, …; all of the section "S"."""
    found = []
    for number, path in enumerate(paths):
        scored = ScoredChunk(number, Chunk(path, "S", 1, 2, "text"), 0.5)
        score = 1 - number / 10
        found.append(Ranked(Fused(scored, number + 1, 0.5, None, None, None, score), score, None))
    return found


def shown(found: list[Ranked]) -> list[tuple[str, float]]:
    return [(one.item.scored.chunk.path, round(one.score, 1)) for one in found]


def test_a_superseded_file_stands_behind_all_others_with_no_better_score() -> None:
    found = current_first(ranked(OLD, NEW, OTHER), NOTES, "how long must a password be?", LOW)
    assert shown(found) == [(NEW, 0.9), (OTHER, 0.8), (OLD, 0.8)]


@pytest.mark.parametrize(
    "question", ["passwords in 2024?", "What held in “2024”", "the old password rules"]
)
def test_a_question_for_its_year_finds_it_where_it_was(question: str) -> None:
    assert shown(current_first(ranked(OLD, NEW), NOTES, question, LOW))[0][0] == OLD


def test_a_question_with_another_number_does_not() -> None:
    assert shown(current_first(ranked(OLD, NEW), NOTES, "12 characters, 24?", LOW))[0][0] == NEW


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("in the 1ST edition", OLD),
        ("how did it go in the First Edition?", OLD),
        ("first ed. passwords", OLD),
        ("in the second edition", NEW),
        ("who goes first?", NEW),
    ],
)
def test_an_edition_counts_as_a_year(question: str, first: str) -> None:
    notes = {OLD: SourceNote(OLD, "obsolete", "1st")}
    assert shown(current_first(ranked(OLD, NEW), notes, question, LOW))[0][0] == first


def test_where_all_are_superseded_nothing_moves() -> None:
    assert shown(current_first(ranked(OLD, OLD), NOTES, "a password", LOW)) == [
        (OLD, 1.0),
        (OLD, 0.9),
    ]


def test_files_without_a_note_or_with_another_status_keep_their_order() -> None:
    rows = ranked(OTHER, NEW)
    assert current_first(rows, NOTES, "a password", LOW) == rows


def test_what_is_under_the_threshold_stands_behind_it() -> None:
    found = current_first(ranked(OLD, NEW, OTHER), NOTES, "a password", 0.85)
    assert shown(found) == [(NEW, 0.9), (OLD, 0.9), (OTHER, 0.8)]


def test_a_twin_stands_directly_behind_with_the_same_score() -> None:
    rows = ranked("a/Light.md", "x.md", "b/Light.md", "c/Light.md")
    assert shown(with_twins(rows, "how long is light")) == [
        ("a/Light.md", 1.0),
        ("b/Light.md", 1.0),
        ("x.md", 0.9),
        ("c/Light.md", 0.7),
    ]


def test_the_twin_whose_folder_alone_is_named_stands_first() -> None:
    rows = ranked("Mage Spells/Level 1/Light.md", "x.md", "Priest Spells/Level 2/Light.md")
    paths = [given.path for given in with_twins(rows, "how long is a priest's light")]
    assert paths == ["Priest Spells/Level 2/Light.md", "Mage Spells/Level 1/Light.md", "x.md"]
    for question in ("how long is light", "light of a mage or a priest", "a mage's light"):
        assert with_twins(rows, question)[0].path == "Mage Spells/Level 1/Light.md"


def test_a_twin_that_is_far_stays_there() -> None:
    rows = ranked("a/Light.md", *(f"{number}.md" for number in range(10)), "b/Light.md")
    assert with_twins(rows, "how long is light") == rows


BY_CHOICE = {OTHER: SourceNote(OTHER, "Optional", "1st")}


def near(*paths: str, gap: float) -> list[Ranked]:
    """Candidates in this order, each by `gap` less than the one before."""
    return [one._replace(score=1 - n * gap) for n, one in enumerate(ranked(*paths))]


def test_an_optional_file_gives_way_to_another_that_is_as_near() -> None:
    found = current_first(near(OTHER, NEW, gap=0.05), BY_CHOICE, "how long is a password", LOW)
    assert [one.item.scored.chunk.path for one in found] == [NEW, OTHER]
    assert found[0].score > found[1].score


def test_an_optional_file_that_is_much_nearer_stays_first() -> None:
    found = current_first(near(OTHER, NEW, gap=0.2), BY_CHOICE, "how long is a password", LOW)
    assert [one.item.scored.chunk.path for one in found] == [OTHER, NEW]


@pytest.mark.parametrize("question", ["the Optional rule on passwords", "passwords, 1st edition"])
def test_an_optional_file_that_is_asked_for_stays_where_it_is(question: str) -> None:
    rows = near(OTHER, NEW, gap=0.05)
    assert current_first(rows, BY_CHOICE, question, LOW) == rows


def test_no_optional_file_falls_under_the_threshold_for_being_one() -> None:
    (found,) = current_first(near(OTHER, gap=0.0), BY_CHOICE, "a password", 0.99)
    assert found.score == 0.99


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("do I have to do a trial day", "work/trial.md"),
        ("who does not have to do duty weeks", "work/trial.md"),
        ("what is a trial day", "work/glossary.md"),
        ("trial day", "work/glossary.md"),
        ("please explain what trial day means", "work/glossary.md"),
        ("tell me what a trial day is", "work/glossary.md"),
        ("so what is a trial day", "work/glossary.md"),
        ("where is the glossary kept", "work/glossary.md"),
        ("trial (test) day", "work/glossary.md"),
    ],
)
def test_a_glossary_gives_way_where_nothing_is_to_be_explained(question: str, first: str) -> None:
    found = ranked("work/glossary.md", "work/trial.md")
    near = [found[0], found[1]._replace(score=found[0].score - 0.05)]
    assert shown(current_first(near, {}, question, LOW))[0][0] == first
