"""The other direction of an alias: what is asked in full, and the rules abbreviate."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from retrieval.context import SearchContext
from retrieval.search import search
from retrieval.vocabulary import abbreviations
from retrieval.vocabulary.terms import in_vault_words
from tests.conftest import write_vault
from tests.support.index.ingested import IndexFiles, index_of

DUTY = (
    "# Duty\n\nAn FTO carries a whistle and a red vest. The FTO signs every report.\n\n"
    "The FTO decides who drives. No FTO works alone.\n"
)
STAFF = (
    "# Staff\n\nA training officer teaches in the field and carries a bag.\n\n"
    "An officer in training carries nothing.\n"
)
IN_FULL = "# {}\n\nThe *field* training officers of {} go first.\n"
ALIASES = "FTO: field training officer\nQZ: quiet zone\nNOBODY: and of the\n"
ASKED = "What does a field training officer carry?"
FILES = {"duty.md": DUTY, "staff.md": STAFF, "aliases.yaml": ALIASES}


@pytest.fixture
def indexed(loaded: SearchContext, server: str, tmp_path: Path) -> Iterator[IndexFiles]:
    """Index files; closed with the test, as there are many vaults here and few connections."""
    with ExitStack() as stack:

        def index(files: dict[str, str]) -> SearchContext:
            vault = write_vault(tmp_path / str(len(list(tmp_path.iterdir()))), files)
            return stack.enter_context(index_of(loaded, server, vault))

        yield index


def more(count: int) -> dict[str, str]:
    return {f"{name}.md": IN_FULL.format(name, name) for name in "abc"[:count]}


def in_words(context: SearchContext, asked: str) -> str:
    return in_vault_words(asked, context.terms_of(None))


def test_a_meaning_that_the_rules_abbreviate_finds_what_they_say(indexed: IndexFiles) -> None:
    context = indexed(FILES)
    assert in_words(context, ASKED) == "What does a fto carry?"
    assert in_words(context, "two Field Training Officers") == "two ftos"
    assert search(context, ASKED).hits[0].chunk.path == "duty.md"


@pytest.mark.parametrize(("count", "is_replaced"), [(2, True), (3, False)])
def test_a_meaning_that_the_rules_write_themselves_stays(
    indexed: IndexFiles, count: int, is_replaced: bool
) -> None:
    context = indexed(FILES | more(count))
    assert (in_words(context, ASKED) != ASKED) == is_replaced


def test_an_alias_that_the_rules_hardly_write_takes_no_meaning_s_place(
    indexed: IndexFiles,
) -> None:
    context = indexed(FILES | {"d.md": "# Rest\n\nNobody talks here. A QZ is a QZ.\n"})
    for asked in ("where is a quiet zone", "who and of the three is it"):
        assert in_words(context, asked) == asked


def test_what_is_called_so_is_asked_for_by_its_name(indexed: IndexFiles) -> None:
    context = indexed(FILES | {"d.md": "# Field Training Officer\n\nSee the duty list.\n"})
    assert in_words(context, ASKED) == ASKED


def test_files_that_do_not_exist_for_who_asks_say_nothing(indexed: IndexFiles) -> None:
    context = indexed(FILES | more(3))
    hidden = context.restricted({"path": {"in": ["duty.md", "staff.md"]}})
    assert in_words(hidden, ASKED) == "What does a fto carry?"
    without = context.restricted({"path": {"in": ["staff.md", "a.md", "b.md"]}})
    assert in_words(without, ASKED) == ASKED


def test_a_meaning_of_words_that_stand_everywhere_is_not_looked_for(
    indexed: IndexFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(abbreviations, "_MOST_LOOKED_AT", 1)
    context = indexed({**FILES, "e.md": "# Field\n\nOf training: an officer trains.\n"})
    assert in_words(context, ASKED) == ASKED


HURT = {
    "a.md": "# Blows\n\nA blow takes hit points.\n",
    "b.md": "# Rest\n\nA night gives back hit points.\n",
    "c.md": "# Falls\n\nA fall takes *hit* points, too.\n",
    "d.md": "# Poison\n\nA poison takes one hit point of each hit point. No hp, no life: 0 hp.\n",
    "e.md": "# Thirst\n\nA day without water takes 1 hp.\n",
    "aliases.yaml": "hp: hit points\n",
}


def test_an_alias_gives_way_to_a_meaning_that_the_rules_write_more_often(
    indexed: IndexFiles,
) -> None:
    assert in_words(indexed(HURT), "0 hp, 5 HPs") == "0 hit points, 5 hit points"


@pytest.mark.parametrize(
    "more",
    [
        {f"{one}.md": "# Cold\n\nA day of cold takes 1 hp.\n" for one in "fg"},  # as many
        {"f.md": "# Goat\n\n| hp | 3 |\n|---|---|\n| AC | 9 |\n"},  # a field
        {"f.md": "# HP\n\nThey are counted.\n"},  # a thing
    ],
)
def test_an_alias_that_the_rules_use_as_much_or_as_a_name_stays(
    indexed: IndexFiles, more: dict[str, str]
) -> None:
    assert in_words(indexed(HURT | more), "0 hp") == "0 hp"


def test_an_alias_of_what_is_called_so_leaves_every_question_as_it_is(
    indexed: IndexFiles,
) -> None:
    files = {
        "duty.md": DUTY,
        "d.md": "# Field Training Officer\n\nSee the duty list.\n",
        "aliases.yaml": "FTO: field training officer\n",
    }
    assert in_words(indexed(files), ASKED) == ASKED


def test_a_meaning_in_the_plural_is_written_in_the_singular_too(indexed: IndexFiles) -> None:
    saves = {
        f"{name}.md": f"# {name}\n\nA saving throw, or ST, ends it.\n"
        for name in ("Fire", "Cold", "Fear")
    }
    context = indexed({**saves, "aliases.yaml": "ST: saving throws\n"})
    assert in_words(context, "which saving throws end it") == "which saving throws end it"


def test_what_is_hidden_does_not_decide_whether_a_meaning_is_looked_for(
    indexed: IndexFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(abbreviations, "_MOST_LOOKED_AT", 2)
    hidden = {f"{name}.md": f"# Field {name}\n\nOf training: an officer trains.\n" for name in "gh"}
    context = indexed({**FILES, **hidden})
    part = context.restricted({"path": {"in": ["duty.md", "staff.md"]}})
    assert in_words(part, ASKED) == "What does a fto carry?"
    assert in_words(context, ASKED) == ASKED
