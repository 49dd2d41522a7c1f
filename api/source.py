"""GET /vault/{path}: a file of the vault as a page, for the links under an answer."""

import secrets
from urllib.parse import quote

from fastapi import APIRouter, HTTPException
from fastapi.responses import HTMLResponse

from api import source_page, vault_file
from api.oracle import Opened
from retrieval import generations, store
from retrieval.store import Connection

router = APIRouter()


def link(path: str, first_line: int, last_line: int) -> str:
    """Return the address of lines of a file, from the server's root: "/vault/a.md#L12-L14".

    One line is "#L12". Every character that an address gives a meaning is percent-encoded.
    """
    lines = f"L{first_line}" + (f"-L{last_line}" if last_line > first_line else "")
    return f"/vault/{quote(path, safe='/')}#{lines}"


@router.get("/vault/{path:path}", response_class=HTMLResponse)
def show(path: str, opened: Opened) -> HTMLResponse:
    """Show a file that the index holds, its lines numbered and addressable as #L12-L14."""

    def indexed(conn: Connection) -> str | None:
        return generations.file_hashes(conn, store.live(conn).id).get(path)

    known = opened.rules.store.read(indexed)
    if known is None:
        raise HTTPException(404, "the index holds no such file; see the paths under an answer")
    file = vault_file.read(opened.rules.settings.vault, path)
    if file is None:
        reason = "is in the index and can no longer be read from the vault; run: python -m ingest"
        raise HTTPException(404, f"{path!a} {reason}")
    nonce = secrets.token_urlsafe(16)
    html = source_page.page(path, file.lines, changed=file.sha256 != known, nonce=nonce)
    headers = {
        "Content-Security-Policy": source_page.policy(nonce),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-cache",
    }
    return HTMLResponse(html.encode("utf-8", "backslashreplace"), headers=headers)
