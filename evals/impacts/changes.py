"""Compare what search finds in two states of a vault: the questions, and the edits to blame."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evals.impacts.states import Edit, touching
from evals.impacts.two_processes import Pair
from evals.measure.outcome import Outcome
from retrieval.models import Chunk
from retrieval.ranking.reranking import passage_text
from retrieval.vault_files import ALIASES

Verdict = Literal["broken", "fixed", "different"]


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose passages changed: those that are gone, those that are new, and by what.

    "broken" was right and is wrong now, "fixed" the other way round; right is a hit, and for an
    unanswerable question a refusal. Without `edits` none of their files was edited, nor a file of
    aliases: others moved.
    """

    verdict: Verdict
    after: Outcome
    gone: tuple[Chunk, ...]
    new: tuple[Chunk, ...]
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Impact:
    """What an edit does: of `questions`, those that changed."""

    base: str  # the commit
    top_k: int
    questions: int
    edits: tuple[Edit, ...]
    changes: tuple[Change, ...]


def compare(pairs: Sequence[Pair], base: str, edited: tuple[Edit, ...], top_k: int) -> Impact:
    """Compare what the same questions got in two states, each with the labels of its time.

    `base` is the commit of the first state.
    """
    changes = [change for then, now in pairs if (change := _change(then, now, edited))]
    return Impact(base, top_k, len(pairs), edited, tuple(changes))


def _change(before: Outcome, after: Outcome, edited: Sequence[Edit]) -> Change | None:
    then = {_identity(hit.chunk): hit.chunk for hit in before.found.hits}
    now = {_identity(hit.chunk): hit.chunk for hit in after.found.hits}
    right, was_right = after.right, before.right
    if list(then) == list(now) and right == was_right:
        return None
    verdict: Verdict = "different" if right == was_right else "fixed" if right else "broken"
    gone = tuple(chunk for key, chunk in then.items() if key not in now)
    new = tuple(chunk for key, chunk in now.items() if key not in then)
    files = {chunk.path for chunk in (*gone, *new)}  # an edit further up can move a cut
    edited = _of_lost_quote(after, edited) or edited
    blamed = touching(edited, gone, new) or tuple(
        edit for edit in edited if edit.path in files or edit.path.endswith(ALIASES)
    )
    return Change(verdict, after, gone, new, blamed)


def _of_lost_quote(after: Outcome, edited: Sequence[Edit]) -> list[Edit]:
    """The edits of the files that a quote is gone from; none where all quotes are in the vault."""
    golds = [gold for place in after.question.places for gold in place]
    paths = {gold.path for gold in golds if after.lost_at == "label"}
    return [edit for edit in edited if edit.path in paths]


def _identity(chunk: Chunk) -> tuple[str, str]:
    """What a reader sees: line numbers move with every edit above, and blank lines say nothing."""
    return chunk.path, " ".join(passage_text(chunk).split())
