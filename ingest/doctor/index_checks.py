"""The checks of what the database holds: versions, generations, and the rows of the live one."""

from ingest.doctor.findings import INGEST, REBUILD, REINDEX, Check, Finding, error, of_rows, warning
from retrieval.context import Fingerprint
from retrieval.database.pool import Store
from retrieval.errors import SchemaNewerError
from retrieval.index import generations, hnsw, integrity, migrate
from retrieval.index.integrity import StoredGeneration
from retrieval.index.store import Connection
from retrieval.settings import Settings

_OLDEST_POSTGRES = 140000


def database(conn: Connection) -> Check:
    """Check the versions of the server, its pgvector and our tables, and its pages and indexes."""
    found = integrity.server(conn)
    findings: list[Finding] = []
    if found.number < _OLDEST_POSTGRES:
        what = f"PostgreSQL {found.postgres} is older than 14"
        findings.append(error(what, "take a newer server, or run without DATABASE_URL"))
    findings += _pgvector(found.pgvector)
    if found.checksum_failures:
        what = f"{found.checksum_failures} pages of the database did not have their checksum"
        findings.append(error(what, "check the disk, then python -m ingest.restore a backup"))
    invalid = integrity.odd(conn, integrity.INVALID_INDEXES)
    mend = f"{REINDEX} for entry_hnsw_…; for another REINDEX INDEX and its name, in psql"
    findings += of_rows("indexes are invalid", invalid, mend)
    findings += _migrations(conn)
    has, known = migrate.applied(conn), migrate.known()
    return Check(
        "database",
        f"PostgreSQL {found.postgres}, pgvector {found.pgvector}, migration "
        f"{max((one.number for one in has), default=0)} of {known[-1].number}",
        tuple(findings),
    )


def _pgvector(version: str) -> list[Finding]:
    numbers = hnsw.numbers(version)
    mend = "install a newer one, then ALTER EXTENSION vector UPDATE"
    if numbers < migrate.PGVECTOR:
        return [error(f"pgvector {version or 'is missing'}: 0.8 or newer is needed", mend)]
    if numbers < hnsw.SOUND:
        return [warning(f"pgvector {version}: before 0.8.4 an HNSW index could lose rows", mend)]
    return []


def _migrations(conn: Connection) -> list[Finding]:
    try:
        missing = migrate.check(conn)
    except SchemaNewerError as newer:
        return [error(str(newer), "update the program")]
    names = ", ".join(one.name for one in missing)
    return [warning(f"migrations have not run yet: {names}", INGEST)] if missing else []


def every_generation(conn: Connection) -> Check:
    """Check that one generation is live and that nothing is left of a process that died."""
    found = integrity.generations(conn)
    writer = generations.writer(conn)
    findings = []
    if not any(one.state == "live" for one in found):
        findings.append(error("no generation is live", INGEST))
    for one in found:
        if one.state == "building" and not writer:
            what = f"generation {one.id} was left half built by an ingest that died"
            findings.append(warning(what, INGEST))
        if one.state == "live" and not one.files:
            findings.append(error(f"the live generation {one.id} holds no file", INGEST))
    about = ", ".join(
        f"{one.state} {one.id}.{one.revision} ({one.files} files, {one.chunks} chunks, "
        f"{one.entries} entries)"
        for one in found
    )
    about += f"; an ingest is running ({writer}): check again after it" if writer else ""
    return Check("generations", about or "none", tuple(findings))


def fingerprint(live: StoredGeneration, wanted: Fingerprint) -> Check:
    """Check that the models and the chunker of this process made the live generation."""
    findings = []
    for name, ours in wanted.items():
        theirs = live.fingerprint.get(name)
        if theirs != ours and name != "model":  # a name is for people; the digest decides
            what = f"the index was made with {name} {theirs!r}, and this process has {ours!r}"
            findings.append(error(what, INGEST))
    made_with = f"{live.fingerprint.get('model')}, chunker {live.fingerprint.get('chunker')}"
    return Check("fingerprint", made_with, tuple(findings))


def entries(conn: Connection, live: StoredGeneration) -> Check:
    """Check that entries belong to their chunk's generation and are what their hash says."""
    stray = integrity.odd(conn, integrity.STRAY_ENTRIES, generation=live.id)
    texts = integrity.odd(conn, integrity.ODD_TEXTS, generation=live.id)
    findings = (
        *of_rows("entries are of another generation than their chunk", stray, REBUILD),
        *of_rows("entries have another text than was embedded", texts, REBUILD),
    )
    return Check("entries", f"{live.entries} texts that are searched", findings)


def vectors(conn: Connection, live: StoredGeneration) -> Check:
    """Check every entry's vector: there, finite, of length 1 and of the model's dimension."""
    dimension = int(live.fingerprint["dimension"])
    values = {"generation": live.id, "dimension": dimension}
    odd = integrity.odd(conn, integrity.ODD_VECTORS, **values)
    findings = list(of_rows("entries have odd vectors", odd, REBUILD))
    if conn.execute("SELECT to_regclass('chunk_bits')").fetchone() != (None,):
        bits = integrity.odd(conn, integrity.ODD_BITS, generation=live.id)
        findings += of_rows("chunks have other bits than vectors", bits, REBUILD)
    return Check("vectors", f"{live.entries} of {dimension} numbers and length 1", tuple(findings))


def vector_index(conn: Connection, live: StoredGeneration, readers: Store) -> Check:
    """Check that a large generation has its approximate index, and readers the settings for it.

    `readers` is opened as the API opens it; its settings are read back from one of its connections.
    Raises ConfigurationError where they are such that rows could be missed.
    """
    findings: list[Finding] = []
    about = f"none: exact up to {hnsw.LIMIT:,} entries"
    large, there = live.entries > hnsw.LIMIT, hnsw.exists(conn, live.id)
    if large and not there and int(live.fingerprint["dimension"]) <= hnsw.MOST_DIMENSIONS:
        what = f"generation {live.id} of {live.entries:,} entries has no approximate index"
        findings.append(warning(f"{what}, so search is slow", REINDEX))
    if there and not large:
        what = f"generation {live.id} of {live.entries:,} entries has an approximate index"
        findings.append(warning(f"{what}, and would be searched exactly without", REBUILD))
    if there:
        about = hnsw.index_name(live.id)
    values = readers.read(integrity.search_settings)
    about += ", " + ", ".join(f"{name} = {value}" for name, value in values.items())
    if there and not readers.read(lambda conn: hnsw.usable(conn, live.id)):
        what = "readers do not use the approximate index: hnsw.iterative_scan is not strict_order"
        findings.append(warning(what, "install pgvector 0.8.4 or newer"))
    return Check("vector index", about, tuple(findings))


def token_vectors(conn: Connection, live: StoredGeneration, settings: Settings) -> Check:
    """Check the vectors of word pieces: all there or none, and as long as they say."""
    if not settings.rag_late_interaction:
        return Check("token vectors", "not used: RAG_LATE_INTERACTION is false")
    stored, missing = integrity.token_counts(conn, live.id)
    values = {"generation": live.id, "dimension": int(live.fingerprint["token_dimension"])}
    odd = integrity.odd(conn, integrity.ODD_TOKENS, **values)
    findings = list(of_rows("entries have broken token vectors", odd, REBUILD))
    if stored and missing:
        what = (
            f"{missing} of {live.entries} entries have no token vectors, so every question "
            "that meets one encodes its best entries again, which is slower"
        )
        mend = f"{REBUILD}, with RAG_TOKEN_STORAGE_MB over {settings.rag_token_storage_mb}"
        findings.append(warning(what, mend))
    about = f"{stored} of {live.entries} entries"
    if not stored:
        about = "none stored: each question encodes its best entries (RAG_TOKEN_STORAGE_MB)"
    return Check("token vectors", about, tuple(findings))


def full_text(conn: Connection, live: StoredGeneration) -> Check:
    """Check that full text search knows exactly the words of the chunks."""
    odd = integrity.odd(conn, integrity.ODD_POSTINGS, generation=live.id)
    findings = list(of_rows("chunks are out of step with full text search", odd, REBUILD))
    if conn.execute("SELECT to_regclass('word')").fetchone() != (None,):
        counts = integrity.odd(conn, integrity.ODD_COUNTS, generation=live.id)
        findings += of_rows("words are counted wrongly", counts, REBUILD)
    return Check("full text", f"{live.chunks} chunks, their words read again", tuple(findings))
