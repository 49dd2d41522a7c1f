"""Train a small cross-encoder from the bundled encoder's layers; write a folder that loads as is.

It learns to put the text that answers a question before hard negatives. A stopped training goes
on where the same command is given. Give the folder to the settings as RERANKER_MODEL.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from retrieval.encoder import adapter, weights
from retrieval.encoder.weights import ModelFiles
from training.learning import manifest, material, options, ranker_task
from training.learning.checkpoint import Checkpoint
from training.learning.loop import prepare, steps_of, train
from training.learning.options import Job
from training.learning.progress import Report, say
from training.learning.ranker import Ranker
from training.learning.ranker_task import Recipe
from training.learning.schedule import Plan
from training.learning.teacher import Teacher

_BASE = "base"


@dataclass(frozen=True, slots=True)
class Start:
    """Adapters of the base that a training begins with."""

    init: Path | None = None  # the layers; None for the base's own
    teacher: Path | None = None  # a bi-encoder to learn from


_FROM_BASE = Start()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status: 0, 2 for an error, 130 if it was stopped."""
    parser = argparse.ArgumentParser(prog="python -m training.train_reranker", description=__doc__)
    options.add(parser)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the model")
    parser.add_argument(
        "--init", default=_BASE, help='"base", or an adapter (.safetensors) to start from'
    )
    parser.add_argument("--depth", type=int, choices=(3, 6), default=3, help="layers to keep")
    parser.add_argument(
        "--length", type=int, choices=(96, 128, 192), default=128, help="word pieces of a pair"
    )
    parser.add_argument(
        "--teacher", type=Path, help="an adapter whose order of the texts is learned as well"
    )
    args = parser.parse_args(argv)
    asked = options.job(args, args.out)
    recipe = Recipe(depth=args.depth, length=args.length)
    begun = Start(None if args.init == _BASE else Path(args.init), args.teacher)

    def work(show: Callable[[Report], None]) -> str:
        return f"{args.out}: {make(asked, recipe, args.out, show, begun)}"

    return options.run("training.train_reranker", work)


def make(
    job: Job,
    recipe: Recipe,
    out: Path,
    show: Callable[[Report], None],
    begun: Start = _FROM_BASE,
) -> dict[str, dict[str, float] | None]:
    """Train, write the folder `out`, and return how it and the base rank held out lines.

    Raises DatasetError for groups that cannot be used, ConfigurationError for a checkpoint of
    another training or a teacher without a head, ModelUnavailableError where the base model is
    missing or an adapter does not fit.
    """
    draw = Random(job.seed)  # noqa: S311  # chance, no secret
    base = weights.bundled_base()
    record = _record(job, recipe, base, begun)
    learned = material.load(job.sources, draw)
    counts = learned.counts()
    say(", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items()))
    prepare(job.seed)
    changed = None if begun.init is None else adapter.read(begun.init)
    ranker = Ranker(base, depth=recipe.depth, length=recipe.length, init=changed)
    teacher = (
        Teacher(base, adapter.read(begun.teacher), length=recipe.length) if begun.teacher else None
    )
    task = ranker_task.task(ranker, recipe, learned.units, teacher)
    plan = Plan(steps_of(len(learned.units) / recipe.lines, job.epochs), job.minutes)
    checkpoint = Checkpoint(job.checkpoint, record, job.every)
    steps = train(task, plan, checkpoint, draw, show)
    say(f"{steps:,} steps; ranking {len(learned.held_out):,} held out lines")
    found = ranker_task.measure(ranker, base, learned.held_out)
    ranker.save(out)
    manifest.write(out / "dev.json", {"lines": len(learned.held_out), **found})
    digest = manifest.sha256(out / "model.safetensors")
    whole = {"sha256": digest, **record, "counts": counts, "steps": steps, "held_out": found}
    manifest.write(out / "manifest.json", whole)
    checkpoint.clear()
    return found


def _record(job: Job, recipe: Recipe, base: ModelFiles, begun: Start) -> Mapping[str, object]:
    """Return what decides the result."""
    return {
        "base": manifest.base(base),
        "init": _BASE if begun.init is None else manifest.sha256(begun.init),
        "teacher": None if begun.teacher is None else manifest.sha256(begun.teacher),
        "data": manifest.sources(job.sources),
        "recipe": asdict(recipe),
        "minutes": job.minutes,
        "epochs": job.epochs,
        "seed": job.seed,
    }


if __name__ == "__main__":
    sys.exit(main())
