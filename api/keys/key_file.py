"""The file of API keys: a name, scopes and the hash of a token, one JSON object a line."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe
from tempfile import NamedTemporaryFile

from retrieval.errors import ConfigurationError

SCOPES = ("ask", "feedback", "metrics", "admin")


@dataclass(frozen=True, slots=True)
class Key:
    """Who may ask. `sha256` is of the token in hex: 32 random bytes need no slow hash."""

    name: str
    scopes: tuple[str, ...]
    sha256: str


def read(path: Path) -> tuple[Key, ...]:
    """Return the keys of the file; none where it does not exist.

    Raises ConfigurationError for a line that is no key.
    """
    if not path.exists():
        return ()
    lines = path.read_text("utf-8").splitlines()
    return tuple(_key(path, number, line) for number, line in enumerate(lines, 1) if line.strip())


def add(path: Path, name: str, scopes: Sequence[str]) -> str:
    """Add a key and return its token, which is stored nowhere.

    Raises ConfigurationError where the name is taken.
    """
    keys = read(path)
    if any(key.name == name for key in keys):
        raise ConfigurationError(f"{path} has a key {name!r} already; revoke it, or choose a name")
    token = token_urlsafe(32)
    _write(path, (*keys, Key(name, tuple(scopes), _digest(token))))
    return token


def revoke(path: Path, name: str) -> None:
    """Remove a key. Raises ConfigurationError where there is none of that name."""
    keys = read(path)
    rest = tuple(key for key in keys if key.name != name)
    if rest == keys:
        known = ", ".join(key.name for key in keys) or "none"
        raise ConfigurationError(f"{path} has no key {name!r}; its keys: {known}")
    _write(path, rest)


def holder(keys: Sequence[Key], token: str) -> Key | None:
    """Return the key of a token; each key is compared in constant time."""
    digest = _digest(token)
    matches = [key for key in keys if compare_digest(key.sha256, digest)]
    return matches[0] if matches else None


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _key(path: Path, number: int, line: str) -> Key:
    try:
        row = json.loads(line)
        key = Key(row["name"], tuple(row["scopes"]), row["sha256"])
        sound = set(row) == {"name", "scopes", "sha256"} and len(bytes.fromhex(key.sha256)) == 32
    except (ValueError, KeyError, TypeError):
        sound = False
    if not sound or not set(key.scopes) <= set(SCOPES):
        raise ConfigurationError(
            f"{path}:{number} is no key; remove the line, and add one by python -m api.keys add"
        )
    return key


def _write(path: Path, keys: Sequence[Key]) -> None:
    """Replace the file at once, so that a server that reads it sees the old or the new."""
    with NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(key)) + "\n" for key in keys)
    os.replace(file.name, path)  # made with mode 600, which stays
