"""How often something may be done: so many at once, and then so many a minute."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil
from threading import Lock
from time import monotonic


@dataclass(slots=True)
class TokenBucket:
    """At most `burst` at once, and `a_minute` in the long run; all callers share it.

    It may be asked from several threads. `clock` gives seconds.
    """

    burst: int
    a_minute: float
    clock: Callable[[], float] = monotonic
    _left: float = field(init=False)
    _at: float = field(init=False)
    _lock: Lock = field(init=False, default_factory=Lock)

    def __post_init__(self) -> None:
        """Begin with a full bucket."""
        self._left, self._at = float(self.burst), self.clock()

    def wait(self) -> int:
        """Take one and return 0; where none is left, take none and return the seconds until then.

        The seconds are rounded up, so that who waits that long gets one.
        """
        with self._lock:
            now = self.clock()
            gained = (now - self._at) * self.a_minute / 60
            self._left, self._at = min(self.burst, self._left + gained), now
            if self._left >= 1:
                self._left -= 1
                return 0
            return max(1, ceil((1 - self._left) * 60 / self.a_minute))
