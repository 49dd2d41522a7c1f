"""Train the bundled encoder further, and write what changed as an adapter with its manifest.

Every line of our texts comes with up to three of its questions, against the other lines of its
collection and against hard negatives. A stopped training goes on where the same command is given.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, replace
from pathlib import Path
from random import Random

from retrieval.encoder import adapter, weights
from retrieval.encoder.adapter import Adapter
from retrieval.encoder.weights import ModelFiles
from training.learning import encoder_task, manifest, material, options
from training.learning.checkpoint import Checkpoint
from training.learning.encoder_task import Recipe
from training.learning.loop import prepare, steps_of, train
from training.learning.options import Job
from training.learning.progress import Report, say
from training.learning.schedule import Plan

_MANIFEST = "manifest.json"  # beside the adapter; `retrieval.encoder.weights` checks its sha256


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status: 0, 2 for an error, 130 if it was stopped."""
    parser = argparse.ArgumentParser(prog="python -m training.train_encoder", description=__doc__)
    options.add(parser)
    parser.add_argument("--out", type=Path, required=True, help="the adapter, .safetensors")
    parser.add_argument(
        "--share",
        type=options.share,
        default=Recipe().share,
        help="of what training changed that is written; default: %(default)s",
    )
    args = parser.parse_args(argv)
    asked = options.job(args, args.out)
    recipe = replace(Recipe(), share=args.share)

    def work(show: Callable[[Report], None]) -> str:
        return f"{args.out}: {make(asked, recipe, args.out, show)}"

    return options.run("training.train_encoder", work)


def make(
    job: Job, recipe: Recipe, out: Path, show: Callable[[Report], None]
) -> dict[str, dict[str, float] | None]:
    """Train, write the adapter `out` and its manifest, and return how it ranks held out lines.

    Raises DatasetError for groups that cannot be used, ConfigurationError for a checkpoint of
    another training, ModelUnavailableError where the base model is missing.
    """
    draw = Random(job.seed)  # noqa: S311  # chance, no secret
    base = weights.bundled_base()
    record = _record(job, recipe, base)
    learned = material.load(job.sources, draw)
    counts = learned.counts()
    say(", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items()))
    prepare(job.seed)
    first = encoder_task.start(base, recipe, learned.units)
    encoder = deepcopy(first)
    plan = Plan(steps_of(len(learned.units) / recipe.sizes.lines, job.epochs), job.minutes)
    checkpoint = Checkpoint(job.checkpoint, record, job.every)
    task = encoder_task.task(encoder, recipe, learned.units)
    steps = train(task, plan, checkpoint, draw, show)
    say(f"{steps:,} steps; ranking {len(learned.held_out):,} held out lines")
    found = {
        "before": encoder_task.measure(first, learned.held_out),
        "trained": encoder_task.measure(encoder, learned.held_out),
    }
    encoder.interpolate(first, recipe.share)
    found["written"] = encoder_task.measure(encoder, learned.held_out)
    digest = _write(out, encoder.adapter(first))
    whole = {"sha256": digest, **record, "counts": counts, "steps": steps, "held_out": found}
    manifest.write(out.with_name(_MANIFEST), whole)
    checkpoint.clear()
    return found["written"]


def _record(job: Job, recipe: Recipe, base: ModelFiles) -> Mapping[str, object]:
    """Return what decides the result."""
    return {
        "base": manifest.base(base),
        "data": manifest.sources(job.sources),
        "recipe": asdict(recipe),
        "minutes": job.minutes,
        "epochs": job.epochs,
        "seed": job.seed,
    }


def _write(out: Path, changed: Adapter) -> str:
    """Write the adapter at once and return its sha256."""
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(out.name + ".part")
    adapter.write(part, changed)
    part.replace(out)
    return manifest.sha256(out)


if __name__ == "__main__":
    sys.exit(main())
