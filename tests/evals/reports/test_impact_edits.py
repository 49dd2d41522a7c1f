"""What `evals.impact` takes for an edit of a vault, and the passages that it holds to blame."""

from evals.impacts import states
from evals.impacts.states import Edit
from retrieval.models import Chunk


def test_edits_are_the_lines_that_differ() -> None:
    before = {"a.md": "one\ntwo\nthree", "b.md": "gone", "c.md": "same"}
    after = {"a.md": "one\n2\nthree\nfour", "c.md": "same", "d.md": "new"}
    assert states.edits(before, after) == [
        Edit("a.md", range(2, 3), range(2, 3), ("two",), ("2",)),
        Edit("a.md", range(4, 4), range(4, 5), (), ("four",)),
        Edit("b.md", range(1, 2), range(1, 1), ("gone",), ()),
        Edit("d.md", range(1, 1), range(1, 2), (), ("new",)),
    ]


def test_an_edit_is_blamed_for_passages_that_hold_it() -> None:
    def passage(first: int, last: int, path: str = "a.md") -> Chunk:
        return Chunk(path, "", first, last, "")

    change = Edit("a.md", range(5, 7), range(9, 10), ("x", "y"), ("z",))
    taken = Edit("a.md", range(5, 7), range(5, 5), ("x", "y"), ())
    assert states.touching([change], [passage(6, 8)], []) == (change,)
    assert states.touching([change], [passage(7, 8)], []) == ()
    assert states.touching([change], [], [passage(9, 9)]) == (change,)
    assert states.touching([change], [], [passage(5, 8)]) == ()
    assert states.touching([change], [passage(1, 9, "b.md")], [passage(1, 9, "b.md")]) == ()
    assert states.touching([taken], [], [passage(4, 5)]) == (taken,)  # from between its lines
