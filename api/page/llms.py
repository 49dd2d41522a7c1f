"""GET /llms.txt and /llms-full.txt: the vault for language models, a list of it and all of it."""

from collections.abc import Iterator
from itertools import groupby

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, StreamingResponse

from api.keys.authorization import ASK
from api.keys.limits import READING
from api.page import about
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


@router.get("/llms.txt")
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
)
def llms_full(opened: Opened) -> StreamingResponse:
    """Give every file of the vault as it is written, each below its path."""
    return StreamingResponse(_texts(opened, _head(opened), list(titles(opened))), media_type=_TEXT)


def _head(opened: AppState) -> str:
    said = about.about(opened)
    return f"# {said.title}" + (f"\n\n> {said.sentence}" if said.sentence else "")


def _texts(opened: AppState, head: str, paths: list[str]) -> Iterator[str]:
    yield f"{head}\n"
    hashes = file_hashes(opened)
    for path in paths:
        file = file_now(opened, path, hashes.get(path))
        if file is None:
            yield f"\n\n--- {path} ---\n\n(it can no longer be read from the vault)\n"
        else:
            yield f"\n\n--- {path} ---\n\n" + visible("\n".join(file.lines))
