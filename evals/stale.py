"""Edit a vault, ingest it, and demand that no reply of any API shows the old text.

Two APIs answer from one index, each a process of its own, and a third process asks them all the
time. A copy of the handbook is edited case by case, and `python -m ingest` run after each edit:
once it has returned, every reply shows the new state; while it runs, each shows the old one or the
new one, whole. Nothing here touches an index that answers anybody.

Exit status: 0 the gate passed; 1 a reply was stale, mixed or missing; 2 nothing could be measured,
which is never a pass.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

import httpx2
import psycopg

from evals.answers import program
from evals.answers.program import Report
from evals.gating.integrity import on_disk, text
from evals.reports import results
from evals.staleness import processes, report
from evals.staleness.asker import ask
from evals.staleness.cases import HANDBOOK, Case, cases, verify
from evals.staleness.faults import FAULTS
from evals.staleness.judge import Judged, read
from evals.staleness.processes import Program, Stage
from retrieval.errors import DatasetError
from retrieval.index import store
from retrieval.settings import load


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m evals.stale", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", help="only the cases with this in their name")
    parser.add_argument(
        "--fault", choices=sorted(FAULTS), help="run one program with this fault, to see it noticed"
    )
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--json", type=Path, help="write one line a case to this file, too")
    parser.add_argument("--junit", type=Path, help="write JUnit XML to this file")
    parser.set_defaults(dataset=HANDBOOK)  # which names the run's folder
    args = parser.parse_args(argv)
    return program.run(args, "evals.stale", lambda: _measured(args))


def measure(stage: Stage, chosen: Sequence[Case], ingest: Program) -> Iterator[Judged]:
    """Yield what came of every case, in order, with all replies.

    The vault of `stage` is ingested first. Raises DatasetError where an ingest fails, where a case
    does not fit the vault, and where the question of a new case is not answered as it says before
    its edit: then the replies after it would show nothing.
    """
    stage.ingest()
    processes.wait_ready(stage)
    for case in chosen:
        judged = _judged(stage, case, ingest)
        wrong = [r for r in judged.replies if judged.phase(r) == "before" and r.state != "old"]
        if wrong and not case.is_revert:
            shown = wrong[0].detail or f"{wrong[0].state} instead of old"
            raise DatasetError(
                f"{case.name}: before the edit API {wrong[0].api} answers with {shown}, so replies "
                f"after it would prove nothing; see evals/staleness/cases.py: {wrong[0].question}"
            )
        yield judged


def _judged(stage: Stage, case: Case, ingest: Program) -> Judged:
    questions = [check.question for check in case.checks]
    before = _texts(stage.vault)
    with httpx2.Client(timeout=60, trust_env=False) as client:

        def ask_all() -> list[dict[str, object]]:
            return [ask(client, api, question) for api in stage.apis for question in questions]

        own = ask_all()
        with processes.asking(stage, questions) as asked:
            edited = monotonic()
            case.edit(stage.vault)
            verify(case, before, _texts(stage.vault))
            stage.ingest(ingest)
            ingested = monotonic()
            own += ask_all()
    replies = tuple(read(raw, stage.apis, case.checks) for raw in (*own, *asked))
    return Judged(case, edited, ingested, replies)


def _measured(args: argparse.Namespace) -> Report:
    every = cases()
    chosen = [case for case in every if args.only is None or args.only in case.name]
    if not chosen or (chosen == every[-1:]):
        raise DatasetError(f"no case that can stand alone has {args.only!r} in its name")
    settings, fault = load(), FAULTS.get(args.fault)
    faulty = ("evals.staleness.faults", args.fault)
    apis: list[Program] = [("api",), faulty if fault and fault.of_api else ("api",)]
    ingest: Program = faulty if fault and not fault.of_api else ("ingest",)
    try:
        with processes.opened(settings, HANDBOOK, apis) as stage:
            found = []
            for judged in measure(stage, chosen, ingest):
                found.append(judged)
                print(report.line(judged), flush=True)
            return report.report(found, _config(stage, args))
    except subprocess.TimeoutExpired as error:
        raise DatasetError(f"{error.cmd[2]} did not end within {error.timeout:g} s") from error


def _texts(vault: Path) -> dict[str, str]:
    return {path: text(data) for path, data in on_disk(vault).items()}


def _config(stage: Stage, args: argparse.Namespace) -> dict[str, object]:
    with psycopg.connect(stage.database) as conn:
        made_with = store.live(conn).fingerprint
    files = _texts(args.dataset)
    return {
        "program": "evals.stale",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": results.commit(),
        "fingerprint": dict(made_with),
        "fault": args.fault,
        "apis": len(stage.apis),
        "vault": args.dataset.name,
        "vault_files": len(files),
        "vault_digest": results.vault_digest(files),
    }


if __name__ == "__main__":
    sys.exit(main())
