"""Compare our search with the quickstarts of other libraries, all with our encoder. No gate.

Each library has an environment of its own below RAG_DATA_DIR, which the first run installs. A step
is a library over a set of texts; what was measured is kept there and shown again, unless --again.
Exit status: 0 at least one was measured; 2 none was, or ours failed.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from evals.peer_runs import environments, measurement, peer_table
from evals.peer_runs.environments import PEERS, Peer
from evals.peer_runs.measurement import Measured
from evals.peer_runs.peer_table import Pair
from evals.peer_runs.question_sets import SETS
from evals.reports import results
from retrieval import atomic_write, exit_status
from retrieval.errors import DatasetError, RetrieverError
from retrieval.settings import Settings, load


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    return exit_status.of("evals.peers: ours could not be measured", lambda: _measured(args))


def _measured(args: argparse.Namespace) -> int:
    found: dict[tuple[str, str], Pair] = {}
    settings = load()
    for name, peer in _steps(args):
        try:
            found[name, peer.name] = _step(name, peer, settings, args)
            print(f"measured: {name}, {peer.name}", flush=True)
        except (RetrieverError, DatasetError) as error:
            print(f"NOT MEASURED: {name}, {peer.name}: {error}", flush=True)
    if not found:
        print("evals.peers: nothing was measured", file=sys.stderr)
        return 2
    print(peer_table.table(found))
    for name in dict.fromkeys(name for name, _ in found):
        print(f"{name}: {SETS[name]}")
    shown = {peer for _, peer in found}
    for peer in (one for one in PEERS if one.name in shown):
        pinned = " ".join(peer.packages) + f" {dict(peer.options) or ''}"
        print(f"{peer.name}: {pinned.strip()}")
    every = sorted({theirs.measured_on for _, theirs in found.values()})
    print(f"Measured on {', '.join(every)}.")
    return 0


def _steps(args: argparse.Namespace) -> Iterator[tuple[str, Peer]]:
    for name in args.set or SETS:
        for peer in PEERS:
            if not args.peer or peer.name in args.peer:
                yield name, peer


def _step(name: str, peer: Peer, settings: Settings, args: argparse.Namespace) -> Pair:
    """Measure a step, or read what was kept of it where the peer's versions are the same."""
    folder = settings.rag_data_dir.resolve() / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{name}-{peer.name}-{args.limit or 'all'}.json"
    pinned = [*peer.packages, json.dumps(dict(peer.options))]
    if kept.exists() and not args.again:
        row = json.loads(kept.read_text("utf-8"))
        if row["pinned"] == pinned:
            return Measured(**row["ours"]), Measured(**row["theirs"])
    python = environments.python_of(peer, folder)
    ours, theirs = measurement.measured(name, peer, python, settings, args.limit)
    theirs.measured_on = results.measured_on()
    row = {"pinned": pinned, "ours": asdict(ours), "theirs": asdict(theirs)}
    atomic_write.write(kept, json.dumps(row))
    return ours, theirs


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.peers", description=__doc__)
    names = [peer.name for peer in PEERS]
    parser.add_argument("--peer", nargs="+", choices=names, help="only these")
    parser.add_argument("--set", nargs="+", choices=list(SETS), help="only these")
    parser.add_argument("--limit", type=int, help="so many questions of a set")
    parser.add_argument("--again", action="store_true", help="measure what is kept, too")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
