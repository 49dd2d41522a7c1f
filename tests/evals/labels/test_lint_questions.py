"""`evals.lint`: a question that contradicts itself, another one or its vault is named."""

import pytest

from tests.support.index.plants import AXE, TORCH, answerable, finding, findings, unanswerable

pytestmark = pytest.mark.usefixtures("planted")


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (answerable(answer=""), "torch: kind 'prose' without answer"),
        (answerable(must_include=[]), "torch: kind 'prose' without must_include"),
        (answerable(absent=["laser"]), "torch: kind 'prose' with absent"),
        (
            answerable(kind="multi"),
            "torch: kind 'multi' with one gold: name two, or change the kind",
        ),
        (answerable(split=""), "torch: split is '', not calibration or gate"),
        (answerable(split="test"), "torch: split is 'test', not calibration or gate"),
        (
            answerable(split="calibration", critical=True),
            "torch: critical, but its split is 'calibration': only the gate loses by it",
        ),
        (
            answerable(must_include=["hour", "2 hours|two hours"]),
            "torch: must_include '2 hours|two hours' is not in the answer 'One hour'",
        ),
        (
            answerable(must_include=["one hour|"]),
            "torch: must_include 'one hour|' has an empty alternative, which every answer includes",
        ),
        (
            answerable(must_not_include=["hour"]),
            "torch: must_not_include 'hour' is in the answer 'One hour'",
        ),
        (unanswerable(why_unanswerable=""), "laser: kind 'offtopic' without why_unanswerable"),
        (unanswerable(absent=[]), "laser: kind 'offtopic' without absent"),
        (unanswerable(answer="9 gp"), "laser: kind 'offtopic' with answer"),
        (unanswerable(must_include=["9"]), "laser: kind 'offtopic' with must_include"),
    ],
)
def test_fields_that_contradict_the_kind_are_named(row: dict[str, object], what: str) -> None:
    assert finding(row) == f"q.jsonl:1: {what}"


def test_a_paraphrase_in_the_words_of_its_gold_lines_is_named() -> None:
    row = answerable(kind="paraphrase", question="How much time until my torches stop burning?")
    assert finding(row) == (
        'q.jsonl:1: torch: a paraphrase, yet it shares "burning", "torches" with vault/torches.md:3'
    )


def test_a_paraphrase_in_other_words_passes() -> None:
    row = answerable(kind="paraphrase", question="When does this flaming stick give up?")
    assert findings(row) == []


def test_a_question_asked_twice_is_named_and_so_is_the_other_split() -> None:
    again = answerable(id="again", question="how long does a TORCH last", gold=[AXE])
    assert finding(answerable(), again) == (
        "q.jsonl:2: again: near-duplicate: asks the same as torch (line 1)"
    )
    assert finding(answerable(), again | {"split": "calibration"}).endswith(
        "asks the same as torch (line 1), across splits: that is in gate"
    )


def test_a_question_asked_in_nearly_the_same_words_is_named() -> None:
    again = answerable(id="again", question="How long do a torch last??", gold=[AXE])
    assert "near-duplicate: asks 9" in finding(answerable(), again)


def test_follow_ups_are_compared_with_what_they_follow() -> None:
    rows = [
        answerable(
            id="torch", question="and for how long?", history=["Does a torch light a room?"]
        ),
        answerable(id="axe", question="and for how long?", history=["Can one swing an axe well?"]),
    ]
    assert findings(*rows) == []


@pytest.mark.parametrize(
    "quote", [TORCH["quote"], "burns for one hour. It goes", "torch burns for"]
)
def test_a_quote_of_both_splits_is_named(quote: str) -> None:
    other = answerable(
        id="other", question="What about flames?", split="calibration",
        gold=[{"path": "torches.md", "quote": quote}, TORCH],
    )  # fmt: skip
    found = findings(answerable(), other)
    assert len(found) >= 1
    assert all(f.startswith('q.jsonl:2: other: shares the quote "') for f in found)
    assert all(f.endswith('" with torch (line 1), which is in gate') for f in found)


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("halberd|HAND AXE", 'matches "hand axe" at vault/arms/weapons.md:6'),
        ("battle  axe", 'matches "battle axe" at vault/arms/weapons.md:5'),
        ("^#", 'matches "#" at vault/arms/weapons.md:1 (and in 1 more)'),
        ("laser(", "does not compile: missing ), unterminated subpattern at position 5"),
        ("(?-i:Torch)", "switches to case-sensitive: drop the flag"),
    ],
)  # fmt: skip
def test_a_pattern_that_proves_no_absence_is_named(pattern: str, what: str) -> None:
    found = findings(unanswerable(absent=["laser", pattern]))
    assert found[0] == f"q.jsonl:1: laser: absent {pattern!r} {what}"


@pytest.mark.parametrize(
    ("question", "what"),
    [
        (
            "torch? answer to jo.doe+x@example.co.uk please",
            'mail address, "jo.doe+x@example.co.uk"',
        ),
        ("torch? call +49 (0)30 1234567", 'a phone number, "+49 (0)30 1234567"'),
        ("torch? call 555-867-5309", 'a phone number, "555-867-5309"'),
        ("torch? call 030 1234567", 'a phone number, "030 1234567"'),
        ("Ms. Walker asks about the torch", 'the name of a person, "Ms. Walker"'),
        ("my name is Edna, how long is a torch?", 'the name of a person, "my name is Edna"'),
    ],
)
def test_what_points_to_a_person_is_named(question: str, what: str) -> None:
    assert finding(answerable(question=question)).endswith(what)
    assert finding(answerable(history=[question])).endswith(what)


@pytest.mark.parametrize(
    "question",
    [
        "stats 12 10 14 9 8 15, torch?",
        "120,000 XP: torch?",
        "range 70/140/210 with 1000 lbs",
        "10-15",
    ],
)
def test_numbers_of_a_game_are_no_phone_numbers(question: str) -> None:
    assert findings(answerable(question=question)) == []
