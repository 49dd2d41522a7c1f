"""Cards, folders and passages as they go over HTTP."""

from collections.abc import Sequence

from api.answer.cards import render
from api.answer.cards.card import Card
from api.answer.cards.folders.folders import Folder, ListedFile
from api.schema.cards import Card as CardModel
from api.schema.cards import Folder as FolderModel
from api.schema.cards import Listed, Marked, More
from api.schema.cards import ListedFile as ListedFileModel
from api.schema.passages import Passage
from api.sources.vault_file import Freshness
from api.sources.vault_links import file_link, folder_link, link
from retrieval.models import Hit


def folder(found: Folder) -> FolderModel:
    """Return a folder that is asked for, with the address where it is read."""
    return FolderModel(
        path=found.path,
        url=folder_link(found.path),
        count=found.count,
        words=list(found.words),
        files=[_file(one) for one in found.files],
    )


def _file(listed: ListedFile) -> ListedFileModel:
    entry = listed.entry
    if entry is None:
        return ListedFileModel(path=listed.path, title=listed.title, url=file_link(listed.path))
    return ListedFileModel(
        path=listed.path,
        title=listed.title,
        url=link(listed.path, entry.first_line, entry.last_line),
        first_line=entry.first_line,
        last_line=entry.last_line,
        quote=entry.quote,
        text=render.listed_line(entry),
    )


def card(shown: Card, fresh: Freshness) -> CardModel:
    """Return a card with its text as Markdown, and where to read what it leaves out."""
    changed = [] if fresh == "fresh" else ["changed-since-indexed"]
    whole = (shown.chunk.first_line, shown.chunk.last_line)
    more = More(count=shown.left_out, url=link(shown.path, *whole)) if shown.left_out else None
    return CardModel(
        path=shown.path,
        heading=shown.heading,
        first_line=shown.first_line,
        last_line=shown.last_line,
        form=shown.form,
        text=render.text(shown),
        marked=[Marked(first_line=p.first_line, last_line=p.last_line) for p in shown.marked],
        folded=shown.folded,
        more=None if shown.folded else more,
        listed=None if shown.folded else _counted(shown),
        badges=[*shown.badges, *changed],
        fresh=fresh,
    )


def _counted(shown: Card) -> Listed | None:
    if shown.counted is None:
        return None
    return Listed(count=shown.counted, of=shown.parts[1], words=list(shown.said))


def passages(hits: Sequence[Hit]) -> list[Passage]:
    """Return the passages of a search as they go over HTTP."""
    return [
        Passage(
            path=hit.chunk.path,
            heading=hit.chunk.heading,
            first_line=hit.chunk.first_line,
            last_line=hit.chunk.last_line,
            text=hit.chunk.text,
            context=hit.chunk.context,
            score=hit.score,
        )
        for hit in hits
    ]
