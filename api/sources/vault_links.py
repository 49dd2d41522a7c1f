"""The addresses of files and folders of the vault, as answers carry them."""

from urllib.parse import quote, urlencode


def link(path: str, first_line: int, last_line: int) -> str:
    """Return the address of lines of a file, from the server's root: "/vault/a.md#L12-L14".

    One line is "#L12". Every character that an address gives a meaning is percent-encoded.
    """
    lines = f"L{first_line}" + (f"-L{last_line}" if last_line > first_line else "")
    return f"{file_link(path)}#{lines}"


def file_link(path: str) -> str:
    """Return the address of a file, from the server's root: "/vault/a.md"."""
    return f"/vault/{quote(path, safe='/')}"


def folder_link(path: str) -> str:
    """Return the address of a folder, from the server's root: "/vault/?folder=Monsters#folder"."""
    return f"/vault/?{urlencode({'folder': path})}#folder"
