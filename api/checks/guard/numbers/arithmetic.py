"""Sums that an answer shows, such as "3 x 1d6 = 3d6": the only way to state a new number."""

import operator
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from api.checks.guard.facts import Fact, facts

_OPERATORS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "x": operator.mul, "*": operator.mul, "+": operator.add, "-": operator.sub,
    "/": operator.truediv, "÷": operator.truediv,
}  # fmt: skip
_EQUALS = "=≈"
_BETWEEN = re.compile(r"\s*(?:[a-z%'\"]+\s+){0,2}([x*+/÷=≈-])\s*$", re.IGNORECASE)
_DICE_IN_BRACKETS = re.compile(r"\((\d*d\d+ ?[+-] ?\d+)\)", re.IGNORECASE)
_SIGNED = re.compile(r"\s*+(?:[a-z%'\"]++\s*+){0,2}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sum:
    """`inputs` joined by operators, and the fact behind the equals sign."""

    inputs: tuple[Fact, ...]
    result: Fact
    right: bool
    text: str


@lru_cache(maxsize=256)
def sums(text: str) -> tuple[Sum, ...]:
    """Return the sums of folded `text`, evaluated from left to right, × and ÷ first."""
    return tuple(_sums(_DICE_IN_BRACKETS.sub(r" \1 ", text)))


def _sums(text: str) -> Iterator[Sum]:
    chain: list[Fact] = []
    signs: list[str] = []
    for fact in (fact for fact in facts(text) if not fact.weak or not fact.text[:1].isalpha()):
        sign = _sign(text, chain[-1].end, fact) if chain else ""
        if not sign:
            chain, signs = [fact], []
            continue
        if sign in _EQUALS and signs:
            shown = text[chain[0].start : fact.end]
            yield Sum(tuple(chain), fact, _equals(chain, signs, fact, sign), shown)
            chain, signs = [fact], []
            continue
        chain, signs = ([*chain, fact], [*signs, sign]) if sign not in _EQUALS else ([fact], [])


def _sign(text: str, end: int, fact: Fact) -> str:
    between = text[end : fact.start]
    if found := _BETWEEN.match(between):
        return found[1].lower()
    return fact.sign if fact.sign and _SIGNED.match(between) else ""


def _equals(chain: list[Fact], signs: list[str], result: Fact, sign: str) -> bool:
    if any(fact.die for fact in (*chain, result)):
        return dice(chain, signs) == dice([result], [])
    written = _negative(result) * result.low / result.factor
    lows = [_negative(chain[0]) * chain[0].low, *(fact.low for fact in chain[1:])]
    scaled = [(low, fact.factor, fact.base) for low, fact in zip(lows, chain, strict=True)]
    values = (
        _value(lows, signs, result.factor),
        _value([low / factor for low, factor, _ in scaled], signs, Fraction(1)),
        _value(
            [low / (100 if base == "%" else 1) for low, _, base in scaled], signs, result.factor
        ),
    )
    places = len(result.text.partition(".")[2].rstrip(string.ascii_letters + " %"))
    off = Fraction(1, 2 * 10**places) if sign == "≈" or places else 0  # 11 x 10 / 30 = 3.67
    return any(value is not None and abs(value - written) <= off for value in values)


def _negative(fact: Fact) -> int:
    """The sign of a number that no operator stands before."""
    return -1 if fact.sign == "-" else 1


def _value(values: list[Fraction], signs: list[str], factor: Fraction) -> Fraction | None:
    terms, adding = [values[0]], []
    for sign, value in zip(signs, values[1:], strict=True):
        if sign in "+-":
            terms.append(value)
            adding.append(sign)
        elif sign in "/÷" and value == 0:
            return None
        else:
            terms[-1] = _OPERATORS[sign](terms[-1], value)
    total = terms[0]
    for sign, term in zip(adding, terms[1:], strict=True):
        total = _OPERATORS[sign](total, term)
    return total / factor


def dice(chain: list[Fact], signs: list[str]) -> dict[str, Fraction] | None:
    """Return dice by their sides, and what is added under "": 2 x 1d6 + 1 is {"6": 2, "": 1}.

    None where `signs` join them in another way than by + - x.
    """
    terms = [_terms(chain[0])]
    for sign, fact in zip(signs, chain[1:], strict=True):
        if sign in "+-":
            factor = 1 if sign == "+" else -1
            terms.append({side: factor * count for side, count in _terms(fact).items()})
        elif sign in "x*" and not (fact.die and chain[0].die):
            number = terms[-1].get("", Fraction(0)) if fact.die else fact.low
            base = _terms(fact) if fact.die else terms[-1]
            terms[-1] = {side: number * count for side, count in base.items()}
        else:
            return None
    total: dict[str, Fraction] = {}
    for term in terms:
        for side, count in term.items():
            total[side] = total.get(side, Fraction(0)) + count
    return {side: count for side, count in total.items() if count}


def _terms(fact: Fact) -> dict[str, Fraction]:
    if not fact.die:
        return {"": fact.low}
    count, _, rest = fact.die.partition("d")
    found = re.fullmatch(r"(\d+)([+-]\d+)?", rest)
    if not found:
        return {fact.die: Fraction(1)}
    return {found[1]: Fraction(count), "": Fraction(found[2] or 0)}
