"""`evals.lint`: a label that its vault, another question or itself contradicts is named."""

from pathlib import Path
from typing import Any

import pytest

from evals.labels import dataset
from evals.labels.options import RULES
from ingest.read import frontmatter, markdown
from tests.support.index.plants import AXE, TORCH, answerable, finding, findings, unanswerable

pytestmark = pytest.mark.usefixtures("planted")
Row = dict[str, Any]


def quoted(path: str, quote: str) -> Row:
    return answerable(gold=[{"path": path, "quote": quote}])


@pytest.mark.parametrize(
    ("row", "what"),
    [
        # The quote is gone, moved, ambiguous or unwinnable.
        (
            quoted("torches.md", "A torch burns for two hours."),
            'gone: the quote "A torch burns for two hours." is not in vault/torches.md; nearest is '
            'vault/torches.md:3 (89 % alike): "A torch burns for one hour."',
        ),
        (
            quoted("torches.md", "ZYXWVUTSRQPONMLKJ"),
            'gone: the quote "ZYXWVUTSRQPONMLKJ" is not in vault/torches.md, and nothing in the '
            "vault is like it",
        ),
        (
            quoted("torches.md", AXE["quote"]),
            'moved: the quote "Battle axe 7" is not in vault/torches.md, but at '
            "vault/arms/weapons.md:5",
        ),
        (
            quoted("light.md", TORCH["quote"]),
            "moved: the quote \"A torch burns for one hour.\" is not in 'light.md', which is no "
            "file of the vault, but at vault/torches.md:3",
        ),
        (
            answerable(alt=[[TORCH | {"path": "x.md"}]]),
            "moved: the quote \"A torch burns for one hour.\" is not in 'x.md', which is no file "
            "of the vault, but at vault/torches.md:3",
        ),
        (
            quoted("arms/weapons.md", "Two hands hold a battle axe."),
            'ambiguous: the quote "Two hands hold a battle axe." stands 2 times in '
            "vault/arms/weapons.md, at lines 8, 10: lengthen it",
        ),
        (
            quoted("torches.md", "in water."),
            'the quote "in water." has 9 characters, fewer than 12: lengthen it',
        ),
        *(
            (quoted("torches.md", quote), f"unwinnable: the quote {quote!r} holds no word")
            for quote in ("", "  ", "|---|---|---|", "… — *** — …")
        ),
        # The fields contradict the kind or each other.
        (answerable(answer=""), "kind 'prose' without answer"),
        (answerable(must_include=[]), "kind 'prose' without must_include"),
        (answerable(absent=["laser"]), "kind 'prose' with absent"),
        (answerable(kind="multi"), "kind 'multi' with one gold: name two, or change the kind"),
        (answerable(split=""), "split is '', not calibration or gate"),
        (answerable(split="test"), "split is 'test', not calibration or gate"),
        (
            answerable(split="calibration", critical=True),
            "critical, but its split is 'calibration': only the gate loses by it",
        ),
        (
            answerable(must_include=["hour", "2 hours|two hours"]),
            "must_include '2 hours|two hours' is not in the answer 'One hour'",
        ),
        (
            answerable(must_include=["one hour|"]),
            "must_include 'one hour|' has an empty alternative, which every answer includes",
        ),
        (
            answerable(must_not_include=["hour"]),
            "must_not_include 'hour' is in the answer 'One hour'",
        ),
        (unanswerable(why_unanswerable=""), "kind 'offtopic' without why_unanswerable"),
        (unanswerable(absent=[]), "kind 'offtopic' without absent"),
        (unanswerable(answer="9 gp"), "kind 'offtopic' with answer"),
        (unanswerable(must_include=["9"]), "kind 'offtopic' with must_include"),
        # A forbidden file guards nothing, or forbids the answer itself.
        (answerable(forbidden=["gone.md"]), "forbids 'gone.md', which is no file of the vault"),
        (answerable(forbidden=["torches.md"]), "forbids 'torches.md', which holds the answer"),
        (
            unanswerable(forbidden=["torches.md"]),
            "forbids 'torches.md', but a question without an answer is not judged by its files",
        ),
        (
            answerable(kind="paraphrase", question="How much time until my torches stop burning?"),
            'a paraphrase, yet it shares "burning", "torches" with vault/torches.md:3',
        ),
    ],
)
def test_what_is_wrong_with_a_label_is_named(row: Row, what: str) -> None:
    assert finding(row) == f"q.jsonl:1: {row['id']}: {what}"


@pytest.mark.parametrize(
    "rows",
    [
        [
            answerable(),
            unanswerable(),
            answerable(
                id="axe", question="and the axe for battle, its price?", kind="table",
                answer="7 gp", gold=[AXE], must_include=["7"], must_not_include=["4"],
                history=["weapons cost money?"], split="calibration",
            ),
        ],
        [answerable(forbidden=["arms/weapons.md"])],
        [answerable(kind="paraphrase", question="When does this flaming stick give up?")],
        [  # follow-ups are compared with what they follow
            answerable(question="and for how long?", history=["Does a torch light a room?"]),
            answerable(id="axe", question="and for how long?", history=["Can one swing an axe?"]),
        ],
        # Numbers of a game are no phone numbers.
        [answerable(question="stats 12 10 14 9 8 15, torch?")],
        [answerable(question="120,000 XP: torch?")],
        [answerable(question="range 70/140/210 with 1000 lbs")],
        [answerable(question="10-15")],
    ],
)  # fmt: skip
def test_faultless_labels_have_no_findings(rows: list[Row]) -> None:
    assert findings(*rows) == []


def test_a_quote_longer_than_a_passage_is_unwinnable(planted: Path) -> None:
    text = "A torch burns. " + "It flickers. " * 100
    (planted / "vault" / "long.md").write_text(text, encoding="utf-8")
    found = finding(quoted("long.md", text))
    assert found.startswith('q.jsonl:1: torch: unwinnable: the quote "A torch burns. It flickers.')
    assert found.endswith("has 1,315 characters, over 1,200: cut it")


@pytest.mark.parametrize(
    ("question", "split", "what"),
    [
        ("how long does a TORCH last", "gate", "asks the same as torch (line 1)"),
        (
            "how long does a TORCH last",
            "calibration",
            "asks the same as torch (line 1), across splits: that is in gate",
        ),
        ("How long do a torch last??", "gate", "asks 9"),
    ],
)
def test_a_question_asked_twice_is_named(question: str, split: str, what: str) -> None:
    again = answerable(id="again", question=question, gold=[AXE], split=split)
    assert finding(answerable(), again).startswith(f"q.jsonl:2: again: near-duplicate: {what}")


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
)
def test_a_pattern_that_proves_no_absence_is_named(pattern: str, what: str) -> None:
    found = findings(unanswerable(absent=["laser", pattern]))
    assert found[0] == f"q.jsonl:1: laser: absent {pattern!r} {what}"


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("torch? to jo.doe+x@example.co.uk please", 'mail address, "jo.doe+x@example.co.uk"'),
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


def test_the_handbook_forbids_only_what_is_no_longer_in_force() -> None:
    vault = RULES.parents[1] / "vaults" / "handbook"
    questions = dataset.load(RULES.with_name("handbook.jsonl"))
    forbidden = {path for question in questions for path in question.forbidden}
    assert forbidden
    for path in forbidden:
        header = markdown.parse((vault / path).read_text("utf-8")).header
        assert frontmatter.parse(path, header).status == "superseded"
