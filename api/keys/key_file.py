"""The file of API keys: a name, scopes and the hash of a token, one JSON object a line."""

import fcntl
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from tempfile import NamedTemporaryFile
from typing import Any

from retrieval import rates
from retrieval.errors import ConfigurationError
from retrieval.rates import Rate

SCOPES = ("ask", "feedback", "metrics", "admin")
FILTERED = frozenset({"ask", "feedback"})  # the others tell of the whole vault
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")  # it stands in the log


@dataclass(frozen=True, slots=True)
class Key:
    """Who may ask. `sha256` is of the token in hex: 32 random bytes need no slow hash."""

    name: str
    scopes: tuple[str, ...]
    sha256: str
    rate: str | int | None = None  # questions, "60/m,2000/d"; None: RATE_LIMIT_KEY
    filter: dict[str, Any] | None = None  # no other files exist for it: docs/filters.md
    tokens: str | None = None  # of the language model, "9000/m"; None: TOKEN_LIMIT_KEY

    @property
    def rates(self) -> tuple[Rate, ...]:
        """How often it may ask; () where it has no limit of its own."""
        return rates.read(self.rate) if self.rate else ()

    @property
    def token_rates(self) -> tuple[Rate, ...]:
        """How many tokens it may use; () where it has no limit of its own."""
        return rates.read(self.tokens) if self.tokens else ()

    @property
    def line(self) -> str:
        """The key as the file has it."""
        return json.dumps(
            {name: value for name, value in asdict(self).items() if value is not None}
        )


def made(
    name: str,
    scopes: Sequence[str],
    rate: str | int | None = None,
    filter: dict[str, Any] | None = None,  # as the command calls it
    tokens: str | None = None,
) -> tuple[Key, str]:
    """Return a new key and its token, which nothing else holds.

    Raises ConfigurationError for a name that the log could not show, and for a filter beside a
    scope that tells of the whole vault.
    """
    if not _NAME.fullmatch(name):
        raise ConfigurationError(f"{name[:80]!a} is no name of a key; take letters, digits, . _ -")
    if filter is not None and (whole := set(scopes) - FILTERED):
        raise ConfigurationError(
            f"the scope {min(whole)} tells of all files; give it to a key without --filter"
        )
    token = token_urlsafe(32)
    return Key(name, tuple(scopes), digest(token), rate, filter, tokens), token


def digest(token: str) -> str:
    """Return the SHA-256 of a token in hex."""
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def parse(text: str, where: str) -> tuple[Key, ...]:
    """Return the keys of a file's text. Raises ConfigurationError for a line that is no key."""
    lines = enumerate(text.splitlines(), 1)
    keys = tuple(_key(where, number, line) for number, line in lines if line.strip())
    if len({key.name for key in keys}) < len(keys):
        raise ConfigurationError(f"{where}: two keys have one name; rename or remove one")
    return keys


def read(path: Path) -> tuple[Key, ...]:
    """Return the keys of the file.

    Raises ConfigurationError where it cannot be read, and for a line that is no key.
    """
    try:
        return parse(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"the file of keys {path} cannot be read ({error}); name another in API_KEYS, or make "
            f"it: python -m api.keys --file {path} add NAME --scope ask,feedback"
        ) from error


def add(
    path: Path,
    name: str,
    scopes: Sequence[str],
    rate: str | int | None = None,
    filter: dict[str, Any] | None = None,  # as the command calls it
    tokens: str | None = None,
) -> str:
    """Add a key to the file, which is made where there is none, and return its token.

    Raises what `made` raises, and ConfigurationError where the name is taken, or the file cannot
    be written.
    """
    key, token = made(name, scopes, rate, filter, tokens)
    with _locked(path):
        keys = read(path) if path.exists() else ()
        if any(one.name == name for one in keys):
            raise ConfigurationError(
                f"{path} has a key {name!r} already; revoke it, or take a name"
            )
        _write(path, (*keys, key))
    return token


def revoke(path: Path, name: str) -> None:
    """Remove a key. Raises ConfigurationError where there is none of that name."""
    with _locked(path):
        keys = read(path)
        rest = tuple(key for key in keys if key.name != name)
        if rest == keys:
            known = ", ".join(key.name for key in keys) or "none"
            raise ConfigurationError(f"{path} has no key {name!r}; its keys: {known}")
        _write(path, rest)


def _key(where: str, number: int, line: str) -> Key:
    try:
        row = json.loads(line)
        key = Key(**{**row, "scopes": tuple(row["scopes"])})
        sound = (
            bool(_NAME.fullmatch(key.name))
            and set(key.scopes) <= set(SCOPES)
            and len(bytes.fromhex(key.sha256)) == 32
            and all(one is None or rates.read(one) for one in (key.rate, key.tokens))
            and (key.filter is None or isinstance(key.filter, dict))
            and (key.filter is None or FILTERED.issuperset(key.scopes))
        )
    except (ValueError, KeyError, TypeError, ConfigurationError):
        sound = False
    if not sound:
        raise ConfigurationError(
            f"{where}:{number} is no key; remove the line, and add one by python -m api.keys add"
        )
    return key


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one program at a time change files of that folder."""
    try:
        folder = os.open(path.resolve().parent, os.O_RDONLY)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error}; make its folder") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _write(path: Path, keys: Sequence[Key]) -> None:
    """Replace the file at once, so that a server that reads it sees the old or the new.

    A new file is its writer's alone (mode 600); an old one keeps its mode, and its owner where root
    writes.
    """
    path = path.resolve()  # a link stays one
    try:
        with NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
            file.writelines(f"{key.line}\n" for key in keys)
            file.flush()
            os.fsync(file.fileno())
            if path.exists():
                old = path.stat()
                os.fchmod(file.fileno(), old.st_mode & 0o777)
                if os.geteuid() == 0:
                    os.fchown(file.fileno(), old.st_uid, old.st_gid)
        os.replace(file.name, path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error}") from error
