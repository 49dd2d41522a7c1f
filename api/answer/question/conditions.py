"""What is asked of several things, as it can be compared with a column or a field.

"Which courses do you need a tag for" asks for the courses that need a tag.
"""

import re

_WHO = r"(?:i|you|we|they|one|people)"
_HAVING = r"(?:have|leave|pay|bring|show|wear|hold|own|carry|use)"
_MUST = r"(?:have to|must|need to)"
_NO_NEED = r"(?:don['’]?t|do not) need (?:an? |any )?"
_FORMS = (
    # "which courses do you need a tag for", "what gear do I have to leave a deposit for"
    (
        re.compile(
            rf"^(?P<things>\W*(?:which|what) (?:[\w-]+ ){{1,3}}?)(?:do|does|must|should) {_WHO} "
            rf"(?:need|(?:need to |have to |must )?{_HAVING}) (?P<what>\S.{{0,40}}?) for\W*$",
            re.IGNORECASE,
        ),
        r"\g<things>need \g<what>",
    ),
    # "courses you don't need a tag for"
    (
        re.compile(rf"\b{_WHO} {_NO_NEED}(?P<what>[\w-]+(?: [\w-]+)?) for\W*$", re.IGNORECASE),
        r"without \g<what>",
    ),
    # "boxes where you have to wear gloves", "machines where you need the introduction first"
    (
        re.compile(
            rf"\b(?:where|that|which|in which|for which) {_WHO} (?:{_MUST} {_HAVING}|need) "
            r"(?P<what>.{1,60}?)(?: first)?(?P<end>\W*)$",
            re.IGNORECASE,
        ),
        r"that need \g<what>\g<end>",
    ),
    # "which injuries leave a mark on you"
    (
        re.compile(
            r"^(?P<things>\W*(?:which|what) (?:[\w-]+ ){0,2}?[a-z]{3,30}s) (?:leave|cause|give) "
            r"(?P<what>an? (?:mark|scar|trace|wound|stain))(?: (?:on|to) (?:you|me|us|it))?"
            r"(?P<end>\W*)$",
            re.IGNORECASE,
        ),
        r"\g<things> have \g<what>\g<end>",
    ),
    # "walls you can climb without a tag"
    (
        re.compile(
            rf"\b(?P<things>[a-z]{{3,30}}s) {_WHO} (?:can|may|could) (?:[a-z]+ ){{1,2}}"
            r"(?P<how>without|with) ",
            re.IGNORECASE,
        ),
        r"\g<things> \g<how> ",
    ),
)


def plain(question: str) -> str:
    """Return a question, the first of these forms in the words of a condition."""
    for form, condition in _FORMS:
        made, count = form.subn(condition, question, count=1)
        if count:
            return made
    return question
