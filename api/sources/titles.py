"""The files of the live index, as far as they exist for who asks, by their titles and hashes."""

from api.sources import vault_file
from api.sources.vault_file import VaultFile
from api.state import AppState
from retrieval.index import generations, store
from retrieval.text.reading_order import reading_order


def titles(opened: AppState) -> dict[str, str]:
    """Return the titles of the indexed files by path, in the order in which people read them.

    Raises IndexMissingError and DatabaseUnreachableError.
    """

    def read(conn: store.Connection) -> dict[str, str]:
        now = store.live(conn)
        known = opened.rules.terms_at(conn, now).titles
        return {path: known.get(path, path) for path in _hashes(opened, conn, now)}

    return opened.rules.read(read)


def file_hashes(opened: AppState) -> dict[str, str]:
    """Return the sha256 of the indexed files by path, in the same order; raise the same."""
    return opened.rules.read(lambda conn: _hashes(opened, conn, store.live(conn)))


def file_now(opened: AppState, path: str, sha256: str | None) -> VaultFile | None:
    """Return a file as `vault_file.read` does; `sha256` is what the index has of it.

    Whether a file passes a key's filter is known of what was indexed alone. So who sees a part of
    the vault gets None for one that has changed since.
    """
    file = vault_file.read(opened.rules.settings.vault, path)
    is_known = opened.rules.access is None or (file is not None and file.sha256 == sha256)
    return file if is_known else None


def _hashes(
    opened: AppState, conn: store.Connection, generation: store.Generation
) -> dict[str, str]:
    found = generations.file_hashes(conn, generation.id)
    part = opened.rules.existing(conn, generation)
    seen = found if part is None else found.keys() & part.paths
    return {path: found[path] for path in sorted(seen, key=reading_order)}
