"""The files of the live index by their titles."""

from api.state import AppState
from retrieval.index import generations, store
from retrieval.reading_order import reading_order


def titles(opened: AppState) -> dict[str, str]:
    """Return the titles of the indexed files by path, in the order in which people read them.

    Raises IndexMissingError and DatabaseUnreachableError.
    """

    def read(conn: store.Connection) -> tuple[dict[str, str], dict[str, str]]:
        now = store.live(conn)
        known = dict(opened.rules.terms.of(conn, now.id, now.name).titles)
        return generations.file_hashes(conn, now.id), known

    files, known = opened.rules.store.read(read)
    return {path: known.get(path, path) for path in sorted(files, key=reading_order)}
