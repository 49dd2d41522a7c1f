"""Check the index against the vault, the models and itself; nothing is changed.

It may run while an ingest or the API does. Exit status: 0 all is right; 1 something was found (each
line says which command mends it); 2 nothing could be checked.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

from psycopg import IsolationLevel

from ingest.backup import refuse_without_database
from ingest.chunking.chunk import CHUNKER_VERSION
from ingest.doctor import index_checks, vault_checks
from ingest.doctor.findings import INGEST, Check, Finding, error, warning
from retrieval.context import calibrated_for, database_url, fingerprint_of
from retrieval.database.pool import Store
from retrieval.encoder.bi_encoder import Embedder, ModelThread
from retrieval.encoder.chosen_models import encoder_files, reranker_files
from retrieval.errors import IndexMissingError, ModelUnavailableError, RulesError, VaultError
from retrieval.index import integrity, migrate
from retrieval.index.integrity import StoredGeneration
from retrieval.index.store import Connection
from retrieval.ranking import calibration
from retrieval.ranking.reranking import CrossEncoderReranker, Reranker
from retrieval.settings import Settings, load


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m ingest --check", description=__doc__)
    parser.add_argument("vault", nargs="?", type=Path, help="the folder; default: VAULT, or vault/")
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")
    args = parser.parse_args(argv)
    try:
        settings = load()
        checks = examine(settings, args.vault or settings.vault)
    except RulesError as reason:
        print(f"check: {reason}", file=sys.stderr)
        return 2
    if args.json:
        print(json.dumps([{"status": one.status, **asdict(one)} for one in checks], indent=2))
    else:
        _print(checks)
    return 1 if any(one.findings for one in checks) else 0


def examine(settings: Settings, root: Path) -> tuple[Check, ...]:
    """Return every check of the live generation against the vault at `root`.

    Raises IndexMissingError where there is no database or no index in it, and
    DatabaseUnreachableError.
    """
    refuse_without_database(settings)
    thread = ModelThread()  # never started: no model is called
    embedder, models = _models(settings, thread)
    with database_url(settings) as url, _snapshot(url) as conn:
        live = _live(conn)
        checks = [index_checks.database(conn), index_checks.every_generation(conn), models]
        if live is None:
            return tuple(checks)
        made_by_us = False
        if embedder:
            wanted = {**fingerprint_of(embedder, settings.language), "chunker": CHUNKER_VERSION}
            checks.append(index_checks.fingerprint(live, wanted))
            made_by_us = not checks[-1].findings
        checks += _against_vault(conn, live, root, embedder if made_by_us else None)
        checks.append(index_checks.entries(conn, live))
        checks.append(index_checks.vectors(conn, live))
        with closing(Store(url)) as readers:
            readers.open()
            checks.append(index_checks.vector_index(conn, live, readers))
        checks.append(index_checks.token_vectors(conn, live, settings))
        checks.append(index_checks.full_text(conn, live))
    return tuple(checks)


@contextmanager
def _snapshot(url: str) -> Iterator[Connection]:
    """Yield a connection that sees one state of the database, whatever is written meanwhile."""
    with Store(url).connect() as conn:
        conn.isolation_level = IsolationLevel.REPEATABLE_READ
        conn.read_only = True
        yield conn


def _live(conn: Connection) -> StoredGeneration | None:
    """The live generation, if there is one. Raises IndexMissingError where there are no tables."""
    if not migrate.applied(conn):
        raise IndexMissingError(f"the database holds no rules; run: {INGEST}")
    return next((one for one in integrity.generations(conn) if one.state == "live"), None)


def _models(settings: Settings, thread: ModelThread) -> tuple[Embedder | None, Check]:
    """The encoder, where its files are there and sound, and the check of all models' files."""
    embedder: Embedder | None = None
    findings: list[Finding] = []
    about = "none"
    try:
        embedder = Embedder(encoder_files(settings), thread, settings.rag_token_pooling)
        about = f"{embedder.files.name}, sha256 {embedder.files.digest[:12]}"
        reranker: Reranker | None = None
        if settings.cross_encoder:
            reranker = CrossEncoderReranker(reranker_files(settings), thread)
            about += f"; {reranker.name}, sha256 {reranker.digest[:12]}"
        if calibration.find(calibrated_for(settings, embedder, reranker)) is None:
            what = "nothing was fitted for these models: no passage is refused"
            findings.append(warning(what, "python -m evals.calibrate"))
    except ModelUnavailableError as reason:
        mend = "do what it says, or set EMBEDDING_MODEL or RERANKER_MODEL to one that is there"
        findings.append(error(str(reason), mend))
    return embedder, Check("models", about, tuple(findings))


def _against_vault(
    conn: Connection, live: StoredGeneration, root: Path, embedder: Embedder | None
) -> list[Check]:
    try:
        reading = vault_checks.read(root, embedder)
    except VaultError as reason:
        gone = Check("files", "not checked", (error(str(reason), f"{INGEST} FOLDER"),))
        return [gone, vault_checks.not_checked("there is no vault")]
    checks = [vault_checks.files(conn, live, reading)]
    if embedder is None:
        checks.append(vault_checks.not_checked("this process would have made another index"))
    else:
        checks.append(vault_checks.contents(conn, live, reading))
    return checks


def _print(checks: Sequence[Check]) -> None:
    for one in checks:
        print(f"{one.status:5} {one.name}: {one.about}")
        for finding in one.findings:
            print(f"      {finding.level}: {finding.what}; mend it: {finding.mend}")


if __name__ == "__main__":
    sys.exit(main())
