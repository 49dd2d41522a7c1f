"""What the tools return: places of the rules that an agent can fetch and cite."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from pydantic import BaseModel, Field

from api.schema.answer import Answer, RefusalReason
from api.sources import vault_links
from api.sources.vault_file import Freshness
from retrieval.models import Certainty, Hit

_ID = re.compile(r"(?P<path>.+?)(?:#L(?P<first>[1-9]\d{0,8})(?:-L(?P<last>[1-9]\d{0,8}))?)?")
_URI = "vault:///"


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, or the whole file where `first` is 0. Its id is "path#L12-L14"."""

    path: str
    first: int = 0
    last: int = 0

    @classmethod
    def of(cls, given: str) -> "Place | None":
        """Return the place of an id or of a `vault:///` address; None for what is neither."""
        match = _ID.fullmatch(given.removeprefix(_URI))
        if match is None:
            return None
        first = int(match["first"] or 0)
        last = int(match["last"] or first)
        path = unquote(match["path"]) if given.startswith(_URI) else match["path"]
        return cls(path, first, last) if last >= first else None

    @property
    def id(self) -> str:
        """How `fetch` is asked for it."""
        return self.path + self._lines

    def url(self, base_url: str) -> str:
        """Where it is read: on the server at `base_url`, or the resource where that is ""."""
        if not base_url:
            return f"{_URI}{quote(self.path, safe='/')}{self._lines}"
        if not self.first:
            return base_url.rstrip("/") + vault_links.file_link(self.path)
        return base_url.rstrip("/") + vault_links.link(self.path, self.first, self.last)

    @property
    def _lines(self) -> str:
        if not self.first:
            return ""
        return f"#L{self.first}" + (f"-L{self.last}" if self.last > self.first else "")


class Source(BaseModel):
    """A place of the rules; `fetch` takes its id."""

    id: str = Field(description='"path#L12-L14", or "path" for a whole file')
    title: str
    url: str


class Found(BaseModel):
    """What was found, best first."""

    certainty: Certainty = Field(
        description="answered: the first result very likely answers; nearest: the rules may not "
        "say this, these lines are only the nearest; refused: the rules are about something else"
    )
    results: list[Source]


class FetchedMetadata(BaseModel):
    """What is known of a text."""

    path: str
    first_line: int
    last_line: int
    fresh: Freshness = Field(description="whether the file still is what was indexed")


class Fetched(BaseModel):
    """Lines of the rules as they stand in the file, without what a browser would hide."""

    id: str
    title: str
    text: str
    url: str
    metadata: FetchedMetadata


class Sources(BaseModel):
    """The files of the rules in reading order; `count` tells how many there are in the folder."""

    count: int
    sources: list[Source]


class Quoted(BaseModel):
    """The lines behind a `[marker]` of an answer."""

    marker: int
    id: str = Field(description="what `fetch` takes")
    heading: str
    quote: str = Field(description="the file's own characters, checked to stand in those lines")
    url: str
    fresh: Freshness


class Asked(BaseModel):
    """An answer that stands on quoted lines, or a refusal. `answer` is Markdown with markers."""

    certainty: Certainty = Field(
        description="answered: pass the answer on with its sources; nearest: say that the rules "
        "may not cover this and show the quotes; refused: say that the rules do not cover it"
    )
    confidence: float | None = Field(description="that the first card answers, 0 to 1")
    refusal_reason: RefusalReason | None
    answer: str
    citations: list[Quoted]

    @classmethod
    def of(cls, given: Answer, base_url: str) -> "Asked":
        """Return what an agent needs of an answer."""
        return cls(
            certainty=given.certainty,
            confidence=given.confidence,
            refusal_reason=given.refusal_reason,
            answer=given.answer,
            citations=[
                Quoted(
                    marker=cited.marker,
                    id=(place := Place(cited.path, cited.first_line, cited.last_line)).id,
                    heading=cited.heading,
                    quote=cited.quote,
                    url=place.url(base_url),
                    fresh=cited.fresh,
                )
                for cited in given.citations
            ],
        )


def found(hits: Sequence[Hit], certainty: Certainty, base_url: str) -> Found:
    """Return what was found as places to fetch."""
    results = []
    for hit in hits:
        place = Place(hit.chunk.path, hit.chunk.first_line, hit.chunk.last_line)
        results.append(Source(id=place.id, title=hit.chunk.heading, url=place.url(base_url)))
    return Found(certainty=certainty, results=results)
