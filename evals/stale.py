"""Edit a vault, ingest it, and demand that no reply of any API shows the old text.

Two APIs answer from one index, each a process of its own, and are asked all the time. A copy of the
handbook is edited case by case, and `python -m ingest` run after each edit: once it has returned,
every reply shows the new state; while it runs, each shows the old one or the new one, whole.
Nothing here touches an index that answers anybody.

Exit status: 0 the gate passed; 1 a reply was stale, mixed or missing; 2 nothing could be measured,
which is never a pass.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any, Literal

import httpx2

from evals.answers import program
from evals.answers.program import EvalReport, ReportRow
from evals.answers.running_apis import Stage, opened, wait_until
from evals.labels.options import HANDBOOK
from retrieval.errors import DatasetError

_ENOUGH = 3  # replies of an API in a phase
_PAUSE = 0.05  # seconds between two questions, which leave the ingest a part of the machine

State = Literal["old", "new", "both", "neither", "error"]
Phase = Literal["before", "during", "after"]
RIGHT: Mapping[Phase, set[State]] = {"before": {"old"}, "during": {"old", "new"}, "after": {"new"}}


@dataclass(frozen=True, slots=True)
class RulePlace:
    """Words of a rule that stand once in a vault, and the file that they stand in."""

    path: str
    words: str


@dataclass(frozen=True, slots=True)
class EditCase:
    """An edit, and the place of a question's answer before and after it; None: it has none."""

    name: str
    edit: Callable[[Path], object]
    question: str
    old: RulePlace | None
    new: RulePlace | None


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of an API, which is counted from 1; `generation` is "" in an error."""

    api: int
    phase: Phase
    state: State
    generation: str
    detail: str  # of an error


def cases() -> list[EditCase]:
    """Return the edits in their order: each is made on top of those before."""
    trial = "can try the Team plan for 14 days without a card"
    refund = RulePlace("billing/refunds.md", "Refundable within 14 days of the charge")
    pets = RulePlace("people/pets.md", "A dog may come to the office on Fridays")
    text = f"# Pets\n\n## Dogs\n\n{pets.words}, if nobody on the floor is allergic to dogs.\n"
    return [
        _words("number in prose", "people/remote-work.md",
               "How much does the company pay once for desk, chair and screen?",
               "We pay 600 euros once", "We pay 750 euros once"),
        _words("row of a table", "security/incident-reporting.md",
               "Within what time must a weakness found in our product be reported?",
               "Weakness found in our product | 24 hours",
               "Weakness found in our product | 36 hours"),
        EditCase("deleted file", lambda vault: (vault / refund.path).unlink(),
             "Within how many days is the charge of a monthly plan refundable?", refund, None),
        EditCase("renamed file",
             lambda vault: (vault / "billing/trials.md").rename(vault / "billing/trying.md"),
             "For how many days can a new workspace try the Team plan without a card?",
             RulePlace("billing/trials.md", trial), RulePlace("billing/trying.md", trial)),
        EditCase("added file", lambda vault: (vault / pets.path).write_text(text, "utf-8"),
             "On which day may a dog come to the office?", None, pets),
    ]  # fmt: skip


def _words(name: str, path: str, question: str, old: str, new: str) -> EditCase:
    def edit(vault: Path) -> None:
        text = (vault / path).read_text("utf-8")
        if text.count(old) != 1:
            raise DatasetError(f"{name}: {path} has {old!r} {text.count(old)} times; mend the case")
        (vault / path).write_text(text.replace(old, new), "utf-8")

    return EditCase(name, edit, question, RulePlace(path, old), RulePlace(path, new))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.stale", __doc__, dataset=None, splits=())
    parser.add_argument("--only", metavar="TEXT", help="only the cases with this in their name")
    return program.run(parser, argv, _measured)


def _measured(args: argparse.Namespace) -> EvalReport:
    chosen = [case for case in cases() if args.only is None or args.only in case.name]
    if not chosen:
        raise DatasetError(f"no case has {args.only!r} in its name")
    with opened(HANDBOOK, [("api",)] * 2) as stage:
        stage.ingest()
        rows = program.collected((row(case, replies(stage, case)) for case in chosen), lambda r: r)
    table = (("edit", "replies"), *((row.id, str(row.record["replies"])) for row in rows))
    wrong = [row.fault for row in rows if row.fault]
    return EvalReport(rows, {"": table}, {"cases": len(rows)}, {"vault": HANDBOOK.name}, wrong)


def replies(stage: Stage, case: EditCase, *ingest: str) -> list[Reply]:
    """Return what every API replied before, during and after the edit and its ingest, in order.

    Raises DatasetError where an ingest fails or an API is not ready, and where the question is not
    answered from its old place before the edit: then the replies after it would show nothing.
    """
    stage.wait_ready()
    phase: list[Phase] = ["before"]
    collected: list[Reply] = []
    with _asking(stage, case, phase, collected):
        _wait(stage, collected, "before")
        if wrong := [reply for reply in collected if reply.state != "old"]:
            raise DatasetError(f"{case.name}: before the edit a reply is {wrong[0]}; mend the case")
        phase[0] = "during"
        case.edit(stage.vault)
        stage.ingest(*ingest)
        phase[0] = "after"
        _wait(stage, collected, "after")
    return collected


def row(case: EditCase, collected: Sequence[Reply]) -> ReportRow:
    """Return a case as the report has it; a wrong reply is its fault, told once a kind."""
    wrong = Counter(
        f"API {reply.api} {reply.phase} the ingest: {reply.state}{reply.detail and ' '}"
        f"{reply.detail} (generation {reply.generation or 'unknown'})"
        for reply in collected
        if reply.state not in RIGHT[reply.phase]
    )
    fault = "; ".join(f"{count} replies of {what}" for what, count in wrong.items())
    line = f"{'FAIL' if fault else 'PASS'} — {case.name} ({len(collected)} replies)"
    record = {"fault": fault, "replies": len(collected)}
    return ReportRow(case.name, "edit", line, f"{case.name}: {fault}" if fault else "", record)


def state(body: Mapping[str, Any], case: EditCase) -> State:
    """Say which state of the vault an answer shows: the place that it cites, or says the words of.

    Where a rule has no place, its absence is the state.
    """
    old, new = (_shows(body, place, case) for place in (case.old, case.new))
    if old and new:
        return "both"
    if not old and not new:
        return "old" if case.old is None else "new" if case.new is None else "neither"
    return "old" if old else "new"


def _shows(body: Mapping[str, Any], place: RulePlace | None, case: EditCase) -> bool:
    if place is None:
        return False
    cited = any(source["path"] == place.path and place.words in " ".join(source["quote"].split())
                for source in body["citations"])  # fmt: skip
    other = case.new if place is case.old else case.old
    own_words = other is None or other.words != place.words
    return cited or (own_words and place.words in " ".join(body["answer"].split()))


@contextmanager
def _asking(
    stage: Stage, case: EditCase, phase: Sequence[Phase], collected: list[Reply]
) -> Iterator[None]:
    """Ask every API in a thread of its own, all the time; a reply that overlaps is "during"."""
    stop = Event()

    def ask(number: int, url: str) -> None:
        with httpx2.Client(timeout=30, trust_env=False) as client:
            while not stop.wait(_PAUSE):
                began = phase[0]
                reply = _reply(client, url, case)
                both = "during" if began != phase[0] else began
                collected.append(Reply(number, both, *reply))

    threads = [Thread(target=ask, args=asked) for asked in enumerate(stage.apis, start=1)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _reply(client: httpx2.Client, url: str, case: EditCase) -> tuple[State, str, str]:
    try:
        got = client.post(f"{url}/ask", json={"question": case.question})
        body = got.json()
    except (httpx2.HTTPError, ValueError) as error:  # ValueError: what came is no JSON
        return "error", "", f"{type(error).__name__}: {error}"
    if got.status_code != 200:
        return "error", "", f"status {got.status_code}: {body.get('detail', body)}"
    return state(body, case), str(body["generation"]), ""


def _wait(stage: Stage, collected: Sequence[Reply], phase: Phase) -> None:
    """Wait until every API gave enough replies in a phase."""

    def enough() -> bool:
        counts = Counter(reply.api for reply in collected if reply.phase == phase)
        return all(counts[number] >= _ENOUGH for number in range(1, len(stage.apis) + 1))

    wait_until(enough, lambda: f"an API gave no {_ENOUGH} replies {phase} the edit")


if __name__ == "__main__":
    sys.exit(main())
