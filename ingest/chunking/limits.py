"""Split text that is over a limit of word pieces, losing nothing."""

import re
from collections.abc import Callable, Iterator, Sequence

Count = Callable[[str], int]  # word pieces of a text, without [CLS] and [SEP]

_WORD = re.compile(r"[^\s!-/:-@\[-`{-~]+")  # the tokenizer cuts at white space and punctuation …
_LONGEST = 100  # … and a word of more characters is one unknown piece to it, were it megabytes
_LETTERS = 4  # characters of a piece of such a word; ordinary words have as many


def unread(text: str) -> int:
    """Return how many pieces the words of `text` deserve that the tokenizer calls unknown.

    A word of over 100 characters (a key, a picture's data) is one piece to it. Whoever limits text
    by pieces alone would have no limit. 0 where all words are ordinary.
    """
    return sum(len(word) for word in _WORD.findall(text) if len(word) > _LONGEST) // _LETTERS


def split(text: str, limit: int, count: Count) -> list[str]:
    """Return parts of at most `limit` word pieces each that joined are `text` again.

    Cuts at sentence ends where it can, then at spaces, then anywhere. What is `unread` is cut off
    and cut by its length. Raises ValueError where a single character is over the limit, which needs
    a limit under about 4.
    """
    if len(text.encode()) <= limit or count(text) <= limit:  # a piece has at least one byte
        return [text]
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # 0.3 s, mostly for nothing

    splitter = RecursiveCharacterTextSplitter(
        separators=["\n", ". ", "; ", ", ", " ", ""],
        chunk_size=limit,
        chunk_overlap=0,
        length_function=lambda part: max(1, count(part)),  # it repeats parts of no length
        keep_separator="end",
        strip_whitespace=False,  # the default drops text
    )
    parts: list[str] = []
    for part in _ordinary(text, limit, count, splitter.split_text):
        if parts and not (part.strip() and parts[-1].strip()):
            parts[-1] += part  # white space alone is no part
        else:
            parts.append(part)
    if "".join(parts) != text or any(count(part) > limit for part in parts):
        raise ValueError(f"cannot split {text[:60]!r} into parts of {limit} word pieces")
    return parts


def _ordinary(
    text: str, limit: int, count: Count, split_text: Callable[[str], list[str]]
) -> Iterator[str]:
    """Yield parts of `text`: of ordinary words what `split_text` makes of them, of others slices.

    The splitter tries each single character of a word that it must cut, which takes minutes.
    """
    step, done = _LETTERS * limit, 0
    for word in _WORD.finditer(text):
        if len(word[0]) <= max(step, _LONGEST):
            continue
        yield from split_text(text[done : word.start()])
        for start in range(word.start(), word.end(), step):
            part = text[start : min(start + step, word.end())]
            yield from [part] if count(part) <= limit else split_text(part)
        done = word.end()
    yield from split_text(text[done:])


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
