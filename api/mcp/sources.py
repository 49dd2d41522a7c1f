"""The files of the index as an agent reads them: by an id, by a folder, as resources."""

from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from api.mcp.results import Fetched, FetchedMetadata, Place, Source, Sources
from api.sources.titles import file_hashes, file_now, titles
from api.state import AppState
from retrieval.text.hidden import visible

MOST = 500  # files of one reply
_SHOWN = 100  # characters of an id that is wrong


def listed(opened: AppState, folder: str, base_url: str) -> Sources:
    """Return the files of a folder and below, or of the whole vault for ""; at most MOST of them.

    Raises ResourceNotFoundError for a folder without files, and what `titles` raises.
    """
    below = f"{folder.strip('/')}/" if folder.strip("/") else ""
    chosen = {path: title for path, title in titles(opened).items() if path.startswith(below)}
    if below and not chosen:
        raise ResourceNotFoundError(
            f"no file below {folder[:_SHOWN]!r}; call list_sources without a folder"
        )
    return Sources(
        count=len(chosen),
        sources=[
            Source(id=path, title=title, url=Place(path).url(base_url))
            for path, title in list(chosen.items())[:MOST]
        ],
    )


def fetched(opened: AppState, given: str, base_url: str) -> Fetched:
    """Return the lines of a place, or a whole file, as it is on disk now.

    Raises ResourceNotFoundError where the index has no such file, the file has no such lines or
    can no longer be read, and what `titles` raises.
    """
    place = Place.of(given)
    known = titles(opened)
    if place is None or place.path not in known:
        raise ResourceNotFoundError(
            f"no source {given[:_SHOWN]!r}; take an id that search, ask or list_sources returned, "
            'or lines of it: "path#L12-L14", the lower number first'
        )
    indexed = file_hashes(opened).get(place.path)
    file = file_now(opened, place.path, indexed)
    if file is None:
        raise ResourceNotFoundError(
            f"{place.path!r} can no longer be read from the vault; run: python -m ingest"
        )
    first = place.first or 1
    last = min(place.last or len(file.lines), len(file.lines))
    if first > last:
        raise ResourceNotFoundError(f"{place.path!r} has {len(file.lines)} lines, no {first}")
    return Fetched(
        id=place.id,
        title=known[place.path],
        text="\n".join(visible("\n".join(file.lines)).split("\n")[first - 1 : last]),
        url=place.url(base_url),
        metadata=FetchedMetadata(
            path=place.path,
            first_line=first,
            last_line=last,
            fresh="fresh" if indexed == file.sha256 else "file-changed",
        ),
    )
