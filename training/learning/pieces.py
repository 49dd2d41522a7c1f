"""Texts as word pieces, padded only as far as the longest text of a call."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Encoding

_MANY = 16  # texts that are worth two calls
_LONG = 1.5  # times as long as two thirds of the texts
_CALL = 1536  # word pieces of one call, padding included: enough to keep two cores busy


@dataclass(frozen=True, slots=True)
class Padded:
    """What a BERT model reads; all of shape (texts, longest), int64."""

    ids: torch.Tensor
    kinds: torch.Tensor  # 0 in the first text of a pair, 1 in the second
    mask: torch.Tensor  # 1 for a word piece, 0 for padding


def padded(encodings: Sequence[Encoding]) -> Padded:
    """Return the encodings as one batch."""
    longest = max(len(found.ids) for found in encodings)
    shape = (len(encodings), longest)
    ids, kinds, mask = (torch.zeros(shape, dtype=torch.int64) for _ in range(3))
    for row, found in enumerate(encodings):
        length = len(found.ids)
        ids[row, :length] = torch.tensor(found.ids)
        kinds[row, :length] = torch.tensor(found.type_ids)
        mask[row, :length] = 1
    return Padded(ids, kinds, mask)


def short_and_long(lengths: Sequence[int]) -> list[list[int]]:
    """Return the rows in one part, or in two where few long texts would pad the many short."""
    ordered = sorted(lengths)
    limit = ordered[len(lengths) * 2 // 3]
    if len(lengths) < _MANY or ordered[-1] <= _LONG * limit:
        return [list(range(len(lengths)))]
    short = [row for row, length in enumerate(lengths) if length <= limit]
    return [short, [row for row, length in enumerate(lengths) if length > limit]]


def buckets(lengths: Sequence[int]) -> list[list[int]]:
    """Return the rows in calls of equal lengths, the shortest first, none over 1,536 word pieces.

    Next to no padding is computed; a row that is longer than a call has one of its own.
    """
    found: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        if found and (len(found[-1]) + 1) * lengths[row] <= _CALL:
            found[-1].append(row)
        else:
            found.append([row])
    return found
