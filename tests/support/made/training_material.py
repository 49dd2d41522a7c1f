"""A handful of lines with questions, for tests that train a few steps."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from training import triples
from training.learning.material import Sources
from training.learning.options import Job
from training.learning.progress import Report
from training.triples import Group

THINGS = (
    "battle axe", "wax candle", "grappling hook", "iron lantern", "hempen rope", "silver mirror",
    "riding saddle", "travelling cloak", "cooking pot", "fishing net", "spell book", "war horse",
    "leather armour", "bottle of oil", "bundle of torches", "holy symbol", "wooden pole", "tent",
    "set of lock picks", "rowing boat", "string of onions", "sack of flour", "tin whistle", "drum",
)  # fmt: skip


def material(folder: Path) -> Path:
    """Write the groups of 24 lines, two questions a line, and return the file."""
    texts = [f"Outfit > Prices: A {thing} costs {7 + n} gold." for n, thing in enumerate(THINGS)]
    made = []
    for number, thing in enumerate(THINGS):
        rivals = tuple(texts[(number + step) % len(texts)] for step in range(1, 9))
        group = Group("outfit", f"what does a {thing} cost", (texts[number],), rivals, (), ())
        windows = (" ".join(texts[number : number + 2]),)
        made += [group, replace(group, question=f"price of one {thing}")]
        made[-1] = replace(made[-1], windows=windows, window_negatives=rivals[3:5])
        made[-2] = replace(made[-2], windows=windows, window_negatives=rivals[2:4])
    path = folder / "groups.jsonl.gz"
    triples.write(path, made)
    return path


def job(path: Path, checkpoint: Path, *, epochs: float, seed: int = 7) -> Job:
    """Return a training with a checkpoint after every third step."""
    return Job(Sources(path), checkpoint, epochs=epochs, seed=seed, every=3)


def stopper(step: int) -> Callable[[Report], None]:
    """Return what stops a training after `step`, as Control-C does."""

    def show(report: Report) -> None:
        if report.steps == step:
            raise KeyboardInterrupt

    return show


def silent(_: Report) -> None:
    """Show nothing."""
