"""Write what became of each question to the database: behind its reply, in a thread of its own."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any

from api.keys.key_file import Key
from api.observability.logs import OncePerMinute
from api.schema.answer import Answer
from api.telemetry.scrubbing import scrubbed
from retrieval.database.pool import Store
from retrieval.errors import LlmAbandonedError, OverloadedError, RulesError
from retrieval.metadata.filters import Given as Filter
from retrieval.settings import Settings
from retrieval.usage import feedback, telemetry
from retrieval.usage.feedback import RatedAnswer
from retrieval.usage.telemetry import AskedQuestion

_Given = tuple[RatedAnswer, Filter | None]  # an answer, and the filter of the key that asked
_Row = tuple[AskedQuestion, _Given | None]

END = "question_end"  # of a request's state: its answer, or the title of its error
MOST_WAITING = 1_000  # rows; further ones are dropped
_AT_ONCE = 200
_PAUSE = 0.2  # seconds in which further rows are waited for
_PLACES = 4
_HOUR = 3_600.0  # seconds without a question after which what is old is removed
_END_SECONDS = 2.0  # for the last rows when the server stops

log = logging.getLogger("api.telemetry")
log.addFilter(OncePerMinute())


class Recorder:
    """Stores rows one after the other; nobody who asks waits for it, and a fault is only logged."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._days = settings.telemetry_days
        self._stores_questions = settings.telemetry_stores_questions
        self._feedback_stores_questions = settings.feedback_stores_questions
        self._rows: Queue[_Row | None] = Queue(MOST_WAITING)
        self._is_closing = Event()
        self._thread = Thread(target=self._run, name="telemetry", daemon=True)
        self._thread.start()

    def answered(self, given: Answer, milliseconds: float, key: Key | None) -> None:
        """Store an answer or a refusal, which may be rated from then on."""
        rated = RatedAnswer(
            request_id=given.request_id,
            question=given.question if self._feedback_stores_questions else None,
            generation=given.generation,
            certainty=given.certainty,
            guard=given.guard.verdict,
            cards=tuple(f"{c.path}:{c.first_line}-{c.last_line}" for c in given.cards),
        )
        shown = given.cards or given.passages
        self.put(
            AskedQuestion(
                request_id=given.request_id,
                outcome=given.certainty,
                reason=given.refusal_reason or "",
                milliseconds=milliseconds,
                guard=given.guard.verdict if given.usage.completion_tokens else "",
                prompt_tokens=given.usage.prompt_tokens,
                completion_tokens=given.usage.completion_tokens,
                key=key.name if key else "",
                generation=given.generation,
                places=[f"{one.path}:{one.first_line}-{one.last_line}" for one in shown[:_PLACES]],
                question=given.question if self._stores_questions else None,
            ),
            (rated, key.filter if key else None),
        )

    def put(self, row: AskedQuestion, answer: _Given | None = None) -> None:
        """Store a row soon; where too many wait it is dropped, which the log says."""
        try:
            self._rows.put_nowait((row, answer))
        except Full:
            log.warning("%d rows wait for the database; further ones are dropped", MOST_WAITING)

    def close(self) -> None:
        """Store what waits, as far as the database takes it now."""
        self._is_closing.set()
        try:
            self._rows.put(None, timeout=_END_SECONDS)
        except Full:
            log.warning("the database takes no rows; those that wait are dropped")
        self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        self._write([])  # removes what is old
        while True:
            try:
                row = self._rows.get(timeout=_HOUR)
            except Empty:
                self._write([])
                continue
            if row is None:
                return
            self._is_closing.wait(_PAUSE)  # a connection is made for each write
            rows = [row]
            try:
                while len(rows) < _AT_ONCE and (further := self._rows.get_nowait()) is not None:
                    rows.append(further)
            except Empty:
                further = row
            self._write([_scrubbed(row) for row in rows])
            if further is None:
                return

    def _write(self, rows: list[_Row]) -> None:
        answers = [answer for _, answer in rows if answer]
        try:
            with self._store.connect() as conn:
                telemetry.write(conn, [row for row, _ in rows], self._days)
                feedback.remember(conn, answers)
        except RulesError as error:
            log.warning("%d rows are lost: %s", len(rows), error)


def _scrubbed(row: _Row) -> _Row:
    """Return a row without what tells who asked: here, as it may take a tenth of a second."""
    asked, answer = row
    asked = replace(asked, question=_without_names(asked.question))
    if answer:
        answer = replace(answer[0], question=_without_names(answer[0].question)), answer[1]
    return asked, answer


def _without_names(text: str | None) -> str | None:
    try:
        return None if text is None else scrubbed(text)
    except Exception:  # whatever a library meets in a text of a user, the rows are stored without
        log.exception("a question's text is not stored: it could not be read for numbers")
        return None


def record(state: Mapping[str, Any], milliseconds: float) -> None:
    """Store what became of a request's question, where it had a place; call it behind the reply."""
    recorder: Recorder | None = state.get("recorder")
    end: Answer | str | None = state.get(END)
    if recorder is None or end is None or end == OverloadedError.__name__:
        return  # who asks too much writes no rows: the metrics count those that had no place
    key = state.get("key")
    if isinstance(end, Answer):
        recorder.answered(end, milliseconds, key)
        return
    outcome = "abandoned" if end == LlmAbandonedError.__name__ else "error"
    reason = end if outcome == "error" else ""
    recorder.put(
        AskedQuestion(
            state["request_id"], outcome, reason, milliseconds, key=key.name if key else ""
        )
    )


@contextmanager
def recording(store: Store, settings: Settings) -> Iterator[Recorder | None]:
    """Yield what stores questions and answers; None where TELEMETRY_DAYS is 0."""
    if not settings.telemetry_days:
        yield None
        return
    recorder = Recorder(store, settings)
    try:
        yield recorder
    finally:
        recorder.close()
