"""Characters of the gold that passages show, counted by hand."""

import pytest

from evals.labels.dataset import Gold
from evals.measure import span_overlap
from retrieval.models import Chunk

FILES = {
    "a.md": "# Torch\n\nA torch burns for one hour.\n\n| Item | Cost |\n|---|---|\n| Oil | 2 |\n",
    "b.md": "same words\n\nother\n\nsame words\n",
}
PAGE_OF = span_overlap.pages_of(FILES)
TORCH = Gold("a.md", "A torch burns for one hour.")  # 27 characters
OIL = Gold("a.md", "| Oil | 2 |")


def chunk(path: str, first: int, last: int, text: str | None = None, context: str = "") -> Chunk:
    lines = FILES[path].split("\n")[first - 1 : last]
    return Chunk(path, "", first, last, "\n".join(lines) if text is None else text, context)


def test_a_whole_gold_alone_is_all_recall_and_all_precision() -> None:
    assert span_overlap.shares([TORCH], [], [chunk("a.md", 3, 3)], PAGE_OF) == (1.0, 1.0)


def test_what_else_is_shown_costs_precision() -> None:
    recall, precision = span_overlap.shares([TORCH], [], [chunk("a.md", 1, 3)], PAGE_OF) or (0, 0)
    assert recall == 1.0
    assert precision == pytest.approx(27 / (27 + len("# Torch ")))


def test_a_part_of_a_line_shows_a_part_of_the_gold() -> None:
    shown = [chunk("a.md", 3, 3, "A torch burns")]
    recall, precision = span_overlap.shares([TORCH], [], shown, PAGE_OF) or (0, 0)
    assert recall == pytest.approx(13 / 27)
    assert precision == 1.0


def test_a_repeated_header_counts_as_shown() -> None:
    header = Gold("a.md", "| Item | Cost |")
    bare, repeated = chunk("a.md", 7, 7), chunk("a.md", 7, 7, None, "| Item | Cost |\n|---|---|")
    assert span_overlap.shares([header], [], [bare], PAGE_OF) == (0.0, 0.0)
    recall, precision = span_overlap.shares([header], [], [repeated], PAGE_OF) or (0, 0)
    assert recall == 1.0
    assert 0 < precision < 1


def test_the_other_file_and_no_passage_show_nothing() -> None:
    assert span_overlap.shares([TORCH], [], [chunk("b.md", 1, 5)], PAGE_OF) == (0.0, 0.0)
    assert span_overlap.shares([TORCH], [], [], PAGE_OF) == (0.0, 0.0)


def test_equally_good_golds_count_for_precision_and_not_for_recall() -> None:
    shown = [chunk("a.md", 3, 3), chunk("a.md", 7, 7)]
    assert span_overlap.shares([TORCH], [OIL], shown, PAGE_OF) == (1.0, 1.0)
    recall, precision = span_overlap.shares([TORCH], [], shown, PAGE_OF) or (0, 0)
    assert recall == 1.0
    assert precision == pytest.approx(27 / 32)


def test_a_quote_of_two_places_counts_where_it_is_shown() -> None:
    twice = Gold("b.md", "same words")
    assert span_overlap.shares([twice], [], [chunk("b.md", 5, 5)], PAGE_OF) == (1.0, 1.0)


@pytest.mark.parametrize("gold", [Gold("a.md", "gone"), Gold("a.md", ""), Gold("c.md", "Torch")])
def test_what_stands_nowhere_is_not_counted(gold: Gold) -> None:
    assert span_overlap.shares([gold], [], [chunk("a.md", 1, 7)], PAGE_OF) is None
    assert span_overlap.lines(gold, PAGE_OF) is None


def test_a_gold_has_its_first_and_last_line() -> None:
    assert span_overlap.lines(Gold("a.md", "Cost |\n|---|---|\n| Oil"), PAGE_OF) == (5, 7)
