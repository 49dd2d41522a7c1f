"""The types that the rooms exchange: frozen, without behaviour beyond what a reader needs."""

import math
from collections.abc import Container, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from retrieval.search_trace import Candidate, Timings
from retrieval.text.spellings import Spellings

Vectors = npt.NDArray[np.float32]
# "encoded": token vectors are not stored; those of the best candidates were made for the question.
LateInteraction = Literal["stored", "encoded", "off"]
# A status that says nothing.
_PLAIN = {"", "standard", "current", "active", "final", "in force", "valid", "approved"}
_GONE = {"superseded", "obsolete", "withdrawn", "deprecated", "archived"}
HOUSE_RULE = {"house rule", "house rules", "local"}  # these hold here, whatever was printed
EVERY_FILE = "\0"  # what errata supersede that name no file of the vault; in no front matter
ERRATA = {"errata", "erratum", "correction", "amendment"}
BY_CHOICE = {"optional", "variant", "draft", "proposed"}  # binds only who has chosen it
Certainty = Literal["answered", "nearest", "refused"]
EntryKind = Literal["row", "item", "sentences", "whole"]
Name = tuple[str, ...]  # the stems of its words, in order
Aliases = Mapping[str, tuple[str, ...]]  # what each stands for, as it is written, by `alias_key`
LONGEST_NAME = 6  # words


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is returned and cited: neighbouring lines of one file, `text` exactly those lines.

    Only where a single line is over the limit is `text` a part of that line; `piece` then counts
    the parts from 1.
    """

    path: str  # below the vault, with "/": "5. Adventures/12. Combat.md"
    heading: str  # "Combat > Initiative"; the file's title where no heading stands above
    first_line: int  # 1-based, as an editor counts
    last_line: int  # inclusive
    text: str
    context: str = ""  # a later part's table header or lead-in line, from further up; else ""
    piece: int = 0

    @property
    def id(self) -> str:
        """Where a reader finds it: "5. Adventures/12. Combat.md:12"; ties are broken by it."""
        return f"{self.path}:{self.first_line}" + (f".{self.piece}" if self.piece else "")


@dataclass(frozen=True, slots=True)
class Entry:
    """What is searched: one table row, list item, or one to three sentences of a chunk.

    An entry of the kind "whole" stands for its chunk (or for a window of it, where the chunk is
    longer than the encoder reads).
    """

    kind: EntryKind
    heading: str  # of the section that the entry stands in, which may be deeper than the chunk's
    first_line: int
    last_line: int
    quote: str  # the file's own characters
    lead: str  # the table's header rows or the list's lead-in line, as in the file; "" for none
    trail: str  # title, headings and lead-in, folded; what the entry shares with its neighbours
    words: str  # what it says itself, folded

    @property
    def text(self) -> str:
        """What is embedded."""
        return self.trail + self.words


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """What the index holds of one file, or of the part of it that was read.

    `lines` are the file's own lines by number (from 1); blank ones may be missing. `entries` stand
    in the order of the file, without those that stand for whole chunks.
    """

    path: str
    lines: Mapping[int, str]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """The words of one generation of the index."""

    entries: int
    frequency: Mapping[str, int]  # in how many entries a stem stands
    names: Mapping[Name, frozenset[str]]  # the files that have something of that name
    fields: AbstractSet[Name]
    words: Mapping[str, int]  # as they are written, in lower case, and how often
    titles: Mapping[str, str]  # of the files, by path and in that order
    spellings: Spellings
    abbreviations: Mapping[str, Name]  # what they stand for, aliases among them, by their stems
    named_words: AbstractSet[str]  # the stems that are part of a name
    commonest: str  # words, as a sample of the vault's language
    aliases: Aliases = field(default_factory=dict)  # of its aliases.yaml and of its files
    written: Aliases = field(default_factory=dict)  # aliases that the rules write, by meaning
    rarer: frozenset[str] = frozenset()  # aliases that they write, and their meaning more often
    stop: frozenset[str] = frozenset()  # stems that say nothing in another language than English
    # Names by their first stem, but for aliases: "Chases" names no savings at the Chase bank.
    named_from: Mapping[str, tuple[Name, ...]] = field(default_factory=dict)

    @property
    def headings(self) -> tuple[str, ...]:
        """The files' titles, in the order of the files."""
        return tuple(self.titles.values())

    def within(self, paths: Container[str]) -> "Terms":
        """Return them with the titles of these files alone."""
        return replace(self, titles={p: t for p, t in self.titles.items() if p in paths})

    def weight(self, word: str) -> float:
        """Return how telling a stem is: its inverse document frequency, over 0."""
        return math.log(1 + (self.entries + 0.5) / (self.frequency.get(word, 0) + 0.5))

    def in_full(self, words: Iterable[str]) -> frozenset[str]:
        """Return stems, with those that abbreviations among them stand for in their place."""
        words = frozenset(words)
        if self.abbreviations.keys().isdisjoint(words):  # nearly always, and asked very often
            return words
        found: set[str] = set()
        for word in words:
            found.update(self.abbreviations.get(word, (word,)))
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a generation that filters leave; made by `retrieval.metadata.scope`."""

    paths: frozenset[str]
    chunks: str  # the row ids as PostgreSQL reads an array: "{1,2}"; a list is slow to send
    entries: int  # of these chunks
    rows: frozenset[int] = frozenset()  # the same
    share: float = 0.0  # of the generation's chunks


@dataclass(frozen=True, slots=True)
class SourceNote:
    """What a file's front matter says of its standing; the defaults are a file without any."""

    path: str  # below the vault, with "/"
    status: str = ""  # "errata", "house rule", "optional", "superseded", …
    edition: str = ""
    supersedes: tuple[str, ...] = ()  # files that it overrides: paths, or EVERY_FILE

    @property
    def standing(self) -> tuple[str, ...]:
        """What a reader should know of it: ("errata", "edition 2nd"); none of a plain rule."""
        status = "" if self.status.casefold() in _PLAIN else self.status
        edition = f"edition {self.edition}" if self.edition else ""
        return tuple(part for part in (status, edition) if part)

    @property
    def is_gone(self) -> bool:
        """Whether the file says of itself that it holds no longer."""
        return self.is_one_of(_GONE)

    @property
    def is_optional(self) -> bool:
        """Whether the file binds only those who have chosen it."""
        return self.is_one_of(BY_CHOICE)

    def is_one_of(self, statuses: set[str]) -> bool:
        """Whether the file's status is one of these, in any letter case."""
        return self.status.casefold() in statuses

    def overrides(self, path: str) -> bool:
        """Tell whether the file says that it supersedes the one at `path`."""
        return path != self.path and not {path, EVERY_FILE}.isdisjoint(self.supersedes)


@dataclass(frozen=True, slots=True)
class Evidence:
    """An entry of a returned chunk with how near it is to the question, -1 to 1."""

    entry: Entry
    score: float  # cosine similarity
    late_score: float | None = None  # late interaction; None: off, or its vectors are not stored


@dataclass(frozen=True, slots=True)
class Hit:
    """A returned chunk. Higher scores are better; compare them only within one configuration."""

    chunk: Chunk
    score: float
    evidence: tuple[Evidence, ...]  # the chunk's entries, best first


NO_TERMS = Terms(0, {}, {}, frozenset(), {}, {}, Spellings({}), {}, frozenset(), "")


class OffTopicLimits(NamedTuple):
    """What is under a limit is refused; `nearer` counts where the words were not compared.

    What is under it by `doubtful` at most may be of another subject: it is called nearest. So is
    what has no passage over the threshold, but one that is under it by `below` at most.
    """

    covered: float
    nearer: float
    doubtful: float = 0.0
    below: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What one search returns: the hits, best first, how they came to be, and what they are worth.

    `certainty` is "nearest" where the hits may not answer; `refusal` says why one is "refused".
    """

    question: str  # as it was searched: with the one before, where it is a follow-up
    hits: tuple[Hit, ...]
    trace: tuple[Candidate, ...]
    late: LateInteraction
    rerank: str  # the reranker's name, or "off"
    threshold: float
    generation: str  # "ID.REVISION" of the index that answered
    timings: Timings
    off_topic_score: float = (
        -1.0
    )  # cosine similarity to other subjects, less that of the rules' texts
    # By how much the question's words, weighted, are more similar to the candidates' than to those
    # of other subjects, -2 to 2; None where not every word piece of the candidates has its vector.
    covered: float | None = None
    off_topic_limits: OffTopicLimits | None = None  # by which it is refused; None: by none
    # Passages below `top_k` of files that supersede one of `hits` in what was asked, best first.
    overriding: tuple[Hit, ...] = ()
    # Of the files of both, by path; only of those whose front matter says something.
    notes: Mapping[str, SourceNote] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)  # sha256 of both's files, as indexed
    files: Mapping[str, IndexedFile] = field(default_factory=dict)  # both's, around the passages
    terms: Terms = NO_TERMS  # of the index that answered
    # Of each word piece of the question: its weight, its best similarity to a piece of the first
    # passage, and to one of any candidate; empty where not every piece has its vector.
    matched: tuple[tuple[float, float, float], ...] = ()
    certainty: Certainty = "answered"
    confidence: float | None = None  # that the first hit answers; 0 of a refusal, None: not fitted
    refusal: Literal["no_passage", "off_topic"] | None = None
    premise: Evidence | None = None  # an entry that contradicts what the question takes for granted

    @property
    def passages(self) -> tuple[Hit, ...]:
        """What an answer is made of: the hits, and behind them what overrides one of them."""
        return self.hits + self.overriding
