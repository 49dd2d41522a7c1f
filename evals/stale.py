"""Edit a vault, ingest it, and demand that no reply of any API shows the old text.

Two APIs answer from one index, each a process of its own, and are asked all the time. A copy of the
handbook is edited case by case, and `python -m ingest` run after each edit: once it has returned,
every reply shows the new state; while it runs, each shows the old one or the new one, whole.
Nothing here touches an index that answers anybody.

Exit status: 0 the gate passed; 1 a reply was stale, mixed or missing; 2 nothing could be measured,
which is never a pass.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any, Literal

import httpx2

from evals.answers import program
from evals.answers.local_model import free_port
from evals.answers.program import EvalReport, ReportRow
from retrieval.database.embedded.postgres import serve
from retrieval.errors import DatasetError
from retrieval.settings import names

HANDBOOK = Path(__file__).parent / "vaults" / "handbook"
_ROOT = Path(__file__).parents[1]
_START = 600.0  # seconds for a process that loads models, or a whole ingest
_STOP = 15.0  # seconds for a server that ends its requests
_PAUSE = 0.05  # seconds between two questions, which leave the ingest a part of the machine
_LOG_END = 600  # characters of a log that an error shows

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


@dataclass(frozen=True, slots=True)
class Stage:
    """A copy of a vault with the addresses of the APIs that answer from its index."""

    folder: Path
    vault: Path
    apis: tuple[str, ...]
    environment: Mapping[str, str]

    def ingest(self, *arguments: str) -> None:
        """Run one ingest as users do. Raises DatasetError unless it ends with 0."""
        ended = subprocess.run(
            [sys.executable, "-m", *(arguments or ("ingest",))], cwd=self.folder,
            env=self.environment, capture_output=True, text=True, timeout=_START, check=False,
        )  # fmt: skip
        if ended.returncode:
            said = (ended.stdout + ended.stderr)[-_LOG_END:].strip()
            raise DatasetError(f"ingest ended with {ended.returncode}: {said}")


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
    parser = argparse.ArgumentParser(prog="python -m evals.stale", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", help="only the cases with this in their name")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--json", type=Path, help="write one line a case to this file, too")
    parser.add_argument("--junit", type=Path, help="write JUnit XML to this file")
    parser.set_defaults(dataset=HANDBOOK)  # which names the run's folder
    args = parser.parse_args(argv)
    return program.run(args, "evals.stale", lambda: _measured(args.only))


def _measured(only: str | None) -> EvalReport:
    chosen = [case for case in cases() if only is None or only in case.name]
    if not chosen:
        raise DatasetError(f"no case has {only!r} in its name")
    rows = []
    with opened(HANDBOOK, [("api",)] * 2) as stage:
        stage.ingest()
        for case in chosen:
            rows.append(row(case, replies(stage, case)))
            print(rows[-1].line, flush=True)
    wrong = tuple(row.fault for row in rows if row.fault)
    table = (("edit", "replies"), *((row.id, str(row.record["replies"])) for row in rows))
    config = {"program": "evals.stale", "vault": HANDBOOK.name}
    return EvalReport("evals.stale", tuple(rows), table, (), {"cases": len(rows)}, wrong, config)


def replies(stage: Stage, case: EditCase, *ingest: str) -> list[Reply]:
    """Return what every API replied before, during and after the edit and its ingest, in order.

    Raises DatasetError where an ingest fails or an API is not ready, and where the question is not
    answered from its old place before the edit: then the replies after it would show nothing.
    """
    _wait_ready(stage)
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
    record = {"id": case.name, "fault": fault, "replies": len(collected)}
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
def opened(vault: Path, apis: Sequence[Sequence[str]]) -> Iterator[Stage]:
    """Yield a copy of `vault` with one running API for each module; all is gone afterwards.

    The models are the bundled ones, the database is an embedded one of its own, and nothing is
    ingested yet. No language model is asked. Raises DatabaseUnreachableError.
    """
    folder = Path(tempfile.mkdtemp(prefix="stale-"))
    folder.chmod(0o711)  # where root starts it, the server runs as somebody else
    try:
        copy = shutil.copytree(vault, folder / "vault")
        own = {"VAULT": copy, "RAG_DATA_DIR": folder / "pg", "PYTHONPATH": _ROOT}
        kept = {name: value for name, value in os.environ.items() if name not in names()}
        environment = kept | {name: str(path) for name, path in own.items()}
        with ExitStack() as stack:
            stack.enter_context(serve(folder / "pg"))
            urls = [stack.enter_context(_api(module, n, folder, environment))
                    for n, module in enumerate(apis, start=1)]  # fmt: skip
            yield Stage(folder, copy, tuple(urls), environment)
    finally:
        shutil.rmtree(folder)


@contextmanager
def _api(
    module: Sequence[str], number: int, folder: Path, environment: Mapping[str, str]
) -> Iterator[str]:
    port = free_port()
    with (folder / f"api-{number}.log").open("w") as log, subprocess.Popen(
        [sys.executable, "-m", *module], cwd=folder, stdout=log, stderr=log,
        env={**environment, "PORT": str(port)},
    ) as process:  # fmt: skip
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(_STOP)
            except subprocess.TimeoutExpired:
                process.kill()


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


def _wait(stage: Stage, collected: Sequence[Reply], phase: Phase, enough: int = 3) -> None:
    give_up = monotonic() + _START
    wanted = set(range(1, len(stage.apis) + 1))
    while {n for n, count in Counter(r.api for r in collected if r.phase == phase).items()
           if count >= enough} != wanted:  # fmt: skip
        if monotonic() > give_up:
            raise DatasetError(f"an API gave no {enough} replies {phase} the edit")
        sleep(_PAUSE)


def _wait_ready(stage: Stage) -> None:
    """Wait until every API answers questions. Raises DatasetError where one is late."""
    give_up = monotonic() + _START
    for number, url in enumerate(stage.apis, start=1):
        ready = False
        while not ready:
            with suppress(httpx2.HTTPError):
                ready = httpx2.get(f"{url}/readyz", timeout=5, trust_env=False).status_code == 200
            if monotonic() > give_up:
                log = (stage.folder / f"api-{number}.log").read_text("utf-8")[-_LOG_END:]
                raise DatasetError(f"API {number} is not ready: {log.strip() or 'no word of it'}")
            sleep(_PAUSE)


if __name__ == "__main__":
    sys.exit(main())
