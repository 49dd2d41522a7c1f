"""The page over HTTP: the form and its answer, the vault, its search as you type, its own files."""

from collections.abc import Generator
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import StringConstraints
from starlette.concurrency import run_in_threadpool

from api.admission.concurrency_limit import admitted
from api.http import answering
from api.http.client_disconnect import ClientDisconnect, until_gone
from api.http.events import Event, events
from api.http.problems import told
from api.http.sse import EventStream
from api.keys import limits
from api.keys.authorization import ASK, is_led_here, is_signed_in
from api.page import about, heading_search, html, reference, reply, stream, vault
from api.page.assets import ASSETS, VERSION
from api.page.heading_search import Headings
from api.page.markdown.links import Range, ranges_of
from api.page.reply import AnswerView
from api.page.turns import in_turn, page_turn
from api.schema.answer import Answer
from api.schema.problem import described
from api.schema.requests import AskRequest
from api.sources.titles import file_hashes
from api.state import AppState, Opened
from retrieval.errors import OverloadedError
from retrieval.search import QUESTION_LIMIT

router = APIRouter(tags=["page"])
_MOST_BEFORE = 20
_MOST_OPEN = 40  # files of a vault whose folders are all open
_IMMUTABLE = "public, max-age=31536000, immutable"
_REFUSED = described(401, 403, 404, 422, 429, 503)
_READING = [ASK, limits.READING]
_ASKING = [ASK, Depends(admitted), limits.ASKING]

Lines = Annotated[str, Query(max_length=400)]
Before = Annotated[str, StringConstraints(max_length=QUESTION_LIMIT)]


@router.get("/", response_class=HTMLResponse, responses=_REFUSED, dependencies=_READING)
async def ask_page(
    request: Request,
    opened: Opened,
    q: str = "",
    draft: str = "",
    before: Annotated[list[Before], Query(max_length=_MOST_BEFORE)] = [],  # noqa: B006  # FastAPI copies
    source: str = "",
    lines: Lines = "",
) -> HTMLResponse:
    """Show the form, the answer to `q` where it is given, and the file `source` beside it.

    Where keys are asked for, a link on a page of elsewhere fills the form and asks nothing: who
    opens it is signed in, and did not write the question.
    """
    if opened.keys and is_led_here(request):
        draft, q = q or draft, ""
    given = await _answered(request, opened, q, before) if q.strip() else None
    file = await _beside(request, opened, source, lines, answered=given is not None)

    def made() -> HTMLResponse:
        return html.page(
            "ask.html",
            about=about.about(opened),
            signed_in=is_signed_in(request),
            shown=given,
            draft=draft,
            before=[*before, q][-_MOST_BEFORE:] if given else before,
            file=file,
        )

    return await run_in_threadpool(made)


async def _answered(
    request: Request, opened: AppState, question: str, before: list[str]
) -> AnswerView:
    """The whole answer, for a page that is sent at once; nobody waits for one who has gone."""
    await admitted(request)
    await limits.check_asking(request)

    def asked(disconnect: ClientDisconnect) -> Answer:
        return answering.answer(request, question, answering.options(request, disconnect, before))

    answer = await until_gone(request, asked)
    return _view(request, opened, answer, question, before)


async def _beside(
    request: Request, opened: AppState, source: str, lines: str, *, answered: bool
) -> vault.FileView | None:
    """The file beside an answer; one that cannot be shown does not take the answer with it."""
    if not source:
        return None
    view = partial(vault.file_view, opened, source, ranges_of(lines), heading_shift=2)
    try:
        async with page_turn(request):
            return await run_in_threadpool(view)
    except (HTTPException, OverloadedError):
        if answered:
            return None
        raise


@router.post("/page/ask", include_in_schema=False, dependencies=_ASKING)
async def ask(request: Request, body: AskRequest, opened: Opened) -> Response:
    """Answer for the page's script, as server-sent events: found, draft, and answer or error."""

    def rendered(answer: Answer) -> stream.Rendered:
        view = _view(request, opened, answer, body.question, body.history)
        return stream.Rendered(
            state=answer.certainty, html=html.fragment("answer.html", shown=view)
        )

    def made(disconnect: ClientDisconnect) -> Generator[Event]:
        options = answering.options(
            request, disconnect, body.history, filters=body.filters, streamed=True
        )
        steps = answering.steps(request, body.question, options)
        return events(
            steps, lambda step: stream.of_step(step, rendered), lambda error: told(request, error)
        )

    return await until_gone(request, lambda disconnect: EventStream(made, disconnect))


@router.get("/headings", responses=_REFUSED, dependencies=_READING)
def find_headings(q: str, opened: Opened) -> Headings:
    """Find sections as you type by their headings, paths and words; no model is asked."""
    return heading_search.find(opened, q)


@router.get("/vault", response_class=HTMLResponse, include_in_schema=False, dependencies=_READING)
@router.get("/vault/", response_class=HTMLResponse, responses=_REFUSED, dependencies=_READING)
def browse(
    request: Request,
    opened: Opened,
    typed: Annotated[str, Query(alias="find")] = "",
    folder: str = "",
    view: Literal["", "found"] = "",
) -> HTMLResponse:
    """Show the vault's folders and files; with `find`, the sections that have its words.

    With `folder` that one and those in it are open; `view=found` is what was found alone.
    """
    found = heading_search.find(opened, typed) if typed.strip() else Headings(headings=[])
    if view == "found":
        return html.page("found.html", found=found)
    known = list(file_hashes(opened))
    return html.page(
        "vault.html",
        about=about.about(opened),
        signed_in=is_signed_in(request),
        folders=vault.folders(known),
        open_folder=folder,
        is_short=len(known) <= _MOST_OPEN,
        find=typed.strip(),
        found=found,
    )


@router.get(
    "/vault/{path:path}",
    response_class=HTMLResponse,
    responses=_REFUSED,
    dependencies=[*_READING, Depends(in_turn, scope="function")],
)
def read(
    request: Request,
    path: str,
    opened: Opened,
    lines: Lines = "",
    view: Literal["", "lines", "panel"] = "",
) -> Response:
    """Show a file that the index holds, `lines` (12-14,20) marked; "#L12-L14" is marked by script.

    `view=lines` shows them as they are written, `view=panel` is what stands beside an answer.
    """
    ranges: tuple[Range, ...] = ranges_of(lines)
    shift = 2 if view == "panel" else 1
    file = vault.file_view(opened, path, ranges, heading_shift=shift, plain=view == "lines")
    if view == "panel":
        return html.unless_known(request, html.page("file.html", file=file, level=2))
    said = about.about(opened)
    page = html.page("read.html", about=said, file=file, signed_in=is_signed_in(request))
    return html.unless_known(request, page)


@router.get("/docs", response_class=HTMLResponse, include_in_schema=False)
def docs(request: Request) -> HTMLResponse:
    """Show the API's endpoints and fields: what /openapi.json says, for people."""
    return html.page("docs.html", sections=reference.sections(request.app.openapi()))


@router.get("/page/{version}/{name}", include_in_schema=False)
def asset(version: str, name: str) -> Response:
    """Give one of the page's own files; under its version's address it is kept for a year."""
    found = ASSETS.get(name)
    if found is None:
        raise HTTPException(404, f"the page has no file {name[:80]!a}")
    kept = _IMMUTABLE if version == VERSION else "no-cache"
    headers = {"Cache-Control": kept, "X-Content-Type-Options": "nosniff"}
    return Response(found.data, media_type=found.media_type, headers=headers)


def _view(
    request: Request, opened: AppState, answer: Answer, asked: str, before: list[str]
) -> AnswerView:
    base_url = str(request.base_url)
    return reply.of_answer(answer, asked, opened.texts, base_url=base_url, before=before)
