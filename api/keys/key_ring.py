"""The keys that a running server knows: those of API_KEYS, read again when their file changes."""

import logging
from hmac import compare_digest
from pathlib import Path
from threading import Lock

from api.keys import key_file
from api.keys.key_file import Key
from retrieval.errors import ConfigurationError

log = logging.getLogger("api")


class KeyRing:
    """Finds the key of a token. It may be asked from several threads."""

    def __init__(self, source: str) -> None:
        """Read the keys: `source` is a file, or the lines of one, which begin with "{".

        Raises ConfigurationError where these are no keys.
        """
        self._path = None if source.lstrip().startswith("{") else Path(source)
        self._lock = Lock()
        self._seen: tuple[int, int, int] | None = None
        self._keys = () if self._path else key_file.parse(source, "API_KEYS")
        self._renew()
        if not self._keys:
            log.warning("API_KEYS holds no key, so nobody may ask")

    def holder(self, token: str) -> Key | None:
        """Return the key of a token, each compared in constant time; None where there is none.

        Raises ConfigurationError while the file cannot be read: then nobody is let in.
        """
        self._renew()
        digest = key_file.digest(token)
        matches = [key for key in self._keys if compare_digest(key.sha256.lower(), digest)]
        return matches[0] if matches else None

    def _renew(self) -> None:
        """Read the file where it is not the one that was read: a change is seen at once."""
        if self._path is None:
            return
        with self._lock:
            try:
                now = self._path.stat()
                stamp = (now.st_ino, now.st_mtime_ns, now.st_size)
            except OSError:
                stamp = None  # reading it says why
            if stamp is None or stamp != self._seen:
                self._seen = None
                self._keys = key_file.read(self._path)
                self._seen = stamp


def program_file(api_keys: str | None) -> Path:
    """Return the file that the setting names. Raises ConfigurationError where it names none."""
    if api_keys and not api_keys.lstrip().startswith("{"):
        return Path(api_keys)
    held = "holds the keys themselves" if api_keys else "is not set"
    raise ConfigurationError(f"API_KEYS {held}; name a file by --file, or take add … --print")
