"""The order of a passage's own entries: nearness, words, fields and the number asked for."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.models import NO_TERMS, Entry, Terms
from retrieval.ranking.lines import QuestionWords, ranked, words_of
from tests.support.made.made_entries import entry, hit, learnt, row

HEADER = "| Level | Saving throw |"
LEVELS = [
    row("| 1-3 | 14 |", "Fighter", header=HEADER, line=5),
    row("| 4-6 | 12 |", "Fighter", header=HEADER, line=6),
    row("| 7–9 | 10 |", "Fighter", header=HEADER, line=7),
]
RANGE = entry("**Range:** 60 feet", "Light", line=3)
DURATION = entry("**Duration:** 6 turns", "Light", line=4)
EFFECT = entry("It makes a room bright.", "Light", line=6)
OF_LIGHT = learnt(*(("Light.md", one) for one in (RANGE, DURATION, EFFECT)))


def order(question: str, path: str, entries: list[Entry], known: Terms = NO_TERMS) -> list[int]:
    """The lines of a passage's entries, the best first; all are equally near to the question."""
    found = ranked(hit(path, *((one, 0.5) for one in entries)), QuestionWords.of(question, known))
    return [line.entry.first_line for line in found]


def test_the_nearest_entry_is_first_where_the_words_say_nothing() -> None:
    entries = [(entry("One.", line=1), 0.2), (entry("Two.", line=2), 0.6)]
    found = ranked(hit("a.md", *entries), QuestionWords.of("Unheard?", NO_TERMS))
    assert [(line.entry.first_line, line.nearness) for line in found] == [(2, 0.6), (1, 0.2)]


def test_late_interaction_tells_what_is_near_where_it_was_done() -> None:
    made = hit("a.md", (entry("One.", line=1), 0.9), (entry("Two.", line=2), 0.1))
    first, second = made.evidence
    made = replace(made, evidence=(replace(first, late_score=0.3), replace(second, late_score=0.4)))
    found = ranked(made, QuestionWords.of("Unheard?", NO_TERMS))
    assert [line.nearness for line in found] == [0.4, 0.3]


def test_of_equals_the_one_with_the_nearer_vector_stays_first() -> None:
    same = [entry(f"Number {n}.", line=n) for n in (3, 1, 2)]
    assert order("Unheard?", "a.md", same) == [3, 1, 2]


def test_words_of_the_question_add_up_to_a_fifth() -> None:
    known = learnt(("a.md", entry("A torch burns.")), ("b.md", entry("Water is wet.")))
    asked = QuestionWords.of("Does a torch burn?", known)
    both, one = entry("A torch burns.", line=1), entry("A torch is lit.", line=2)
    found = ranked(hit("a.md", (one, 0.5), (both, 0.5)), asked)
    assert [line.entry.first_line for line in found] == [1, 2]
    assert found[0].nearness == pytest.approx(0.5 + 0.2)
    share = known.weight("torch") / (known.weight("torch") + known.weight("burn"))
    assert found[1].nearness == pytest.approx(0.5 + 0.2 * share)
    assert asked.share(frozenset()) == 0.0


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What does a fighter of level 2 save?", 5),
        ("What does a fighter of level 5 save?", 6),
        ("What does a sixth or level six fighter save?", 6),
        ("What does a fighter of level 8 save?", 7),
    ],
)
def test_the_row_for_the_number_that_was_asked_for_is_first(question: str, line: int) -> None:
    assert order(question, "Fighter.md", LEVELS[::-1])[0] == line


def test_the_row_for_a_number_is_a_tenth_nearer() -> None:
    asked = QuestionWords.of("Level 5", NO_TERMS)
    found = ranked(hit("Fighter.md", *((one, 0.5) for one in LEVELS)), asked)
    assert [line.nearness - found[1].nearness for line in found] == pytest.approx([0.1, 0, 0])


def test_the_field_that_the_question_names_is_first() -> None:
    fields = [RANGE, EFFECT, DURATION]
    assert order("What is the duration of light?", "Light.md", fields, OF_LIGHT)[0] == 4
    assert order("What is the range of light?", "Light.md", fields[::-1], OF_LIGHT)[0] == 3


def test_the_field_that_is_asked_for_in_other_words_is_first() -> None:
    fields = [RANGE, EFFECT, DURATION]
    assert order("How long does light last?", "Light.md", fields, OF_LIGHT)[0] == 4
    assert order("How far does light reach?", "Light.md", [*fields[1:], RANGE], OF_LIGHT)[0] == 3


def test_a_table_of_keys_is_asked_for_its_fields_too() -> None:
    keys = [
        row("| Morale | 10 |", "Troll", header="| Armour Class | 5 |", line=3),
        row("| Hit Dice | 6+3 |", "Troll", header="| Armour Class | 5 |", line=4),
    ]
    known = learnt(*(("Troll.md", one) for one in keys))
    assert order("hit dice of a troll", "Troll.md", keys, known) == [4, 3]
    assert order("morale of a troll", "Troll.md", keys[::-1], known) == [3, 4]


def test_what_stands_for_the_whole_passage_counts_only_where_nothing_else_does() -> None:
    whole, part = entry("All of it.", kind="whole", line=1), entry("A part.", line=2)
    assert order("Unheard?", "a.md", [whole, part]) == [2]
    assert order("Unheard?", "a.md", [whole]) == [1]
    assert order("Unheard?", "a.md", []) == []


def test_a_row_says_what_its_columns_are() -> None:
    axe = row("| Battle axe | 7 |", header="| Weapon | Cost (gp) |")
    assert {"weapon", "cost", "gp", "battl", "axe", "7"} <= words_of(axe)


@given(st.lists(st.tuples(st.sampled_from(LEVELS), st.floats(-1, 1)), max_size=6))
def test_ranked_are_all_entries_best_first(scored: list[tuple[Entry, float]]) -> None:
    made = hit("Fighter.md", *scored)
    found = ranked(made, QuestionWords.of("A fighter of level 5", NO_TERMS))
    nearness = [line.nearness for line in found]
    assert nearness == sorted(nearness, reverse=True)
    assert sorted(line.entry.first_line for line in found) == sorted(
        one.entry.first_line for one in made.evidence
    )


def test_a_number_that_is_too_long_is_none() -> None:
    found = QuestionWords.of("Is 1234567 at least 5?", NO_TERMS).values
    assert [value.number for value in found] == [5]
