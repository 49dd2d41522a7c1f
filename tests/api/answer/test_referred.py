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
    "Followers.md": (
        "# Followers\n\nHow many followers a captain has is told under [charm](Charm.md).\n\n"
        "They are paid weekly.\n"
    ),
    "Charm.md": "# Charm\n\nA captain of charm 12 leads 4 followers, one of charm 15 leads 6.\n",
    "Roads.md": (
        "# Roads\n\nA day on the road is 8 hours. The distance follows from the pace, as told in "
        "***Marches and Camps***.\n\n- What a toll keeper takes: ***Charm***.\n"
    ),
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
        ("how many followers does a captain have", "Charm.md"),
        ("max followers of a captain", "Charm.md"),
        ("how far is a day on the road", "Marches and Camps.md"),
        ("when does a toll keeper take something", "Charm.md"),
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


BYLAWS = {
    "5 House.md": (
        "# Part 5\n\n## 5.5 Keys\n\n5.5.2 A member who loses a key pays for the new key as stated "
        "in Annex B, line 7, and tells the warden.\n\n5.5.4 A member pays 9 euros for a key to "
        "the cellar, as Annex B, line 8 says.\n"
    ),
    "8 Annexes.md": (
        "# Part 8\n\n## Annex A: Form\n\nThe form states a name.\n\n## Annex B: Amounts\n\n"
        "| Line | Subject | Amount |\n|---|---|---|\n| 1 | Entrance | 60.00 |\n"
        "| 7 | Replacement | 35.00 |\n| 8 | Cellar | 9.00 |\n"
    ),
}


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("what does a new key cost if I lose mine", "| 7 | Replacement | 35.00 |"),
        ("does a member who loses a key tell the warden", None),  # no amount is asked
        ("how much is a key to the cellar", None),  # the clause says it
    ],
)
def test_the_line_of_an_annex_is_shown_in_which_an_amount_stands(
    index_files: IndexFiles, question: str, row: str | None
) -> None:
    cards = card_reply(index_files(BYLAWS, rag_threshold=-9.0), question).cards
    opened = [one for one in cards if one.path == "8 Annexes.md" and not one.folded]
    marked = [one.lines[part.first_line] for one in opened for part in one.marked]
    assert cards[0].path == "5 House.md"
    assert marked == ([row] if row else [])
