"""How long a training runs, and how fast it learns when."""

from dataclasses import dataclass

from retrieval.errors import ConfigurationError

_WARM_UP = 60  # steps until the rates reach their peak


@dataclass(frozen=True, slots=True)
class Plan:
    """The end of a training: whichever of the two comes first."""

    steps: int | None = None
    minutes: float | None = None  # of training, over all runs that continued it

    def __post_init__(self) -> None:
        if not any(bound is not None and bound > 0 for bound in (self.steps, self.minutes)):
            raise ConfigurationError(
                f"a training of {self.steps} steps and {self.minutes} minutes has no end or no "
                "step; give --minutes or --epochs above 0"
            )

    def done(self, steps: int, seconds: float) -> float:
        """Return the part that is behind us, 0 to 1 and above."""
        return max(
            0.0 if self.steps is None else steps / max(self.steps, 1),
            0.0 if self.minutes is None else seconds / 60 / max(self.minutes, 1e-9),
        )

    def factor(self, steps: int, seconds: float) -> float:
        """Return what peak rates are multiplied by: up over 60 steps, then down to 0 at the end."""
        return min(1.0, (steps + 1) / _WARM_UP) * max(0.0, 1 - self.done(steps, seconds))
