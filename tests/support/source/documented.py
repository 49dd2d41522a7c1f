"""What a document of ours tells its readers to save and to type."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

DOCUMENTS = Path(__file__).parents[3] / "docs"
_BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """A line that is typed: variables of the environment, and the words after the program."""

    variables: tuple[tuple[str, str], ...]
    options: tuple[str, ...]


def saved_as(document: str, name: str) -> str:
    """Return what a document says to save as `name`: the block behind it."""
    text = (DOCUMENTS / document).read_text("utf-8")
    (code,) = re.findall(rf"`{re.escape(name)}`:\n\n```\w*\n(.*?)```", text, re.DOTALL)
    return str(code)


def blocks(document: str, language: str) -> list[str]:
    """Return the blocks of a document that are of this language, in their order."""
    found = _BLOCK.findall((DOCUMENTS / document).read_text("utf-8"))
    return [text for named, text in found if named == language]


def dialogue(document: str) -> list[tuple[str, str]]:
    """Return each command behind "$ " of a document, in their order, and what it shows below."""
    shown: list[tuple[str, str]] = []
    for block in blocks(document, ""):
        _, *others = ("\n" + block).split("\n$ ")
        shown += [(one.partition("\n")[0], one.partition("\n")[2]) for one in others]
    return shown


def typed(document: str, program: str) -> list[Command]:
    """Return the commands of a document that run `python -m program`, in their order."""
    start = ["python", "-m", program]
    found = []
    for line in "".join(blocks(document, "")).splitlines():
        words = shlex.split(line, comments=True)
        if start[0] not in words or words[(at := words.index(start[0])) : at + 3] != start:
            continue
        variables = tuple((k, v) for k, _, v in (word.partition("=") for word in words[:at]))
        found.append(Command(variables, tuple(words[at + 3 :])))
    return found
