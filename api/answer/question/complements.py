"""A follow-up that asks for the others of a list: "and which cannot", "and without", "under 80"."""

import re

from api.answer.question.limits import amount, without
from retrieval.text.normalize import searchable
from retrieval.vocabulary.terms import stems_of

_LINK = r"^\W{0,3}(?:(?:and|but|or|ok)\b\W{1,3}){0,2}"
_WHICH = r"(?:which|what|who|the (?:ones|others)|those)(?: ones)?(?: that| who)? "
_VERB = r"(?:can|do|does|is|are|may|must|has|have)"
_NOT = r"(?:['’]?t|n['’]?t|not| not)"
_DENYING = re.compile(
    rf"{_LINK}(?:{_WHICH}(?P<verb>{_VERB}){_NOT}\W*$|"
    rf"(?:{_WHICH}(?:have|has|with) )?(?:none|without(?: any| one)?)\W*$)",
    re.IGNORECASE,
)
_AFFIRMING = re.compile(rf"{_LINK}(?:{_WHICH}{_VERB}|with(?: one)?)\W*$", re.IGNORECASE)
_SOME = r"(?: (?:an?|any)\b)?"
_WITH = re.compile(rf"\b(?P<of>with|without)\b{_SOME} (?P<rest>[^,;?!]+?)\W*$", re.IGNORECASE)
_OF_LIST = re.compile(
    r"^\W{0,3}(?:(?:which|what|who)\b|(?:[\w'-]{1,30} ){0,3}?[a-z]{1,30}s (?:that|which|who|with|"
    r"without|in|on|at|for|from)\b)",
    re.IGNORECASE,
)
_MODAL = re.compile(r"\b(?:can|may|must|do|does|are|is)\b", re.IGNORECASE)
_DENIAL_OF_LIST = re.compile(
    rf"\b(?P<verb>{_VERB}){_NOT}\b|\b(?P<without>without)\b{_SOME}|\bnot |\bno |\bnever ",
    re.IGNORECASE,
)
_HAVING = re.compile(rf"\bwith\b{_SOME}(?! (?:who|what|which)\b)", re.IGNORECASE)
_WITHOUT = re.compile(r"\b(?:none|without)\b", re.IGNORECASE)
# "Which of them need a licence", "only those under 5": of those that the question before lists.
_OF_THEM = re.compile(
    rf"{_LINK}(?:(?:which|what|who) (?:ones )?of (?:them|these|those)|"
    r"(?:only|just) (?:those|the ones|ones)(?: that| which| who)?(?! (?:i|we|you|they)\b)) "
    r"(?P<rest>[\w'’ -]{3,80}?)\W*$",
    re.IGNORECASE,
)
_UNIT = re.compile(r"(?<=\d) ?[^\d\s]{1,20}$")
_ITEMS = re.compile(
    r"^\W{0,3}(?:which |what )?(?:[\w'-]{1,30} ){0,3}?[a-z]{1,30}s(?P<that> (?:that|which|who))? "
    r"(?=(?P<next>[a-z]{2,30})\b)",
    re.IGNORECASE,
)
_PLACES = re.compile(r"(?:in|on|at|for|from|of|under|by)$", re.IGNORECASE)


def asks_for_others(typed: str) -> bool:
    """Tell whether a follow-up asks for others of a list than the question before, or for some."""
    return any(one.match(typed) for one in (_DENYING, _AFFIRMING, _OF_THEM))


def the_others(typed: str, before: str) -> str | None:
    """Return the question before denied, where the others are asked for: "and which cannot".

    Where it is denied and they are not ("and which can"), it without its denial. "Which of them
    need a licence" is a further condition.
    """
    if swapped := _with_or_without(typed, before):
        return swapped
    if (of := _OF_THEM.match(typed)) and _OF_LIST.match(before):
        return f"{before.rstrip(' ?!.')} and {of['rest']}"
    if not asks_for_others(typed) or not _OF_LIST.match(before):
        return None
    denials = list(_DENIAL_OF_LIST.finditer(before))
    if _AFFIRMING.match(typed):
        return _affirmed(before, denials[0]) if len(denials) == 1 else None
    return None if denials else _denied(before, typed)


def of_another_amount(typed: str, before: str) -> str | None:
    """Return the question before with another limit for its own: "and under 80"; else None."""
    other, own = amount(typed), amount(before)
    if other is None or own is None or other.said == own.said:
        return None
    if not other.limit.units.issuperset(stems_of(without(typed, other))):
        return None  # more is asked
    plain = searchable(before)
    unit = _UNIT.search(own.said) if own.limit.units and not other.limit.units else None
    said = other.said + (unit[0] if unit else "")
    return plain.replace(own.said, said) if own.said in plain else None


def _with_or_without(typed: str, before: str) -> str | None:
    """The question before with "without milk" for its "with milk", or the other way round."""
    other, own = _WITH.search(typed), _WITH.search(before)
    if not other or not own or own["of"].lower() == other["of"].lower():
        return None
    if stems_of(other["rest"]) != stems_of(own["rest"]) or stems_of(typed[: other.start()]):
        return None
    return f"{before[: own.start()]}{other['of'].lower()} {own['rest']}"


def _denied(before: str, typed: str) -> str | None:
    having, verb = _HAVING.search(before), _MODAL.search(before)
    if verb and not (having and _WITHOUT.search(typed)):  # "good with cats", "and which aren't"
        return f"{before[: verb.end()]} not{before[verb.end() :]}"
    if having:
        return f"{before[: having.start()]}without{before[having.end() :]}"
    items = _ITEMS.match(before)
    if items is None:
        return None
    word = "not" if _PLACES.match(items["next"]) and not items["that"] else "do not"
    return f"{before[: items.end()]}{word} {before[items.end() :]}"


def _affirmed(before: str, denial: re.Match[str]) -> str:
    said = denial["verb"] or ("with" if denial["without"] else "")
    return f"{before[: denial.start()]}{said}{before[denial.end() :]}"
