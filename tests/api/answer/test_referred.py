"""A line that only says where a rule stands, and the card of that place.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.card_reply import CardReply, card_reply
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

VAULT = {
    "Armour.md": (
        "# Armour\n\n| Suit | Price |\n|---|---|\n| Bronze coat | 60 |\n| Quilt | 5 |\n\n"
        "## Wearing a suit\n\n"
        "- Putting a bronze coat on and taking it off: ***Marches and Camps***.\n"
        "- A quilt may be slept in.\n"
    ),
    "Marches and Camps.md": (
        "# Marches and Camps\n\n## Roads\n\nA column marches 20 miles a day.\n\n## Dressing\n\n"
        "A bronze coat goes on or comes off in 3 turns, a quilt in one.\n"
    ),
    "Towers.md": (
        "# Towers\n\nWho may build a tower and from which rank, see [[Ranks]]. "
        "Costs alone are here.\n\n"
        "Stone costs 40 marks a foot.\n"
    ),
    "Ranks.md": (
        "# Ranks\n\n| Rank | May build |\n|---|---|\n| Knight of 9 | a tower |\n"
        "| Squire | a tent |\n"
    ),
    "Followers.md": (
        "# Followers\n\nHow many followers a captain has is told under [charm](Charm.md).\n\n"
        "They are paid weekly.\n"
    ),
    "Charm.md": "# Charm\n\nA captain of charm 12 leads 4 followers, one of charm 15 leads 6.\n",
    "Ponies.md": (
        "# Ponies\n\nA pony carries 20 stone, as told in ***Marches and Camps***, for 8 hours.\n"
    ),
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


def unfolded(reply: CardReply) -> list[str]:
    return [card.path for card in reply.cards if not card.folded]


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("how long does putting on a bronze coat take", "Marches and Camps.md"),
        ("who may build a tower", "Ranks.md"),
        ("how many followers does a captain have", "Charm.md"),
    ],
)
def test_where_a_line_only_refers_to_a_rule_that_is_shown_in_full(
    context: SearchContext, question: str, place: str
) -> None:
    assert place in unfolded(card_reply(context, question))


def test_a_line_that_says_it_itself_is_followed_nowhere(context: SearchContext) -> None:
    reply = card_reply(context, "how much does a pony carry")
    assert unfolded(reply) == ["Ponies.md"]
    assert reply.parts == ()


def test_the_place_that_a_row_refers_to_stands_above_it_where_it_says_more(
    index_files: IndexFiles,
) -> None:
    vault = {
        "Travel.md": (
            "# Travel\n\n## Distance\n\n"
            "| Means | Speed | Ceiling | Longest ride |\n|---|---|---|---|\n"
            "| Reed barge | by riders, see ***River Craft*** | 0 feet | 9 hours |\n"
            "| Elk | 40 miles | 900 feet | 6 hours |\n"
        ),
        "River Craft.md": (
            "# River Craft\n\n## Barges\n\n"
            "**Reed barge.** 30 miles with one on it, 24 miles with two on it.\n\n"
            "## Canoes\n\nA canoe carries 3 bales.\n"
        ),
    }
    context = index_files(vault, rag_threshold=-9.0)
    two = card_reply(context, "how fast does a reed barge go with two of us on it")
    assert (two.cards[0].path, two.cards[0].folded) == ("River Craft.md", False)
    elk = card_reply(context, "how high does an elk ride")
    assert elk.cards[0].path == "Travel.md"
