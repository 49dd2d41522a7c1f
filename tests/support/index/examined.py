"""An index that no program of ours left so, and what `python -m ingest --check` says of it."""

import psycopg

from ingest.doctor import checks as doctor
from ingest.doctor.findings import Check
from retrieval.settings import Settings

NAMES = [
    "database", "generations", "models", "fingerprint", "files", "contents", "entries", "vectors",
    "vector index", "token vectors", "full text",
]  # fmt: skip


def run(settings: Settings, *statements: str) -> None:
    """Do something to the database that no program of ours does."""
    assert settings.database_url
    with psycopg.connect(settings.database_url.get_secret_value(), autocommit=True) as conn:
        for statement in statements:
            conn.execute(statement.encode())


def odd(settings: Settings) -> dict[str, Check]:
    """The checks that found something, by name."""
    checks = doctor.examine(settings, settings.vault)
    assert [one.name for one in checks] == NAMES
    return {one.name: one for one in checks if one.findings}
