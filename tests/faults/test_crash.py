"""The same ingest made to fail at its first, second, … last fault point, in every way.

All is real but the encoder: a hash stands for it, since hundreds of ingests are run. The ordinary
tests try one kind of fault after the other, at every point of an edit and at a part of the points
elsewhere (RULES_FAULT_STEP=1: at all); after each the readers are asked, and the next ingest is run
for each state that a fault left. The soak tries every kind at every point of every scenario, and
runs the next ingest after each.
"""

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.support.faults.crash_state import content, contents, rows
from tests.support.faults.crashes import Ended, Index, Laboratory, Turn
from tests.support.source.promises_table import Runs

STATUS = {  # of the program; 1: Python's, of a traceback
    "raise": {1},
    "exit": {86},
    "kill": {-9},
    "interrupt": {130},
    "drop": {0, 2},
}
_MOST = 300  # points of an ingest; a loop that never ends would be a fault of ours
_STEP = int(os.environ.get("RULES_FAULT_STEP", "3"))  # prime to the number of kinds, or 1
_OLD_TABLES = """
    DROP TABLE migration;
    DROP TABLE feedback, rate_window, telemetry, given_answer, word, corpus, chunk_bits;
    ALTER TABLE chunk DROP COLUMN place;
    ALTER TABLE generation DROP COLUMN off_topic;
    DROP INDEX generation_one_previous;
    ALTER TABLE generation DROP CONSTRAINT generation_state_check;
    ALTER TABLE generation ADD CONSTRAINT generation_state_check
        CHECK (state IN ('live', 'temporary'));
"""  # the tables as they were before there were migrations

Kinds = Sequence[str]  # the n-th point gets the n-th of them, and so on from the first


@pytest.mark.proves("promise 1", "promise 2", "promise 3", "promise 5", "row 9")
def test_an_edit_survives_a_fault_at_every_point(lab: Laboratory, runs: Runs) -> None:
    runs(edit(lab, [*STATUS]))


@pytest.mark.proves("promise 1", "promise 2", "promise 3", "row 9")
def test_the_beginning_of_a_first_ingest_survives_faults(lab: Laboratory, runs: Runs) -> None:
    runs(first_ingest(lab, [*STATUS]))


@pytest.mark.proves("promise 1", "promise 2", "promise 3", "promise 5", "promise 7", "row 9")
def test_another_model_survives_faults(lab: Laboratory, runs: Runs) -> None:
    runs(another_model(lab, [*STATUS]))


@pytest.mark.proves("promise 1", "promise 2", "promise 3", "row 9")
def test_a_rollback_survives_faults(lab: Laboratory, runs: Runs) -> None:
    runs(rollback(lab, [*STATUS]))


@pytest.mark.proves("promise 1", "promise 2", "row 9")
def test_an_update_of_the_tables_survives_faults(lab: Laboratory, runs: Runs) -> None:
    runs(old_tables(lab, [*STATUS]))


def edit(lab: Laboratory, kinds: Kinds, *, thorough: bool = False) -> int:
    """Change, rename, delete and add a file, and back again."""
    old, new = lab.job("old", "a"), lab.job("new", "a")
    turns = [lab.turn(old, new), lab.turn(new, old)]
    return _to_and_fro(lab, turns, kinds, thorough=thorough, step=1)


def another_model(lab: Laboratory, kinds: Kinds, *, thorough: bool = False) -> int:
    """The same, and each time a model that neither the live nor the previous generation has."""
    ways = zip(("old", "new") * 3, "abcabc", strict=True)
    jobs = [lab.job(vault, model) for vault, model in ways]
    turns = [lab.turn(before, job) for before, job in itertools.pairwise([*jobs, jobs[0]])]
    return _to_and_fro(lab, turns, kinds, thorough=thorough)


def rebuild(lab: Laboratory, kinds: Kinds, *, thorough: bool = False) -> int:
    """The same with the model that the index has: vectors of known texts are taken over."""
    old, new = lab.job("old", "a", "--rebuild"), lab.job("new", "a", "--rebuild")
    return _to_and_fro(lab, [lab.turn(old, new), lab.turn(new, old)], kinds, thorough=thorough)


def first_ingest(lab: Laboratory, kinds: Kinds, *, thorough: bool = False) -> int:
    """An empty database; from its first generation on as with another model, so only the soak."""
    job = lab.job("old", "a")
    turn = Turn(job, None, lab.fresh(job), job, lab.fresh(job))
    last = "" if thorough else "SELECT coalesce(sum(octet_length"
    return _from_anew(lab, lab.index, turn, kinds, thorough=thorough, last=last)


def rollback(lab: Laboratory, kinds: Kinds, *, thorough: bool = False) -> int:
    """Back to the generation before the last."""
    old, new = lab.job("old", "a"), lab.job("new", "a", "--rebuild")
    back = lab.job("new", "a", "--rollback")
    mend = lab.job("new", "a")
    turn = Turn(back, lab.fresh(new), lab.fresh(old), mend, lab.fresh(new))
    return _from_anew(lab, lambda: lab.index(old, new), turn, kinds, thorough=thorough)


def old_tables(lab: Laboratory, kinds: Kinds, *, thorough: bool = False) -> int:
    """An index that was made before there were migrations; the points up to their commit."""
    old = lab.job("old", "a")

    @contextmanager
    def start() -> Iterator[Index]:
        with lab.index(old) as index:
            index.conn.execute(_OLD_TABLES)
            yield index

    turn = lab.turn(old, lab.job("new", "a"))
    return _from_anew(
        lab,
        start,
        turn,
        kinds,
        thorough=thorough,
        last="SELECT id, state FROM generation WHERE state IN",
    )


@pytest.mark.soak
@pytest.mark.proves("promise 1", "promise 2", "promise 3", "promise 5", "row 9")
@pytest.mark.parametrize("kind", STATUS)
@pytest.mark.parametrize(
    "scenario", [edit, another_model, rebuild, first_ingest, rollback, old_tables]
)
def test_every_fault_at_every_point_of_every_scenario(
    lab: Laboratory, scenario: Callable[..., int], kind: str, runs: Runs
) -> None:
    runs(scenario(lab, [kind], thorough=True))


def _to_and_fro(
    lab: Laboratory, turns: list[Turn], kinds: Kinds, *, thorough: bool, step: int = _STEP
) -> int:
    """Let a turn fail at one point after the other until none is left; return how often it did.

    Once the index is at the turn's end, the next turn goes on with the next point.
    """
    tried = idle = 0  # one turn may have a point less than the next
    ways = itertools.cycle(turns)
    turn = next(ways)
    mended: list[object] = []
    with lab.index(turns[-1].then) as index:
        for n in range(1, _MOST, 1 if thorough else step):
            tried += 1
            idle = 0 if _fails_at(lab, index, turn, kinds, n).fault else idle + 1
            if idle == 2:
                return tried - idle
            left = contents(index.conn)
            if thorough or left not in mended:
                mended.append(left)
                lab.converge(index, turn)
            if content(index.conn) == turn.after:
                turn = next(ways)
    return pytest.fail(f"{_MOST} points and no end")


def _from_anew(
    lab: Laboratory,
    start: Callable[[], AbstractContextManager[Index]],
    turn: Turn,
    kinds: Kinds,
    *,
    thorough: bool,
    last: str = "",
) -> int:
    """The same, but each time from what `start` yields; `last` is the last point of interest."""
    tried = 0
    mended: list[object] = []
    points = iter(range(1, _MOST, 1 if thorough else _STEP))
    is_over = False
    while not is_over:
        with start() as index:
            before = rows(index.conn)
            while not is_over and rows(index.conn) == before:
                ended = _fails_at(lab, index, turn, kinds, next(points))
                is_over = not ended.fault or (bool(last) and ended.is_past(last))
                tried += bool(ended.fault)
                if thorough:
                    break
            left = (rows(index.conn) is None, contents(index.conn))  # no tables are no empty ones
            if thorough or left not in mended:
                mended.append(left)
                lab.converge(index, turn)
    return tried


def _fails_at(lab: Laboratory, index: Index, turn: Turn, kinds: Kinds, n: int) -> Ended:
    """Let the turn fail at its n-th point and return how it ended.

    Points at what the last fault left are not counted: that an ingest locks and removes each
    generation of it, and commits that.
    """
    left = sum(state in ("building", "temporary") for state, _ in contents(index.conn))
    kind = kinds[(n - 1) % len(kinds)]
    ended = lab.fail(index, turn, f"{kind}:{n + 3 * left}")
    assert ended.status in (STATUS[kind] if ended.fault else {0}), ended
    return ended
