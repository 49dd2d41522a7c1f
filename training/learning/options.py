"""What both programs are asked on the command line, and how they end."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import RulesError
from training.learning.material import Sources
from training.learning.progress import Meter, Report

_EPOCHS = 3.0  # where neither --minutes nor --epochs is given


@dataclass(frozen=True, slots=True)
class Job:
    """One training: what it reads, how long it runs, and where it keeps its state."""

    sources: Sources
    checkpoint: Path  # a folder
    minutes: float | None = None
    epochs: float | None = None
    seed: int = 7
    every: int = 150  # steps between two checkpoints


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of every training."""
    parser.add_argument("--groups", type=Path, required=True, help="JSON lines of our texts, .gz")
    parser.add_argument("--foreign", type=Path, help="JSON lines of other texts' groups, .gz")
    parser.add_argument("--foreign-count", type=int, default=500, help="of which so many are used")
    parser.add_argument("--minutes", type=float, help="end after so many minutes of training")
    parser.add_argument(
        "--epochs", type=float, help=f"end after so many passes; {_EPOCHS:g} if no end is given"
    )
    parser.add_argument("--seed", type=int, default=7, help="equal seeds give equal weights")
    parser.add_argument(
        "--checkpoint", type=Path, help="folder of the state to continue; beside --out by default"
    )


def share(given: str) -> float:
    """Return a number above 0 and up to 1; argparse says so of what is none."""
    value = float(given)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{given} is not above 0 and up to 1")
    return value


def job(args: argparse.Namespace, out: Path) -> Job:
    """Return what the options ask for; the checkpoint of X is beside it, X.checkpoint."""
    epochs = args.epochs if args.epochs or args.minutes else _EPOCHS
    return Job(
        Sources(args.groups, args.foreign, args.foreign_count if args.foreign else 0),
        args.checkpoint or out.with_name(out.name + ".checkpoint"),
        args.minutes,
        epochs,
        args.seed,
    )


def run(program: str, train: Callable[[Callable[[Report], None]], str]) -> int:
    """Train, print what came of it, and return the exit status: 0, 2 for an error, 130 if stopped.

    `train` gets what shows its progress and returns the last line.
    """
    try:
        with Meter() as meter:
            result = train(meter.show)
    except RulesError as error:
        print(f"{program}: nothing was trained: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            f"{program}: stopped; the same command goes on from the last checkpoint",
            file=sys.stderr,
        )
        return 130
    print(result)
    return 0
