"""Places of the rules as they are shown."""

from typing import Literal

from pydantic import BaseModel, Field

from api.sources.vault_file import Freshness


class Marked(BaseModel):
    """Lines of a card that answer."""

    first_line: int
    last_line: int


class More(BaseModel):
    """Rows, items or fields that a card leaves out, and where to read them."""

    count: int
    url: str


class ListedFile(BaseModel):
    """A file of a folder that is asked for, with the lines that say what is asked of each."""

    path: str
    title: str
    url: str = Field(description="where the file, or these lines of it, are read, without the host")
    first_line: int | None = Field(None, description="of what is asked of each file, else null")
    last_line: int | None = None
    quote: str = Field("", description="the file's own characters of these lines")
    text: str = Field("", description="the same on one line of Markdown")


class Folder(BaseModel):
    """A folder that is asked for ("list all monsters"), with its files or the first of them.

    With `words` these are the files that say them ("which monsters drain levels"), found by their
    words alone.
    """

    path: str
    url: str = Field(description="where the folder is read, without the host")
    count: int = Field(description="how many files with text there are in it and below")
    words: list[str] = Field([], description="what is asked of each file; none of a whole folder")
    files: list[ListedFile]


class Listed(BaseModel):
    """A list that is asked for as a whole, or its rows that say what is asked of each."""

    count: int = Field(description="rows or items that were asked for, shown or not")
    of: int = Field(description="all of the list")
    words: list[str] = Field(description="by which its rows were found; none of a whole list")


class Card(BaseModel):
    """A place of the rules with its text, in the form that its structure has.

    `text` is Markdown; of a folded card it is one line. `marked` are the lines that answer.
    """

    path: str
    heading: str = Field(description='the headings above, joined with " > "')
    first_line: int
    last_line: int
    form: Literal["section", "table", "list", "fields"]
    text: str
    marked: list[Marked]
    folded: bool
    more: More | None
    listed: Listed | None = Field(description="of a list that is asked for, else null")
    badges: list[str] = Field(
        description="errata, house-rule, optional, superseded, corrected-above (by a card above), "
        "changed-since-indexed"
    )
    fresh: Freshness
