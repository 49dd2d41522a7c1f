"""Of a glossary, and of questions with their answers, a card shows the term that answers."""

from api.answer.card_reply import card_reply
from api.answer.cards.blocks import blocks, terms_of
from tests.support.index.indexed_text import indexed_file
from tests.support.index.ingested import IndexFiles

GLOSSARY = """# Words we use

Put together for beginners.

**Anchor.** The operator at the base, who keeps the log and does not leave the room for tea.

**Debrief.** The talk with tea, straight after a job.

**Lead.** An officer, or what a puppy is kept on until it has learned to come when it is called.

**Shadow.** To do a job beside the person who really does it.

**Watch.** A week of duty, from Monday to Monday.

**White board.** Where everyone signs in, with the time and the name of the car that they came in.

**Yard.** The place behind the hall where the trailers stand, and where nobody may park.
"""
FAQ = """# Often asked

**May I bring a friend?**
Yes, twice a year, to an evening in the hall, if the friend has signed the sheet beside the door.

**Is there tea?**
There is, and it is free for all who have washed at least one cup.

**May I bring a dog?**
Yes, to an evening outside, on a lead, if the dog has been there before and is known to the others.

**Where are the keys?**
They hang in the office, each on its own hook, and the book beside them says who has taken which.
"""


def test_of_a_glossary_the_terms_beside_the_one_that_answers_are_left_out(
    index_files: IndexFiles,
) -> None:
    context = index_files({"glossary.md": GLOSSARY, "b.md": "# Boots\n\nBoots dry in the hall.\n"})
    card = card_reply(context, "from which day to which day is a watch").cards[0]
    assert list(card.lines.values()) == ["**Watch.** A week of duty, from Monday to Monday."]


def test_of_questions_with_answers_one_is_shown(index_files: IndexFiles) -> None:
    context = index_files({"faq.md": FAQ, "b.md": "# Boots\n\nBoots dry in the hall.\n"})
    card = card_reply(context, "may my dog come along in the evening").cards[0]
    assert card.lines.keys() == {9, 10}


PROSE = """# Gate

**All members** must sign in at the gate, with the time and the name of the one who let them in.

This holds for guests too, who are let in by a member alone, and who leave with that member again.

**Never** enter the yard alone when the light is out, whatever you have left there the day before.

Whoever has the key locks the gate at ten, after a look behind the hall and below the trailers.

**Note** that the bell of the gate is loud, and that people live across the street from it.
"""


def test_prose_with_bold_words_has_no_terms() -> None:
    file = indexed_file(PROSE)
    assert terms_of(file, blocks(file)) == []
    glossary = indexed_file(GLOSSARY)
    assert len(terms_of(glossary, blocks(glossary))) == 7
