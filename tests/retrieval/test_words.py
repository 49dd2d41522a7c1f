"""The rough stems that words are compared by."""

import pytest

from retrieval.text.words import stem


@pytest.mark.parametrize(
    ("one", "many"),
    [("thief", "thieves"), ("staff", "staves"), ("elf", "elves"), ("man", "men"), ("foot", "feet"),
     ("wolf", "wolves"), ("save", "saves"), ("glove", "gloves"), ("Dwarf", "Dwarves"),
     ("thief", "thieves'")],
)  # fmt: skip
def test_a_plural_has_the_stem_of_its_singular(one: str, many: str) -> None:
    assert stem(many) == stem(one)
