"""Split text that is over a limit of word pieces, losing nothing."""

from collections.abc import Callable, Sequence

from langchain_text_splitters import RecursiveCharacterTextSplitter

Count = Callable[[str], int]  # word pieces of a text, without [CLS] and [SEP]


def split(text: str, limit: int, count: Count) -> list[str]:
    """Return parts of at most `limit` word pieces each that joined are `text` again.

    Cuts at sentence ends where it can, then at spaces, then anywhere. Raises ValueError where a
    single character is over the limit, which needs a limit under about 4.
    """
    if len(text.encode()) <= limit or count(text) <= limit:  # a piece has at least one byte
        return [text]
    splitter = RecursiveCharacterTextSplitter(
        separators=["\n", ". ", "; ", ", ", " ", ""],
        chunk_size=limit,
        chunk_overlap=0,
        length_function=lambda part: max(1, count(part)),  # it repeats parts of no length
        keep_separator="end",
        strip_whitespace=False,  # the default drops text
    )
    parts: list[str] = []
    for part in splitter.split_text(text):
        if parts and not (part.strip() and parts[-1].strip()):
            parts[-1] += part  # white space alone is no part
        else:
            parts.append(part)
    if "".join(parts) != text or any(count(part) > limit for part in parts):
        raise ValueError(f"cannot split {text[:60]!r} into parts of {limit} word pieces")
    return parts


def pack(sizes: Sequence[int], limit: int) -> list[range]:
    """Return neighbouring items grouped greedily: each range's sizes sum to at most `limit`.

    An item that alone is over the limit stands in a range of its own.
    """
    ranges: list[range] = []
    start = total = 0
    for index, size in enumerate(sizes):
        if index > start and total + size > limit:
            ranges.append(range(start, index))
            start, total = index, 0
        total += size
    if start < len(sizes):
        ranges.append(range(start, len(sizes)))
    return ranges
