"""A correction stands above the rows that a question chose, where it speaks of one of them."""

import pytest

from api.answer.card_reply import PLAIN_ASK, AskOptions, card_reply
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

FILES = {
    "Rooms.md": (
        "# Rooms of the inn\n\n| Room | Beds | Rent (EUR) | Minimum age |\n|---|---|---|---|\n"
        "| Map room | 4 | 40 | 12 |\n| Attic | 2 | 15 | 8 |\n| Long hall | 12 | 90 | 18 |\n"
        "| Loft | 3 | 22 | 17 |\n"
    ),
    "Changes.md": (
        "---\nstatus: errata\nsupersedes: [Rooms.md]\n---\n# Changes to the rooms\n\n"
        "- Rooms: the map room has 2 beds now, not 4.\n- Rooms: the rent of the loft is 31 EUR.\n"
        "- The attic is for whoever is 7.\n"
    ),
    "Meals.md": "# Meals\n\nRooms are let with a meal in the evening.\n",
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


ROUND = {
    "Duel.md": (
        "# Duel\n\n## Sequence of a round\n\n1. **Salute.** Both say so now.\n"
        "2. **Lots.** Each side draws a straw.\n3. **First side acts**, in this order.\n"
        "4. **Slow blades** strike, in the order of age.\n5. **Books**: a second counts to nine.\n"
    ),
    "House.md": (
        "---\nstatus: house rule\nsupersedes: [Duel.md]\n---\n# House rules\n\n"
        "## Drinking a draught takes a whole round\n\n"
        "*Standard (Duel):* drinking takes the action of the round; the drinker may still move.\n"
        "*Here:* it takes the **whole round**: no strike, no talk. The draught works at the end of "
        "the round, after the slow blades.\n"
    ),
}


def test_a_rule_on_something_else_stands_below_the_steps(index_files: IndexFiles) -> None:
    cards = card_reply(index_files(ROUND, rag_threshold=-9.0), "order of a duel round").cards
    assert [card.path for card in cards] == ["Duel.md", "House.md"]
    assert len(cards[0].marked) == 5


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("rooms with more than 3 beds", "Changes.md"),  # of a row that is shown
        ("rooms with a rent over 30 eur", "Changes.md"),  # the loft is one now
        ("which rooms can a 9 year old use", "Changes.md"),
        ("list all rooms", "Rooms.md"),  # no row is chosen
    ],
)
def test_what_corrects_a_row_that_is_chosen_stands_above(
    context: SearchContext, asked: str, first: str
) -> None:
    reply = card_reply(context, asked, PLAIN_ASK)
    assert (reply.cards[0].path, reply.certainty) == (first, "answered")
    assert {"Rooms.md", "Changes.md"} >= {card.path for card in reply.cards[:2]}


HOUNDS = {
    "Hounds.md": (
        "# Hounds\n\n| Hound | Price | Weeks of training |\n|---|---|---|\n"
        "| Pit hound | 75 marks | 12 |\n"
        "| Cur | 5 marks | 3 |\n\nOnly a whipper trains a pit hound.\n"
    ),
    "Printing.md": (
        "---\nstatus: errata\nsupersedes: [Hounds.md]\n---\n# Second printing\n\n"
        "| Thing | First printing | Second printing |\n|---|---|---|\n"
        "| Pit hound, trained | 75 marks | 100 marks |\n"
    ),
}


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("how long does it take to train a pit hound", "Hounds.md"),
        ("who can train a pit hound", "Hounds.md"),
        ("what does a trained pit hound cost", "Printing.md"),
    ],
)
def test_a_correction_of_something_else_of_the_same_thing_stays_below(
    index_files: IndexFiles, asked: str, first: str
) -> None:
    assert card_reply(index_files(HOUNDS, rag_threshold=-9.0), asked).cards[0].path == first


def test_a_house_rule_that_lacks_what_the_rule_says_stays_below(index_files: IndexFiles) -> None:
    files = {
        "Potions.md": (
            "# Potions\n\n## Mixing\n\nWho drinks a second potion while the first still works is "
            "sick for 3 turns.\n"
        ),
        "House.md": (
            "---\nstatus: house rule\nsupersedes: Potions.md\n---\n# House\n\n"
            "## Drinking a potion takes a whole round\n\nWho drinks a potion does nothing else.\n"
        ),
    }
    context = index_files(files, rag_threshold=-9.0)
    second = card_reply(context, "may i drink a second potion while the first works")
    assert second.cards[0].path == "Potions.md"
    assert card_reply(context, "how do i drink a potion").cards[0].path == "House.md"


TERSE = {
    "Falling.md": (
        "# Hazards\n\n## Falling\n\nFalling from a great height deals 1d6 for each 10 feet.\n"
    ),
    "Bows.md": (
        "# Bows\n\n| Weapon | Range (feet) |\n|---|---|\n| Crossbow | 60 |\n| Sling | 40 |\n"
    ),
    "Errata.md": (
        "---\nstatus: errata\nsupersedes: [Falling.md, Bows.md]\n---\n# Errata\n\n## Falling\n\n"
        "2d6 for each 10 feet.\n\n## Bows\n\n| Weapon | Range (feet) |\n|---|---|\n"
        "| Crossbow | 90 |\n"
    ),
}


@pytest.mark.parametrize(
    "asked",
    [
        "how much damage does falling from a great height deal",
        "how far does a crossbow shoot",  # the unit stands in the header
    ],
)
def test_a_correction_of_few_words_stands_above(index_files: IndexFiles, asked: str) -> None:
    cards = card_reply(index_files(TERSE, rag_threshold=-9.0), asked).cards
    assert cards[0].path == "Errata.md"


PRICES = {
    "old.md": (
        "# Prices 2023\n\n## Memberships\n\n| | Adult | Youth |\n|---|---|---|\n"
        "| Monthly | 52 | 36 |\n| Annual | 520 | 360 |\n\nBeside them there is a joining fee.\n"
    ),
    "new.md": (
        "---\nsupersedes: old\n---\n# Price changes\n\n## Memberships\n\n| | Adult | Youth |\n"
        "|---|---|---|\n| Monthly | 56 | 38 |\n| Annual | 560 | 380 |\n"
    ),
}


def test_the_new_table_of_a_heading_stands_above_the_old_one(index_files: IndexFiles) -> None:
    context = index_files(PRICES, rag_threshold=-9.0)
    reply = card_reply(context, "monthly or annual membership, what do they cost for youth")
    assert reply.cards[0].path == "new.md"


CHARGES = {
    "charges.md": (
        "# Charges\n\n## Small charges\n\n- Parking: free for 3 hours, then 1.50 per hour\n"
        "- Breakfast: 7.50\n- Towel: 2.50 per stay\n- Locker: 4 a night\n\n"
        "## Boats\n\nA boat costs 12 an hour.\n"
    ),
    "autumn.md": (
        "---\nsupersedes: charges\n---\n# From autumn\n\n## Small charges\n\n"
        "- Parking: free for 2 hours, then 2.00 per hour\n- Breakfast rises to 8.50\n"
    ),
    "garden.md": "# Garden\n\nNobody may light a fire.\n",
}


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("parking fee", "autumn.md"),
        ("how much is parking", "autumn.md"),
        ("what does breakfast cost", "autumn.md"),  # the new line has no label
        ("what does a towel cost", "charges.md"),
        ("what does a small locker cost", "charges.md"),  # of the same list, and another charge
    ],
)
def test_a_line_is_corrected_by_its_label(index_files: IndexFiles, asked: str, first: str) -> None:
    cards = card_reply(index_files(CHARGES, rag_threshold=-9.0), asked).cards
    assert cards[0].path == first
    if first == "autumn.md":  # the old price is there to be seen, and said to be old
        old = next(card for card in cards if card.path == "charges.md")
        assert (old.folded, old.badges) == (True, ("corrected-above",))
    else:
        assert all("corrected-above" not in card.badges for card in cards)


def test_the_section_that_replaces_another_one_is_seen_with_it(index_files: IndexFiles) -> None:
    context = index_files(CHARGES, rag_threshold=-9.0)
    shown = [card.path for card in card_reply(context, "what does a towel cost").cards[:2]]
    assert shown == ["charges.md", "autumn.md"]
    assert "autumn.md" not in [card.path for card in card_reply(context, "price of a boat").cards]


def test_a_follow_up_goes_on_from_what_is_corrected(index_files: IndexFiles) -> None:
    context = index_files(HOUNDS, rag_threshold=-9.0)
    for typed in ("how long does its training take", "and how many weeks does training one take"):
        options = AskOptions(history=("what does a trained pit hound cost",))
        assert card_reply(context, typed, options).cards[0].path == "Hounds.md"


WARDS = {
    "young.md": (
        "# Young players\n\n## Guardians\n\nA guardian looks after at most four wards.\n\n"
        "A guardian has to be at least 21 years old.\n"
    ),
    "changes.md": (
        "---\nsupersedes: young\n---\n# Changes\n\n## Fewer wards for each guardian\n\n"
        'Changes the first sentence of "Guardians" in [young](young.md). A guardian looks after '
        "at most three wards.\n"
    ),
    "camp.md": "# Camp\n\nTents stand in rows. Nobody may light a fire.\n",
}


def test_a_follow_up_stays_where_the_corrected_rule_is(index_files: IndexFiles) -> None:
    context = index_files(WARDS, rag_threshold=-9.0)
    asked = "how many wards can one guardian look after"
    assert card_reply(context, asked).cards[0].path == "changes.md"
    reply = card_reply(context, "and how old do they have to be", AskOptions(history=(asked,)))
    assert reply.cards[0].path == "young.md"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what does a kayak cost for a day", "Fees.md"),
        ("was the price of a kayak changed", "Changes.md"),
    ],
)
def test_what_only_stays_is_behind_the_rule_unless_changes_are_asked_for(
    index_files: IndexFiles, question: str, first: str
) -> None:
    files = {
        "Fees.md": "# Fees\n\n| Thing | A day |\n|---|---|\n| Kayak | 12 EUR |\n| Raft | 9 EUR |\n",
        "Changes.md": "---\nsupersedes: Fees.md\n---\n# Changes\n\n## Not changed\n\n"
        "1. What a kayak costs for a day.\n2. The hours of the hall.\n",
        "Hall.md": "# Hall\n\nThe hall is open at dusk.\n",
    }
    cards = card_reply(index_files(files, rag_threshold=-9.0), question).cards
    assert cards[0].path == first
    assert [card.folded for card in cards] == [False, *(True for _ in cards[1:])]
