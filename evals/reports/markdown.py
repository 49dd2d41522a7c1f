"""Tables in Markdown, of texts that may hold any character."""

from collections.abc import Sequence

Table = Sequence[Sequence[str]]  # its head first


def table(rows: Table) -> list[str]:
    """Return the lines of a table."""
    head, *others = rows
    lines = (head, ["---"] * len(head), *others)
    return ["| " + " | ".join(map(cell, cells)) + " |" for cells in lines]


def cell(text: str) -> str:
    """Return a text as one cell of a table, without HTML of its own."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("`", "\\`")
