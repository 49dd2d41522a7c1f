"""The cards that an answer has over a small vault with one of each form."""

from collections.abc import Sequence

from api.answer.cards import card_selection, render
from api.answer.cards.card import Card
from api.answer.question import intent
from retrieval.context import SearchContext
from retrieval.search import search
from tests.support.vaults.made_vault import FILES

STOWAWAYS = (
    "# Stowaways\n\nWho hides on a ship before it sails is put ashore in the next harbour. The "
    "harbour office writes down his name, and no master of that harbour signs him on for a year "
    "and a day. Children under twelve are brought home at the cost of the town, and nobody is to "
    "strike them. Whoever hides again within that year is brought before the judge of the "
    "harbour, who may send him to the galleys for a season or let him go against the word of two "
    "citizens.\n\nA stowaway who is found at sea owes the master of the ship:\n\n"
    "- the fare of the whole voyage\n- work at the pumps\n"
)
VAULT = {**FILES, "6. Law/Stowaways.md": STOWAWAYS}


def chosen(context: SearchContext, asked: str) -> tuple[Card, ...]:
    """Return the cards for a question, best first."""
    found = search(context, asked)
    reading = intent.read(asked, found.terms)
    parts = [search(context, part) for part in reading.parts]
    return card_selection.choose(found, parts, reading)


def written(shown: Sequence[Card]) -> str:
    """Return cards as the Markdown of an answer."""
    return render.markdown(shown)


def first(context: SearchContext, asked: str) -> str:
    """Return the text of the first card for a question."""
    return render.text(chosen(context, asked)[0])
