"""Where a training stands, on disk: it continues there as if it had never stopped."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from retrieval.errors import ConfigurationError

RandomState = tuple[Any, ...]  # of random.Random


@dataclass(frozen=True, slots=True)
class Place:
    """A batch of an epoch: number `batch` of those that are drawn in the state `epoch`."""

    epoch: RandomState
    batch: int
    now: RandomState  # before the batch draws anything


@dataclass(frozen=True, slots=True)
class State:
    """All that the next step depends on."""

    weights: dict[str, Any]  # model and head
    optimizer: dict[str, Any]
    torch_random: torch.Tensor
    place: Place  # of the next batch
    steps: int
    seconds: float  # of training
    loss: float | None  # smoothed; None before the first step


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file for the state of one training; `run` says which: data, recipe and seed."""

    folder: Path
    run: Mapping[str, object]  # of what JSON can hold
    every: int = 150  # steps between two states

    @property
    def path(self) -> Path:
        """The file; it exists while a training is unfinished."""
        return self.folder / "training.pt"

    def write(self, state: State) -> None:
        """Replace the file at once: whoever stops the program finds the old or the new one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        fields = {name: getattr(state, name) for name in State.__slots__ if name != "place"}
        place = (state.place.epoch, state.place.batch, state.place.now)
        with part.open("wb") as file:
            torch.save({**fields, "place": place, "run": _text(self.run)}, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.path)

    def read(self) -> State | None:
        """Return the state to go on from; None where nothing was begun.

        Raises ConfigurationError for a broken file and for one of another training.
        """
        if not self.path.is_file():
            return None
        try:
            found = torch.load(self.path, weights_only=True)  # tensors and plain values, no code
            run, place = json.loads(found.pop("run")), Place(*found.pop("place"))
            state = State(place=place, **found)
        except (OSError, EOFError, RuntimeError, UnpicklingError, TypeError, KeyError) as error:
            reason = str(error).partition("\n")[0]
            raise ConfigurationError(
                f"{self.path} cannot be read: {reason}; delete it to begin again"
            ) from error
        self._refuse_another(run)
        return state

    def clear(self) -> None:
        """Delete the state of a training that is finished, and the folder if it is empty."""
        self.path.unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _refuse_another(self, run: Mapping[str, object]) -> None:
        mine = json.loads(_text(self.run))
        for name in sorted({*run, *mine}):
            if run.get(name) != mine.get(name):
                raise ConfigurationError(
                    f"{self.path} is of a training with {name} = {run.get(name)}, not "
                    f"{mine.get(name)}; continue that one, delete the file, or name another "
                    "folder with --checkpoint"
                )


def _text(run: Mapping[str, object]) -> str:
    return json.dumps(run, sort_keys=True)
