"""Links within the vault, the only ones that a page has; others are text with their address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

from markupsafe import Markup

from api.sources.vault_links import file_link

Range = tuple[int, int]  # first and last line, inclusive


@dataclass(frozen=True, slots=True)
class Links:
    """Where the links of one file lead, seen from `folder`.

    `paths` are by their names, as they are written and in lower case.
    """

    paths: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""

    @classmethod
    def of(cls, paths: Sequence[str], path: str) -> "Links":
        """Return the links of the file at `path` among the vault's `paths`.

        A file is found by its whole path and, as wiki links name it, by its name alone, in upper or
        lower case; where two differ in nothing else, each by its own.
        """
        names = {_name(one): one for one in reversed(paths)}
        wholes = {one: one for one in reversed(paths)}
        lower = {known.lower(): one for known, one in (*names.items(), *wholes.items())}
        return cls({**lower, **names, **wholes}, dirname(path))

    def wiki(self, target: str, words: str) -> Markup:
        """Return the link of `[[target|words]]`, or its words alone where there is no such file."""
        name = target.partition("#")[0].strip()
        found = self._found(name) or self._found(f"{name}.md")
        return _anchor(found, words) if found else Markup("{}").format(words)

    def relative(self, href: str, words: Markup) -> Markup:
        """Return the link to `href` with `words`; one that leaves the vault is shown as text."""
        try:
            parts = urlsplit(href)
        except ValueError:  # "//[" is no address
            return words
        if parts.scheme or parts.netloc:
            address = unquote(href)
            said = Markup(' <span class="address">({})</span>').format(address)
            return words if address in str(words) else words + said
        path = normpath(join(self.folder, unquote(parts.path))) if parts.path else ""
        found = self._found(path)
        return _anchor(found, words) if found else words

    def _found(self, name: str) -> str | None:
        return self.paths.get(name) or self.paths.get(name.lower())


def address(path: str, ranges: Sequence[Range] = ()) -> str:
    """Return where a file is read, its lines marked: "/vault/a.md?lines=12-14#L12"."""
    where = file_link(path)
    return f"{where}?lines={spelled(ranges)}#L{ranges[0][0]}" if ranges else where


def spelled(ranges: Sequence[Range]) -> str:
    """Return ranges as an address has them: "12-14,20"."""
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)


def joined(ranges: Sequence[Range]) -> list[Range]:
    """Return ranges in order, those that touch or overlap as one: an address stays short."""
    found: list[Range] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            first, last = found[-1][0], max(found.pop()[1], last)
        found.append((first, last))
    return found


def ranges_of(text: str) -> tuple[Range, ...]:
    """Return the ranges of "12-14,20"; what is no range of lines is left out."""
    found = []
    for part in text[:400].split(","):
        first, _, last = part.strip().removeprefix("L").partition("-")
        last = last.removeprefix("L") or first
        if first.isdecimal() and last.isdecimal() and max(len(first), len(last)) < 9:
            found.append((int(first), int(last)))
    return tuple((a, b) for a, b in found if 1 <= a <= b)


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def _anchor(path: str, words: Markup | str) -> Markup:
    return Markup('<a href="{}">{}</a>').format(address(path), words)
