"""GET /llms.txt and /llms-full.txt: the vault for language models, a list of it and all of it.

They take turns with those who read pages, file by file; no turn is held while a client reads.
"""

from collections.abc import AsyncIterator
from itertools import groupby

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from api.admission.concurrency_limit import caller_of
from api.keys.authorization import ASK
from api.keys.limits import READING
from api.page import about
from api.page.turns import Turns, in_turn, whole_place
from api.schema.problem import described
from api.sources import vault_links
from api.sources.titles import file_hashes, file_now, titles
from api.state import AppState, Opened
from retrieval.text.hidden import visible

router = APIRouter(
    tags=["page"],
    default_response_class=PlainTextResponse,
    responses=described(401, 403, 429, 503),
    dependencies=[ASK, READING],
)
_TEXT = "text/plain; charset=utf-8"
_IN_TURN = Depends(in_turn, scope="function")


@router.get("/llms.txt", dependencies=[_IN_TURN])
def llms(request: Request, opened: Opened) -> str:
    """List the files of the vault with their titles and addresses, a heading for each folder."""
    base_url = str(request.base_url).rstrip("/")
    parts = [_head(opened)]
    for folder, files in groupby(titles(opened).items(), key=lambda one: one[0].rpartition("/")[0]):
        links = [f"- [{title}]({base_url}{vault_links.file_link(path)})" for path, title in files]
        parts.append("\n".join([f"## {folder or 'Files'}", "", *links]))
    return "\n\n".join(parts) + "\n"


@router.get(
    "/llms-full.txt",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    dependencies=[Depends(whole_place), _IN_TURN],
)
def llms_full(request: Request, opened: Opened) -> StreamingResponse:
    """Give every file of the vault as it is written, each below its path."""
    texts = _texts(request, opened, _head(opened), file_hashes(opened), list(titles(opened)))
    return StreamingResponse(texts, media_type=_TEXT)


def _head(opened: AppState) -> str:
    said = about.about(opened)
    return f"# {said.title}" + (f"\n\n> {said.sentence}" if said.sentence else "")


async def _texts(
    request: Request, opened: AppState, head: str, hashes: dict[str, str], paths: list[str]
) -> AsyncIterator[str]:
    turns: Turns = request.app.state.turns
    yield f"{head}\n"
    for path in paths:
        await turns.take(caller_of(request), is_begun=True)
        try:
            text = await run_in_threadpool(_text, opened, path, hashes.get(path))
        finally:
            turns.give()
        yield f"\n\n--- {path} ---\n\n{text}"


def _text(opened: AppState, path: str, sha256: str | None) -> str:
    file = file_now(opened, path, sha256)
    if file is None:
        return "(it can no longer be read from the vault)\n"
    return visible("\n".join(file.lines))
