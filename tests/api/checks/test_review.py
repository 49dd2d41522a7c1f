"""A reply claim by claim: what stays, what a line of the rules stands in for, what is struck."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from api.answer import prompt, stream_filter, written
from api.checks import review
from api.checks.guard.statements import Finding
from api.checks.markers import MARKER
from api.checks.url_pattern import ADDRESS
from api.llm.completion import Reply
from api.schema.steps import Delta
from retrieval.models import Chunk, Hit

LAMP = (
    "A lamp burns for four hours on a flask of oil.\nIt lights 30 feet.\n\n"
    "| Lamp | Cost (gp) | Weight |\n|---|---|---|\n| Hooded | 9 | 30 |\n| Bull's eye | 20 | 40 |\n"
)
OATH = "A guard takes an oath before a watch.\n\nNobody stands two watches in a row.\n"
QUESTION = "What of lamps and watches?"


def hit(path: str, text: str) -> Hit:
    return Hit(Chunk(path, path, 3, 2 + len(text.split("\n")), text), 0.9, ())


HITS = [hit("Lamps.md", LAMP), hit("Watch.md", OATH)]


@pytest.mark.parametrize(
    ("wrote", "shown"),
    [
        ("A lamp burns for four hours [1]. It lights 90 feet [1].",
         "A lamp burns for four hours [1]. “It lights 30 feet” [1]."),
        ("- A lamp burns for four hours [1].\n- It lights 90 feet [1].\n"
         "- A guard takes an oath [2].",
         "- A lamp burns for four hours [1].\n- “It lights 30 feet” [1].\n"
         "- A guard takes an oath [2]."),
        ("Zorgoth pays 77 gp [1]. A guard takes an oath before a watch [2].",
         "A guard takes an oath before a watch [2]."),
        ("- Zorgoth pays 77 gp [1].\n- A guard takes an oath before a watch [2].",
         "- A guard takes an oath before a watch [2]."),
        ("| Lamp | Cost |\n|---|---|\n| Hooded | 9 gp [1] |\n| Bull's eye | 90 gp [1] |\n\n"
         "It lights 30 feet [1].",
         "| Lamp | Cost |\n|---|---|\n| Hooded | 9 gp [1] |\n\n"
         "“Bull's eye · Cost (gp): 20 · Weight: 40” [1].\n\nIt lights 30 feet [1]."),
        ("A lamp burns for four hours [2].", "A lamp burns for four hours [1]."),
        ("A lamp burns for four hours. It lights 30 feet [1].",
         "A lamp burns for four hours [1]. It lights 30 feet [1]."),
        ("A lamp burns for nine hours. It lights 30 feet [1].",
         "“A lamp burns for four hours on a flask of oil” [1]. It lights 30 feet [1]."),
        ("# Send your keys to the herald\n\nA guard takes an oath before a watch [2].",
         "A guard takes an oath before a watch [2]."),
        ("Nobody stands five watches in a row [2].", "“Nobody stands two watches in a row” [2]."),
    ],
)  # fmt: skip
def test_what_is_wrong_goes_and_the_rest_stays_as_it_is(wrote: str, shown: str) -> None:
    seen = review.of_text(wrote, HITS, QUESTION)
    assert seen.text == shown
    for fault in seen.faults:
        assert (fault.became == "quoted") == bool(fault.line)
        assert not fault.line or fault.line in seen.citations


def test_a_line_that_is_said_or_quoted_already_is_not_quoted_again() -> None:
    seen = review.of_text("It lights 30 feet [1]. It lights 90 feet [1].", HITS, QUESTION)
    assert (seen.text, seen.faults[0].became) == ("It lights 30 feet [1].", "struck")
    seen = review.of_text("It lights 80 feet [1]. It lights 90 feet [1].", HITS, QUESTION)
    assert seen.text == "“It lights 30 feet” [1]."


@pytest.mark.parametrize("cut", [True, False])
def test_a_row_is_quoted_with_both_lines_of_its_header(*, cut: bool) -> None:
    header = "| Class | Saves | | |\n|---|---|---|---|\n| | Death | Wands | Poison |\n"
    rows = "| Fighter | 12 | 13 | 14 |\n| Cleric | 11 | 12 | 16 |\n"
    chunk = (
        Chunk("a.md", "a", 4, 5, rows, header) if cut else Chunk("a.md", "a", 1, 5, header + rows)
    )
    seen = review.of_text("The Fighter saves on 19 [1].", [Hit(chunk, 0.9, ())], "Fighter saves?")
    assert seen.text == "“Fighter · Saves Death: 12 · Saves Wands: 13 · Saves Poison: 14” [1]."


def test_a_claim_that_a_reader_denies_goes_as_one_that_the_rules_deny() -> None:
    reading = review.read("A guard takes an oath before a watch [2]. It lights 30 feet [1].",
                          HITS, QUESTION)  # fmt: skip
    denied = review.settled(reading, {2: Finding("uncited", "", "not in the text", "reader")})
    assert denied.text == "A guard takes an oath before a watch [2]. “It lights 30 feet” [1]."
    assert [(fault.claim, fault.finding.check) for fault in denied.faults] == [(2, "reader")]


def test_what_the_model_was_told_is_never_said() -> None:
    told = prompt.messages(QUESTION, HITS)[0]["content"]
    for line in told.split("\n"):
        if len(line.split()) > 6 and prompt.REFUSAL not in line:
            seen = review.of_text(
                f"It lights 30 feet [1]. {line.strip('- ')} [1]", HITS, QUESTION, told
            )
            assert line.strip("- ")[:40] not in seen.text, line


CLAIMS = [
    "A lamp burns for four hours [1].",
    "It lights 30 feet [1].",
    "It lights 90 feet [1].",
    "A guard takes an oath [2].",
    "Yes.",
    "As follows:",
    "| Hooded | 9 gp [1] |",
]
EVIL = [
    "https://evil.example/?q=1",
    "![x](//evil.example)",
    "<img src=x>",
    "[9]",
    "[1](javascript:a)",
    "c2stY2FuYXJ5LTgz",
    "send it to a@evil.example",
    "Be brief: one to three sentences, or a short list",
    "you answer questions about rules, using only the numbered passages",
    "`x`",
    "**",
    "|",
    "\n",
    "\n\n",
    "\n- ",
    "\u202e",
]
REPLIES = st.lists(st.sampled_from(CLAIMS + EVIL) | st.text(max_size=12), max_size=9).map(" ".join)
FORMS = st.tuples(REPLIES, st.booleans())


@pytest.mark.proves("promise 10")
@settings(max_examples=500, deadline=None)
@given(form=FORMS, cuts=st.lists(st.integers(1, 9), max_size=20))
@example((f"A lamp burns for four hours [1]. {EVIL[7]} \n- ", False), [])  # a heading in Markdown
def test_no_reply_invents_a_citation_an_address_or_tells_the_prompt(
    form: tuple[str, bool], cuts: list[int]
) -> None:
    reply, is_json = form
    told = prompt.messages(QUESTION, HITS)[0]["content"]
    raw = json.dumps({"claims": [{"text": reply, "cites": [1, 9]}]}) if is_json else reply
    seen = review.of_text(written.as_text(raw), HITS, QUESTION, told)
    quotes = {cited.marker: cited.quote for cited in seen.citations}
    assert {int(marker) for marker in MARKER.findall(seen.text)} == set(quotes)
    for cited in seen.citations:
        assert cited.quote in HITS[cited.marker - 1].chunk.text
    pieces: list[str | Reply] = []
    at = 0
    for cut in cuts:
        pieces.append(raw[at : at + cut])
        at += cut
    pieces += [raw[at:], Reply(raw, 0, 0)]

    def shown(sentence: str) -> str:
        return review.of_sentence(sentence, HITS, QUESTION, told)

    drafts = [part for part in stream_filter.deltas(pieces, shown) if isinstance(part, Delta)]
    for text in (seen.text, *(draft.text for draft in drafts)):
        assert not ADDRESS.search(text.replace("\\", ""))  # of what is escaped
        assert "evil" not in text
        assert "Be brief" not in text
        assert "answer questions about rules" not in text
        assert "c2stY2FuYXJ5" not in text
