"""What a folded card shows besides its best entry is of the same section."""

from api.answer.cards import from_passage
from retrieval.models import Chunk, Evidence, Hit
from retrieval.ranking.lines import QuestionWords
from tests.support.index.indexed_text import indexed_file, terms_of

WATER = "# Fire\n\n* Torches\n  * burn for an hour\n\n# Water\n\n* Torches\n  * go out at once\n"


def test_an_item_is_introduced_by_its_own_section() -> None:
    file = indexed_file(WATER)
    best = next(one for one in file.entries if "go out" in one.quote)
    chunk = Chunk(file.path, best.heading, 1, 9, WATER)
    asked = QuestionWords.of("What goes out at once?", terms_of({file.path: WATER}))
    card = from_passage.card(Hit(chunk, 1.0, (Evidence(best, 1.0),)), file, asked)
    assert {one.first_line for one in card.entries} <= {8, 9}
    assert "Water" in card.heading


def test_an_item_whose_introduction_is_no_entry_is_shown_alone() -> None:
    source = "# S\n\nWhen a ship leaves, the crew must:\n\n- raise the anchor\n- sing\n"
    file = indexed_file(source)
    best = next(one for one in file.entries if "anchor" in one.quote)
    chunk = Chunk(file.path, best.heading, 1, 6, source)
    asked = QuestionWords.of("What must be raised?", terms_of({file.path: source}))
    card = from_passage.card(Hit(chunk, 1.0, (Evidence(best, 1.0),)), file, asked)
    assert card.entries == (best,)
