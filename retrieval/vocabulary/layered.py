"""A mapping that shares most of what it holds with the one that it was made of."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_SHARE = 8  # of the keys; where more than one in so many differ, all are copied


def changed(
    before: Mapping[_Key, _Value], changes: Mapping[_Key, _Value | None]
) -> Mapping[_Key, _Value]:
    """Return a mapping with these `changes`, None for what is gone; `before` stays as it is.

    It costs what is changed since all was copied last. No value of either is None.
    """
    if not changes:
        return before
    base, over = (before.base, before.over) if isinstance(before, _Layered) else (before, {})
    over = {**over, **changes}
    if len(over) * _SHARE > len(base):
        whole: dict[_Key, _Value | None] = {**base, **over}
        return {key: value for key, value in whole.items() if value is not None}
    more = sum((value is not None) - (key in before) for key, value in changes.items())
    return _Layered(base, over, len(before) + more)


class _Layered(Mapping[_Key, _Value]):
    """What `base` holds, but for the keys that `over` has; None there is nothing."""

    __slots__ = ("_size", "base", "over")

    def __init__(
        self, base: Mapping[_Key, _Value], over: Mapping[_Key, _Value | None], size: int
    ) -> None:
        self.base, self.over, self._size = base, over, size

    def __getitem__(self, key: _Key) -> _Value:
        if key not in self.over:
            return self.base[key]
        value = self.over[key]
        if value is None:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[_Key]:
        yield from (key for key in self.base if key not in self.over)
        yield from (key for key, value in self.over.items() if value is not None)

    def __len__(self) -> int:
        return self._size
