"""The page's styles and scripts: read once, under an address that changes with any of them."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that a browser fetches."""

    data: bytes
    media_type: str


ASSETS = {
    file.name: Asset(file.read_bytes(), _TYPES[file.suffix])
    for file in sorted(FOLDER.iterdir())
    if file.suffix in _TYPES
}
VERSION = sha256(b"\0".join(one.data for one in ASSETS.values())).hexdigest()[:12]
