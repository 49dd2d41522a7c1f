"""The fixed sentences of answers, which a vault may put in its own words: answers.yaml."""

from dataclasses import dataclass, fields
from pathlib import Path

import yaml
from rapidfuzz import process

from retrieval.errors import ConfigurationError

FILE = "answers.yaml"
_PLACES = {"about": ("titles",), "language": ("language",), "filtered": ("filters",)}
_LONGEST = 1_000  # characters of a sentence


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences; {titles} is what the rules are about, {language} what was written in.

    {filters} is "*edition 2*", or "the files under these filters".
    """

    refusal: str = "The Oracle did not return any results for that rule."
    nearest: str = "The rules may not say this. Nearest:"
    filtered: str = "Nothing in {filters} says so; the rest of the rules do."
    premise: str = "The question takes something for granted that the rules contradict:"
    budget: str = "Today's budget of the language model is used up; these are the rules' own lines."
    unreachable: str = "The language model cannot be reached; these are the rules' own lines."
    greeting: str = "Hello. Ask about these rules and get the lines that answer."
    thanks: str = "You are welcome."
    about: str = "These rules are about: {titles}."
    tries: str = "You could ask, for instance:"
    language: str = "These rules are in {language}, and so must the question be."


DEFAULT = Texts()


def load(vault: Path) -> Texts:
    """Return the sentences of a vault: the default ones, or those of its answers.yaml.

    Raises ConfigurationError where that file cannot be read, or holds anything but sentences
    under these names.
    """
    path = vault / FILE
    try:
        given = yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError:
        return DEFAULT
    except (OSError, ValueError, AttributeError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ConfigurationError(
            f"{FILE} cannot be read: {reason}; correct or remove it"
        ) from error
    if given is None:
        return DEFAULT
    if not isinstance(given, dict):
        raise ConfigurationError(f"{FILE} holds {type(given).__name__}, not names with sentences")
    names = [field.name for field in fields(Texts)]
    for name, value in given.items():
        if name not in names:
            near = process.extractOne(str(name), names)
            raise ConfigurationError(
                f"{FILE}: no sentence is called {name!r}; do you mean {near[0]!r}?"
            )
        if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
            raise ConfigurationError(
                f"{FILE}: {name} is {value!r}, not a sentence of up to {_LONGEST:,} characters"
            )
        _check_places(name, value)
    return Texts(**given)


def _check_places(name: str, sentence: str) -> None:
    """Raise ConfigurationError where a sentence has a place that nothing is put into."""
    allowed = _PLACES.get(name, ())
    try:
        sentence.format(**dict.fromkeys(allowed, ""))
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        places = " and ".join(f"{{{place}}}" for place in allowed) or "no place in braces"
        raise ConfigurationError(
            f"{FILE}: {name} is {sentence!r}; it may hold {places}, and a brace of its own twice"
        ) from error
