"""What one file may cost: its table cells, and the time and memory of the process that reads it."""

import re

CELLS = 200_000  # of all tables of a file; the parser makes over 300 bytes of an empty one
# Of the processor, so that a busy machine refuses no file that a quiet one reads.
PARSE_SECONDS = 10  # for reading a file's blocks
CUT_SECONDS = 60  # for cutting them; 5 MB of prose take 20 to 30
PATIENCE = 6  # seconds by the clock for one of the processor; then the process hangs
MEMORY = 512_000_000  # bytes that the process may hold

# What is within these is read in our own process: at worst it takes some 5 s and 60 MB.
SMALL_BYTES = 131_072
SMALL_CELLS = 20_000

_DELIMITER = re.compile(r"[ \t>|:\-]*")


def cells(text: str) -> int:
    """Return how many cells the parser makes of the tables in `text`, at most.

    A row has as many cells as its table has columns, however few stand in it: 2 KB of Markdown
    make 65,000. A table is taken to reach to the next blank line.
    """
    total = columns = 0
    before = ""
    for line in text.split("\n"):
        if not line.strip(" \t>"):
            columns = 0
        elif "|" in before and "-" in line and _DELIMITER.fullmatch(line):
            marked = sum(1 for part in line.split("|") if part.strip(" \t>"))
            columns = max(columns, min(marked, before.count("|") + 1))
            total += columns  # the header's
        else:
            total += columns
        before = line
    return total
