"""Folders of some hundred generated files, with vectors that cost nothing."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from retrieval import context
from retrieval.context import SearchContext, open_context
from retrieval.settings import Settings
from tests.support.faults.crash_child import HashingEmbedder

WORDS = (
    "torch", "oil", "lantern", "rope", "axe", "dagger", "sword", "shield", "dragon", "goblin",
    "orc", "troll", "spell", "scroll", "potion", "ring", "wand", "staff", "cave", "tower",
    "bridge", "river", "forest", "door", "trap", "lock", "chest", "coin", "gem", "map",
)  # fmt: skip


def many_files(count: int, seed: int = 7) -> dict[str, str]:
    """Return the texts of `count` files by path: headings, paragraphs, a table each."""
    chance = random.Random(seed)

    def sentence() -> str:
        words = chance.choices(WORDS, k=chance.randint(4, 14))
        return f"{' '.join(words).capitalize()} {chance.randint(2, 99)}."

    def section(number: int) -> str:
        rows = "\n".join(f"| {chance.choice(WORDS)} | {chance.randint(1, 99)} |" for _ in range(4))
        prose = "\n\n".join(" ".join(sentence() for _ in range(3)) for _ in range(2))
        return f"## {chance.choice(WORDS).capitalize()} {number}\n\n{prose}\n\n{rows}\n"

    return {
        f"{n % 12}. Part/{n}. {WORDS[n % len(WORDS)].capitalize()}.md": (
            f"# {WORDS[n % len(WORDS)].capitalize()} {n}\n\n"
            + "\n".join(section(number) for number in range(chance.randint(1, 4)))
        )
        for n in range(count)
    }


@contextmanager
def cheap_rules(settings: Settings) -> Iterator[SearchContext]:
    """Open a search context whose encoder is a hash."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context, "Embedder", HashingEmbedder)
        with open_context(settings) as rules:
            yield rules
