"""Every regular expression of the packages, found in their sources."""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _parser  # Python has no other parser of them
from typing import Any

ROOT = Path(__file__).parents[3]
PACKAGES = ("api", "evals", "ingest", "retrieval")
_ANCHORED = {"match", "fullmatch"}
_CATEGORIES = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
_USES = _ANCHORED | {"compile", "search", "split", "sub", "subn", "findall", "finditer"}
_USED = re.compile(rf"\.(?:{'|'.join(_USES)})\b")


@dataclass(frozen=True, slots=True)
class Regex:
    """An expression where it stands: `place` is "api/names.py:28"."""

    place: str
    pattern: re.Pattern[str]
    anchored: str  # "match" or "fullmatch" where nothing else is done with it, else ""


@cache
def sources() -> dict[Path, ast.Module]:
    """The packages' files that may use an expression, parsed."""
    files = (file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py")))
    texts = {file: file.read_text("utf-8") for file in files}
    return {file: ast.parse(text) for file, text in texts.items() if _USED.search(text)}


@cache
def found() -> tuple[tuple[Regex, ...], frozenset[str]]:
    """Return all expressions, and the places of those that are only known when the program runs."""
    regexes, unknown = [], set()
    for file, tree in sources().items():
        for call in _calls(tree):
            place = f"{file.relative_to(ROOT)}:{call.lineno}"
            try:
                pattern = _compiled(file, call)
            except NameError:  # a local variable is part of it
                unknown.add(place.rpartition(":")[0])
                continue
            regexes.append(Regex(place, pattern, _anchored(tree, call)))
    return tuple(regexes), frozenset(unknown)


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name)) if name in _USES:
                yield node


def _compiled(file: Path, call: ast.Call) -> re.Pattern[str]:
    """Evaluate the call's pattern and flags with the names of its module."""
    assert isinstance(call.func, ast.Attribute)
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    if call.func.attr == "compile":
        flags += call.args[1:]
    elif call.func.attr in {"match", "fullmatch", "search", "findall", "finditer"}:
        flags += call.args[2:]
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
    names = vars(importlib.import_module(name))
    values = [
        eval(compile(ast.Expression(node), str(file), "eval"), names)
        for node in (call.args[0], *flags)
    ]
    return re.compile(*values)


def _anchored(tree: ast.Module, call: ast.Call) -> str:
    assert isinstance(call.func, ast.Attribute)
    uses = {call.func.attr}
    if call.func.attr == "compile":
        # In a dict or list it has no name: used by who knows whom.
        uses = _methods(_names(tree).get(call, set())) or {"search"}
    return uses.pop() if len(uses) == 1 and uses <= _ANCHORED else ""


@cache
def _names(tree: ast.Module) -> dict[ast.expr, set[str]]:
    """The names that a file gives to a value, by the value."""
    return {
        node.value: {target.id for target in node.targets if isinstance(target, ast.Name)}
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
    }


@cache
def _all_methods() -> dict[str, frozenset[str]]:
    methods: dict[str, set[str]] = {}
    for tree in sources().values():
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=method) if method in _USES:
                    methods.setdefault(name, set()).add(method)
    return {name: frozenset(found) for name, found in methods.items()}


def _methods(names: set[str]) -> set[str]:
    return {method for name in names for method in _all_methods().get(name, ())}


def characters(pattern: re.Pattern[str]) -> set[str]:
    """Return the characters that an expression names, one for each class."""
    return set(_characters(_parser.parse(pattern.pattern, pattern.flags)))


def _characters(node: Any) -> Iterator[str]:
    """Walk the tree of Python's own parser: lists of (operator, argument), nested in any depth."""
    match node:
        case (operator, int(code)) if str(operator) in {"LITERAL", "NOT_LITERAL"}:
            yield chr(code)
        case (operator, (int(low), int(high))) if str(operator) == "RANGE":
            yield chr((low + high) // 2)
        case (operator, name) if str(operator) == "CATEGORY":
            yield _CATEGORIES.get(str(name), ".")
        case int() | str() | None:
            return
        case _:
            for inner in node:
                yield from _characters(inner)
