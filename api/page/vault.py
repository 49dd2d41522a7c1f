"""What the page shows of the vault: its folders, and a file with its outline and its neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from fastapi import HTTPException
from markupsafe import Markup, escape

from api.checks.sanitize import visible
from api.page.markdown import process
from api.page.markdown.links import Links, Range, address, spelled
from api.page.markdown.render import Heading
from api.page.markdown.writer import Shown
from api.sources.titles import file_hashes, file_now
from api.sources.vault_file import VaultFile
from api.state import AppState

# A row of a table has as many cells as its header, however few stand in it: what is shown as a
# page would take minutes and gigabytes for a small file that was made for it.
_MOST_CELLS = 200_000
_MOST_CHARACTERS = 500_000
_MOST_KEPT = 32  # pages of files; one has a few megabytes at most


@dataclass(frozen=True, slots=True)
class FileLink:
    """A file by its name, and where it is read."""

    path: str
    name: str
    href: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with its files; "" is the vault's own."""

    name: str
    files: tuple[FileLink, ...]


@dataclass(frozen=True, slots=True)
class FileView:
    """A file of the vault as the page shows it."""

    path: str
    folder: str
    name: str
    href: str
    body: Markup
    outline: tuple[Heading, ...]
    marked: str  # "12-14", "" for nothing
    first_marked: int
    is_changed: bool
    is_plain: bool
    before: FileLink | None
    after: FileLink | None


def folders(known: Sequence[str]) -> tuple[Folder, ...]:
    """Return the vault's folders in reading order, its own files first."""
    return tuple(
        Folder(name, tuple(map(_link, files)))
        for name, files in groupby(known, key=lambda path: path.rpartition("/")[0])
    )


def file_view(
    opened: AppState, path: str, ranges: Sequence[Range], *, heading_shift: int, plain: bool = False
) -> FileView:
    """Return a file that the index holds, the lines of `ranges` marked; 404 where there is none.

    `plain` shows its lines as they are written. Raises HTTPException, IndexMissingError and
    DatabaseUnreachableError.
    """
    known = file_hashes(opened)
    file = _file(opened, path, known)
    plain = plain or _is_heavy(file.lines)
    marked = _within(ranges, len(file.lines))
    body, outline = _body(file, tuple(marked), tuple(known), path, heading_shift, plain)
    before, after = _neighbours(list(known), path)
    folder, _, name = path.rpartition("/")
    return FileView(
        path=path,
        folder=folder,
        name=name,
        href=address(path),
        body=body,
        outline=outline,
        marked=spelled(marked),
        first_marked=marked[0][0] if marked else 0,
        is_changed=file.sha256 != known[path],
        is_plain=plain,
        before=before,
        after=after,
    )


def _file(opened: AppState, path: str, known: Mapping[str, str]) -> VaultFile:
    if path not in known:
        raise HTTPException(404, "the index holds no such file; see the paths under an answer")
    file = file_now(opened, path, known[path])
    if file is None:
        reason = "is in the index and can no longer be read from the vault; run: python -m ingest"
        raise HTTPException(404, f"{path!a} {reason}")
    return file


def _shown(file: VaultFile, marked: Sequence[Range], links: Links, heading_shift: int) -> Shown:
    return Shown(
        numbers=range(1, len(file.lines) + 1),
        marked={n for first, last in marked for n in range(first, last + 1)},
        anchored=True,
        links=links,
        heading_shift=heading_shift,
    )


@lru_cache(maxsize=_MOST_KEPT)  # a file is opened again and again, most often by its citations
def _body(
    file: VaultFile,
    marked: tuple[Range, ...],
    known: tuple[str, ...],
    path: str,
    heading_shift: int,
    plain: bool,
) -> tuple[Markup, tuple[Heading, ...]]:
    shown = _shown(file, marked, Links.of(list(known), path), heading_shift)
    if plain:
        return _as_written(file.lines, shown), ()
    return process.rendered("\n".join(file.lines), shown)


def _neighbours(order: Sequence[str], path: str) -> tuple[FileLink | None, FileLink | None]:
    at = order.index(path)
    before = _link(order[at - 1]) if at else None
    return before, _link(order[at + 1]) if at + 1 < len(order) else None


def _within(ranges: Sequence[Range], lines: int) -> list[Range]:
    return [(first, min(last, lines)) for first, last in ranges if first <= lines]


def _as_written(lines: Sequence[str], shown: Shown) -> Markup:
    """Every line as it stands in the file, with its number and its address."""
    body = Markup("\n").join(
        Markup('<span class="line" id="L{0}" data-line="{0}">{1}</span>').format(
            number,
            Markup("<mark>{}</mark>").format(visible(line))
            if number in shown.marked and line
            else escape(visible(line)),
        )
        for number, line in enumerate(lines, 1)
    )
    return Markup('<pre class="written" tabindex="0"><code>{}</code></pre>').format(body)


def _is_heavy(lines: Sequence[str]) -> bool:
    widest = max((line.count("|") for line in lines), default=0)
    return widest * len(lines) > _MOST_CELLS or sum(map(len, lines)) > _MOST_CHARACTERS


def _link(path: str) -> FileLink:
    return FileLink(path, path.rsplit("/", 1)[-1].removesuffix(".md"), address(path))
