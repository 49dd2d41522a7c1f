"""Everyday words that a vault lacks, beside the words that it has instead."""

import re

import pytest

from api.answer.card_reply import card_reply
from retrieval.search import in_words_of
from retrieval.vocabulary import synonyms
from tests.support.index.indexed_text import terms_of
from tests.support.index.ingested import IndexFiles

RULES = {
    "yard.md": "# Yard\n\nSmoking is allowed at the end of the yard, below the roof.\n",
    "exams.md": "# Exams\n\nA telephone that rings costs five marks. Who fails may come again.\n",
    "dogs.md": "# Dogs\n\nDogs stay outside.\n\n## Pay back\n\nOld papers are destroyed.\n",
}
_LINE = re.compile(r"[a-z0-9'’&./ -]{2,30}: [a-z0-9'’&/ -]{2,40}(?:, [a-z0-9'’&/ -]{2,40}){0,4}")


@pytest.mark.parametrize(
    ("typed", "searched"),
    [
        ("where can I vape?", "where can I vape (smoke)?"),
        ("my mobile rang", "my mobile (telephone) rang"),
        ("I flunked, and they flunk others", "I flunked (fail), and they flunk (fail) others"),
        ("two puppies on motorbikes", "two puppies (dog) on motorbikes"),
        ("two labradors", "two labradors (dog)"),
        ("where can I smoke", "where can I smoke"),
        ("is the vapour bad", "is the vapour bad"),
        ("Where may I park", "Where may I park"),
        (
            "the dining room, who is caring, was it taped",
            "the dining room, who is caring, was it taped",
        ),
    ],
)
def test_a_word_that_the_vault_lacks_gets_one_that_it_has(typed: str, searched: str) -> None:
    assert synonyms.with_known(typed, terms_of(RULES)) == searched


def test_a_word_that_the_vault_has_stays_alone() -> None:
    rules = {**RULES, "shop.md": "# Shop\n\nA vape is sold to adults.\n"}
    assert synonyms.with_known("where can I vape?", terms_of(rules)) == "where can I vape?"


def test_what_is_asked_in_other_words_is_found(index_files: IndexFiles) -> None:
    context = index_files(RULES)
    reply = card_reply(context, "where can i vape")
    assert reply.certainty == "answered"
    assert reply.cards[0].path == "yard.md"
    assert reply.question == "where can i vape", "the reader is shown the own words"


def test_other_languages_are_asked_as_they_are(index_files: IndexFiles) -> None:
    context = index_files({"hof.md": "# Hof\n\nIm Hof darf man smoke machen.\n"}, language="german")
    reply = card_reply(context, "vape im Hof")
    assert reply.found
    assert reply.found.question == "vape im Hof"


def test_each_line_of_the_list_can_be_read_and_begins_with_another_word() -> None:
    lines = synonyms._FILE.read_text("utf-8").splitlines()
    assert [line for line in lines if not _LINE.fullmatch(line)] == []
    typed = [line.split(":")[0] for line in lines]
    assert typed == sorted(set(typed))
    assert {"vape", "mobile", "flunk"} <= synonyms.typed()


def test_a_question_that_is_too_long_with_them_keeps_the_vaults_own_words(
    index_files: IndexFiles,
) -> None:
    context = index_files({**RULES, "aliases.yaml": "puffing: smoking\n"})
    long = "puffing " + "word " * (context.embedder.limit - 5)
    terms = context.terms_of(None)
    assert in_words_of(context, f"vape {long}", terms).startswith("vape smoking word")


@pytest.mark.parametrize("thing", ["katana", "lich", "banshee", "paladin", "longsword", "goblin"])
def test_no_certain_thing_is_taken_for_another(thing: str) -> None:
    assert thing not in synonyms.typed()
