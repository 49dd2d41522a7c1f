"""What begins a line of Markdown: patterns for lines that stand alone, as in an index or an answer.

Whole files are parsed (`ingest/read/markdown.py`).
"""

import re

ITEM_MARK = r"(?:[-*+]|\d{1,9}[.)])"  # CommonMark's: a number has nine digits at most
ITEM = re.compile(rf"^(\s*){ITEM_MARK}\s+")
HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(\S.*)")  # deeper indented it is code
