"""What people say around what they ask for, and what only looks like it."""

import pytest

from retrieval.search import search, written_out
from retrieval.text.question_phrases import without_asking
from retrieval.vocabulary.terms import key
from tests.support.index.ingested import IndexFiles


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("fall damage rules", "fall damage"),
        ("rules for falling?", "falling?"),
        ("what are the rules on pets", "pets"),
        ("What's our policy about remote work", "remote work"),
        ("surprise mechanics", "surprise"),
        ("how do the turning undead rules work?", "turning undead"),
        ("tell me about trolls", "trolls"),
        ("what counts as a troll", "a troll"),
        (
            "what counts as a troll and what is an ogre",
            "what counts as a troll and what is an ogre",
        ),
        ("hey, can you explain to me the rules of morale", "morale"),
        ("quick question: how does surprise work", "how does surprise work"),
        ("remind me how initiative works", "how initiative works"),
        ("i need some info on potions", "potions"),
        ("definition of a torch", "a torch"),
        ("What counts as armour?", "armour?"),
        ("I need the morale rules", "the morale"),
        ("are there any rules for swimming", "swimming"),
        ("what does the handbook say about pets", "pets"),
        ("house rules", "house rules"),  # something is called so
        ("rules of the house", "rules of the house"),
        ("what are the rules?", "what are the rules?"),  # nothing would be left
        ("explain", "explain"),
        ("tell me about it", "tell me about it"),
        ("I want to hire a guide", "I want to hire a guide"),
        ("list all the rules", "list all the rules"),
        ("where can I find a sage", "where can I find a sage"),
        ("which rules are optional", "which rules are optional"),
        ("okra", "okra"),
        ("harbour stats", "harbour"),
        ("what is the harbour's stat block", "what is the harbour"),
        ("download stats", "download stats"),  # nothing is called so
        ("well, rules for wells", "wells"),
        ("well poisoning", "well poisoning"),
        ("explain analyze", "explain analyze"),
        ("harbour rules", "harbour rules"),
        ("hey, rules for morale rules", "morale"),
        ("lookup table", "lookup table"),
        ("question 12", "question 12"),
        ("hello world", "hello world"),
        ("OK response", "OK response"),
        ("hi-res images", "hi-res images"),
        ("what happens if I break rules", "what happens if I break rules"),
        ("how do I disable rules", "how do I disable rules"),
        ("delete rule", "delete rule"),
        ("what are the current rules", "what are the current rules"),
        ("Um wie viel Uhr beginnt die Arbeit?", "Um wie viel Uhr beginnt die Arbeit?"),
        ("", ""),
    ],
)
def test_what_is_asked_for_is_left(typed: str, left: str) -> None:
    names = [
        set(key(name)) for name in ("House rules of the table", "Explain analyze", "Harbour rules")
    ]
    assert (
        without_asking(typed, lambda words: any(set(key(words)) <= name for name in names)) == left
    )


def test_a_question_is_searched_without_what_stands_around_it(index_files: IndexFiles) -> None:
    files = {
        "Falling.md": "# Falling\n\nWhoever falls takes 1d6 for ten feet.\n",
        "House rules.md": "# House rules\n\nHere the rules of the book hold but for Sundays.\n",
        "Rules.md": "# The rules\n\nRules are read aloud. Rules for all, and rules for some.\n",
    }
    context = index_files(files, rag_threshold=-9.0)
    terms = context.terms_of(None)
    assert written_out(context, "what are the house rules", terms) == "what are the house rules"
    assert written_out(context, "rules for falling", terms) == "falling"
    for asked in ("rules for falling", "falling rules", "tell me about the rules for falling"):
        assert search(context, asked).hits[0].chunk.path == "Falling.md"
