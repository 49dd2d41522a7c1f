"""Filters: what passes, against a table and against a second evaluator, and what is refused."""

import operator
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.errors import FilterError
from retrieval.metadata import filters
from retrieval.metadata.schema import Metadata, infer, typed
from tests.support.source.promises_table import Runs

FILES: dict[str, Metadata] = {
    "1. Core/a.md": {"edition": "2", "status": "Current", "tags": ("Combat", "magic")},
    "1. Core/b.md": {"edition": "3.0", "status": "superseded", "reviewed": "2024-05-01"},
    "2. More/c.md": {"edition": "ten", "draft": "true", "reviewed": "2023-12-31", "tags": "magic"},
    "d.md": {"draft": "False", "tags": ("a", "b")},
}
SCHEMA = infer(FILES.values())
A, B, C, D = FILES


def passing(given_filter: object, files: Mapping[str, Metadata] = FILES) -> list[str]:
    schema = infer(files.values())
    predicate = filters.parse(given_filter, schema)
    return [path for path, said in files.items() if predicate(typed(path, said, schema))]


@pytest.mark.parametrize(
    ("given_filter", "paths"),
    [
        ({}, [A, B, C, D]),
        ({"status": "current"}, [A]),  # in any letter case
        ({"status": {"not": "superseded"}}, [A, C, D]),  # who states none is not superseded
        ({"edition": 3}, [B]),
        ({"edition": "3"}, [B]),
        ({"edition": {"gte": 2, "lt": 3}}, [A]),
        ({"edition": {"not": 2}}, [B, C, D]),
        ({"edition": {"in": [2, 3.0]}}, [A, B]),
        ({"tags": "MAGIC"}, [A, C]),
        ({"tags": {"in": ["combat", "b"]}}, [A, D]),
        ({"tags": {"not": "magic"}}, [B, D]),
        ({"reviewed": {"gt": "2023-12-31"}}, [B]),
        ({"reviewed": {"lte": "2023-12-31"}}, [C]),
        ({"draft": True}, [C]),
        ({"draft": False}, [D]),
        ({"path": "d.md"}, [D]),
        ({"path": {"prefix": "1. Core/"}}, [A, B]),
        ({"status": "current", "edition": 3}, []),
        ({"or": [{"status": "current"}, {"edition": 3}]}, [A, B]),
        ({"and": [{"tags": "magic"}, {"not": {"status": "current"}}]}, [C]),
        ({"not": {"or": [{"draft": True}, {"draft": False}]}, "edition": 2}, [A]),
        ({"status": "Current' OR '1'='1' --"}, []),
    ],
)
def test_what_passes(given_filter: dict[str, Any], paths: list[str]) -> None:
    assert passing(given_filter) == paths


def nested(depth: int) -> dict[str, Any]:
    inside: dict[str, Any] = {"status": "current"}
    for _ in range(depth):
        inside = {"not": inside}
    return inside


@pytest.mark.parametrize(
    ("given_filter", "said"),
    [
        ({"statsu": "current"}, "no file has a field 'statsu'; do you mean 'status'?"),
        ({"status' = '' --": 1}, "do you mean 'status'?"),
        ({"Or": []}, "do you mean 'or'?"),
        ([], "a list of 0 is no filter"),
        ({"not": "current"}, "'current' is no filter"),
        ({"or": []}, "or takes a list of one or more, not a list of 0"),
        ({"and": {}}, "and takes a list of one or more, not an object"),
        ({"tags": {"in": "combat"}}, "tags: in takes a list of one or more, not 'combat'"),
        ({"tags": ["combat"]}, 'write {"in": [...]}'),
        ({"status": None}, "status: None is no string"),
        ({"status": {"like": "x"}}, "status: 'like' is no operator; there are eq, not, in, gte"),
        ({"status": {"gte": "a"}}, "status: gte is for numbers and dates; status is a string"),
        ({"status": {"prefix": "a"}}, "status: prefix is for path; status is a string"),
        ({"path": True}, "path: True is no path of up to 300 characters"),
        ({"path": {"prefix": 5}}, "path: 5 is no path of up to 300 characters"),
        ({"edition": "second"}, "edition: 'second' is no number"),
        ({"edition": float("nan")}, "edition: nan is no number"),
        ({"edition": 10**5000}, "a number of more than 30 digits is no number"),
        ({"reviewed": "2023-02-29"}, "reviewed: '2023-02-29' is no date"),
        ({"draft": 1}, "draft: 1 is no boolean"),
        ({"path": "x" * 301}, "is no path of up to 300 characters"),
        ({"tags": {"in": ["x"] * 1_001}}, "more than 1,000 values"),
        (nested(40), "nested more than 20 deep"),
        (nested(5_000), "nested more than 20 deep"),
    ],
)
def test_what_is_no_filter_is_refused_in_words(given_filter: object, said: str) -> None:
    with pytest.raises(FilterError) as refused:
        filters.parse(given_filter, SCHEMA)
    assert said in str(refused.value)


WORDS = st.sampled_from(["red", "blue", "Gre en", "' OR 1=1 --", "%s", "ß"])
NUMBERS = st.integers(-3, 3)
STATED = st.fixed_dictionaries(
    {}, optional={"n": NUMBERS.map(str), "s": WORDS, "l": st.lists(WORDS, max_size=3).map(tuple)}
)
CONDITION = st.one_of(
    st.builds(
        lambda op, n: {"n": {op: n}}, st.sampled_from(["eq", "not", *filters._RANGES]), NUMBERS
    ),
    st.builds(lambda ns: {"n": {"in": ns}}, st.lists(NUMBERS, min_size=1, max_size=3)),
    st.builds(
        lambda f, op, w: {f: {op: w}}, st.sampled_from("sl"), st.sampled_from(["eq", "not"]), WORDS
    ),
    st.builds(lambda f, ws: {f: {"in": ws}}, st.sampled_from("sl"), st.lists(WORDS, min_size=1)),
    st.builds(lambda n: {"path": {"prefix": f"{n}"}}, st.integers(0, 9)),
)
JOINED = st.sampled_from(["and", "or"])
FILTER = st.recursive(
    CONDITION,
    lambda inner: st.one_of(
        st.builds(lambda op, fs: {op: fs}, JOINED, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda f: {"not": f}, inner),
    ),
    max_leaves=6,
)


def passes(given_filter: dict[str, Any], path: str, said: Mapping[str, Any]) -> bool:
    """The same from the definition alone."""
    ((name, wanted),) = given_filter.items()
    if name in {"and", "or"}:
        return (all if name == "and" else any)(passes(one, path, said) for one in wanted)
    if name == "not":
        return not passes(wanted, path, said)
    ((op, operand),) = wanted.items()
    if name == "path":
        return path.startswith(operand)
    stated = said.get(name)
    stated = [] if stated is None else list(stated) if name == "l" else [stated]
    stated = [int(one) if name == "n" else one.casefold() for one in stated]
    operands = operand if op == "in" else [operand]
    operands = [one if name == "n" else one.casefold() for one in operands]
    if op in {"eq", "not", "in"}:
        return bool(set(stated) & set(operands)) is not (op == "not")
    compare = {"gte": operator.ge, "gt": operator.gt, "lte": operator.le, "lt": operator.lt}[op]
    return any(compare(one, operand) for one in stated)


@pytest.mark.proves("row 21")
def test_filters_of_any_kind_pass_what_their_definition_says(runs: Runs) -> None:
    # One file that fixes the types, whatever is drawn.
    known: Metadata = {"n": "1", "s": "red", "l": ("red",)}

    @settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(STATED, max_size=9), FILTER)
    def holds(said: list[Metadata], given_filter: dict[str, Any]) -> None:
        files = {f"{place}.md": one for place, one in enumerate([known, *said])}
        wanted = [path for path, one in files.items() if passes(given_filter, path, one)]
        schema = {"path": "path", "n": "number", "s": "string", "l": "list of strings"}
        predicate = filters.parse(given_filter, schema)  # type: ignore[arg-type]  # literals
        assert [p for p, one in files.items() if predicate(typed(p, one, schema))] == wanted  # type: ignore[arg-type]
        runs(1)

    holds()


@pytest.mark.parametrize(
    ("given_filter", "said"),
    [
        ({"edition": 2, "status": {"eq": "current"}}, "edition 2, status current"),
        ({"draft": True, "path": {"prefix": "1. Core/"}}, "draft true, 1. Core/"),
        ({"edition": 2, "status": {"not": "current"}}, ""),
        ({"edition": {"gte": 2, "eq": 3}}, ""),
        ({"not": {"edition": 2}}, ""),
        ({"or": [{"edition": 2}]}, ""),
        ({"edition": {}}, ""),
        ({}, ""),
    ],
)
def test_equality_and_folders_are_said_in_words(given_filter: Any, said: str) -> None:
    assert filters.in_words(given_filter) == said
