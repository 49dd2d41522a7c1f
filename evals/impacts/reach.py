"""Tell whether an edit can reach a question, from what the state before answered to it.

The passages of edited files are ranked in the state after it, by the functions that rank for users,
among the best of those that were not edited: scores are compared that the edit itself has moved.
What is not looked at again are passages far below those that are returned.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from api.answer.card_reply import AskOptions, Understood, understood
from api.answer.cards import collected
from api.answer.cards.folders import Folder
from evals.labels.dataset import Question
from evals.measure.outcome import Outcome
from retrieval.context import SearchContext
from retrieval.index import indexed_file, store
from retrieval.index.store import Connection, Generation, ScoredChunk
from retrieval.models import Scope, SearchResult, SourceNote, Terms
from retrieval.ranking import candidate_lists, candidates, fusion
from retrieval.ranking.candidate_lists import LIST_LENGTH, Lists
from retrieval.ranking.candidates import Ranking
from retrieval.ranking.fusion import Candidates
from retrieval.ranking.lines import QuestionWords
from retrieval.refusal import off_topic
from retrieval.search import in_words_of
from retrieval.search_trace import Candidate
from retrieval.text.normalize import searchable

_LOOKED_AT = 16  # passages that were not edited, the best ones
_DRIFT = 0.03  # of a score: what an edit of others' words may move
_NEAR_LIMIT = 0.01  # of what `off_topic.over_limit` returns
_PLACES = 3  # of the list of full text that others' words may move at its end


@dataclass(frozen=True, slots=True)
class Edited:
    """The state after an edit, and what was edited in either state."""

    context: SearchContext  # with caches for this state alone
    generation: Generation
    terms: Terms
    baseline: tuple[float, float]  # of `topic_scores`, before the edit and after it
    paths: frozenset[str]  # of edited files
    notes: tuple[SourceNote, ...]  # of edited files, of both states
    rows: Mapping[str, int]  # of every chunk, by its id
    edited_rows: frozenset[int]

    @classmethod
    def between(
        cls, context: SearchContext, before: int, after: int, paths: Iterable[str]
    ) -> "Edited":
        """Return what `is_reached` reads of the generation `after` and of the one `before`."""
        edited = frozenset(paths)

        def read(conn: Connection) -> "Edited":
            then, now = (store.generation(conn, number) for number in (before, after))
            rows = indexed_file.chunk_rows(conn, after)
            notes = [indexed_file.notes(conn, number, edited) for number in (before, after)]
            baselines = [
                context.baseline.of(conn, one, context.embedder, context.existing(conn, one))
                for one in (then, now)
            ]
            return cls(
                context, now, context.terms_at(conn, now), (baselines[0], baselines[1]), edited,
                tuple(note for of_state in notes for note in of_state.values()), rows,
                frozenset(row for chunk, row in rows.items() if _path(chunk) in edited),
            )  # fmt: skip

        return context.read(read)


def is_reached(after: Edited, question: Question, before: Outcome, top_k: int) -> bool:
    """Tell whether the state after an edit may answer otherwise than `before`.

    `question` has the labels of the state after it.
    """
    reply, found = before.reply, before.found
    labelled = (gold.path for place in question.places for gold in place)
    if reply is None or question != before.question or not after.paths.isdisjoint(labelled):
        return True
    if question.history:  # what was asked before is not followed here
        return True
    if not _is_read_alike(after, question, before):
        return True
    return any(_may_move(after, one, top_k) for one in (found, *reply.parts))


def _is_read_alike(after: Edited, question: Question, before: Outcome) -> bool:
    """Whether the words of the vault make the same of the question as before."""
    reply, found = before.reply, before.found
    options = AskOptions(generation_id=after.generation.id)
    made = understood(after.context, question.question, options, after.terms, after.terms)
    if reply is None or (made.talk, made.question) != (reply.talk, reply.question):
        return False
    if made.reading != reply.reading:
        return False
    if made.reading.form in {"list", "which"} and _listed(after, made) != reply.folders:
        return False
    searched = [(made.question, found), *zip(made.reading.parts, reply.parts, strict=False)]
    return all(_has_its_words(after, typed, one) for typed, one in searched)


def _listed(after: Edited, made: Understood) -> tuple[Folder, ...]:
    name, terms = after.generation.name, after.terms
    return collected.listed(after.context, name, made.question, made.reading, terms)


def _has_its_words(after: Edited, typed: str, found: SearchResult) -> bool:
    """Whether names, fields and abbreviations say of a search's question what they said."""
    if in_words_of(after.context, typed, after.terms) != found.question:
        return False
    then, now = (QuestionWords.of(found.question, terms) for terms in (found.terms, after.terms))
    return (then.words, then.said, then.values) == (now.words, now.said, now.values)


def _may_move(after: Edited, found: SearchResult, top_k: int) -> bool:
    if found.late != "stored" or found.rerank != "off":
        return True
    shown = {hit.chunk.path for hit in found.passages}
    if not after.paths.isdisjoint(shown):
        return True
    if any(note.overrides(path) for note in after.notes for path in shown):
        return True
    apart = [row for row in found.trace if _path(row.chunk_id) not in after.paths]
    best = apart[:_LOOKED_AT]
    rows = {after.rows.get(row.chunk_id) for row in best}
    if None in rows:
        return True
    lists = _lists(after, found, after.edited_rows | {row for row in rows if row is not None})
    encoded = after.context.embedder.question(_words(found))
    for text in _texts(after, found, best, lists):
        fused = fusion.fused(after.context, found.question, encoded, replace(lists, text=text))
        now = candidates.rank(after.context, found.question, fused.order, None, lists.notes, top_k)
        if [chosen.chunk.id for chosen, _ in now.kept] != [hit.chunk.id for hit in found.hits]:
            return True
        if _comes_near(found, now, apart, top_k) or _may_be_refused(after, found, apart, fused):
            return True
    return False


def _words(found: SearchResult) -> str:
    return searchable(found.question).strip()


def _lists(after: Edited, found: SearchResult, rows: frozenset[int]) -> Lists:
    """What the index holds of these chunks for the question."""
    scope = Scope(after.paths, "{" + ",".join(map(str, sorted(rows))) + "}", 0)
    words, context = _words(found), after.context
    encoded = context.embedder.question(words)
    return context.read(
        lambda conn: candidate_lists.collect(conn, context, after.generation, words, encoded, scope)
    )


def _texts(
    after: Edited, found: SearchResult, best: Sequence[Candidate], lists: Lists
) -> Iterator[list[ScoredChunk]]:
    """Yield the list of full text as far as it was looked at again.

    A passage that was not edited is in it where it was before. Of those at the list's end it is not
    known: once more with all of them, and without any.
    """
    scores = {row.chunk_id: row.text_score for row in found.trace if row.text_score is not None}
    edited = [one.score for one in lists.text if one.row_id in after.edited_rows]
    old = [score for chunk, score in scores.items() if _path(chunk) in after.paths]
    order = sorted(scores.values(), reverse=True)
    may_leave, may_come = set(), set()
    if len(order) >= LIST_LENGTH:
        more = len(old) - sum(score > order[-1] for score in edited)  # places that became free
        limit = 2 * order[-1] - order[LIST_LENGTH - 1 - max(0, more) - _PLACES]
        may_come = {one.chunk.id for one in lists.text if one.score > limit} - scores.keys()
        for row in best:
            if row.text_rank and row.text_score:
                above = sum(score >= row.text_score for score in edited)
                above -= sum(score > row.text_score for score in old)
                if row.text_rank + above > LIST_LENGTH - _PLACES:
                    may_leave.add(row.chunk_id)
    same = [one for one in lists.text if one.chunk.path in after.paths or one.chunk.id in scores]
    yield same
    if may_leave:
        yield [one for one in same if one.chunk.id not in may_leave]
    if may_come - {one.chunk.id for one in same}:
        yield [one for one in lists.text if one in same or one.chunk.id in may_come]


def _comes_near(found: SearchResult, now: Ranking, apart: Sequence[Candidate], top_k: int) -> bool:
    """Whether a passage that was not looked at again is nearly as good as the last returned."""
    bar = now.kept[-1][1] if len(now.kept) >= top_k else found.threshold
    unseen = max((row.final_score or 0.0 for row in apart[_LOOKED_AT:]), default=0.0)
    return unseen > bar - _DRIFT


def _may_be_refused(
    after: Edited, found: SearchResult, apart: Sequence[Candidate], fused: Candidates
) -> bool:
    """Whether the edit may refuse as off-topic what was not refused, or the other way round."""
    given = off_topic.signals(replace(found, terms=after.terms))
    limits = off_topic.limits(after.context, after.generation, after.terms.entries)
    if not found.hits or limits is None:
        return False
    if given is None or given.covered is None or fused.pieces is None or not found.matched:
        return True
    weights, _, best = np.array(found.matched).T
    more = fused.pieces - best
    is_refused = off_topic.refuses(found)
    if is_refused:
        nearest = max(item.dense_score for item in fused.order)
        covered = given.covered + float(weights @ np.maximum(more, 0.0))
    else:
        nearest = max(row.dense_score for row in apart)
        left = len(apart) < len(found.trace)  # a passage is no candidate any more
        covered = given.covered + (float(weights @ np.minimum(more, 0.0)) if left else 0.0)
    then, now = after.baseline
    nearer = nearest - (found.off_topic_score + then - now)
    # A passage that is edited may come to say a short question, or say it no more.
    then_given = replace(given, nearer=nearer, covered=covered, few_said=is_refused)
    over = off_topic.over_limit(then_given, limits)
    return over >= -_NEAR_LIMIT if is_refused else over < _NEAR_LIMIT


def _path(chunk_id: str) -> str:
    return chunk_id.rsplit(":", 1)[0]
