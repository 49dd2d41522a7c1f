"""Take out of a text what may tell who wrote it: mail addresses, card and telephone numbers."""

import re
import unicodedata
from collections.abc import Iterator

# Whose national numbers are known. Others are found by their +, or by having seven digits.
REGIONS = ("US", "GB", "DE", "AT", "CH", "FR", "IT", "ES", "NL", "BE", "PL", "AU")
_FEWEST = 6  # digits of a number that is looked up: most texts have fewer, and load no library

_AT, _DOT = r"[(\[{]\s?at\s?[)\]}]", r"\s?[(\[{]\s?(?:dot|punkt|point)\s?[)\]}]\s?"
_MAIL = re.compile(
    rf"[^\s@<>()\[\]{{}},;:]{{1,64}}(?:\s?(?:@|{_AT})\s?[\w-]+(?:(?:\.|{_DOT})[\w-]+)+|@[^\W\d][\w-]*)",
    re.IGNORECASE,
)
# The net below the libraries, rather too much than too little, as a rule is hardly ever asked about
# by a number of seven digits. A comma parts thousands, of which no group has four.
_DIGITS = re.compile(r"\+?\(?\d(?:(?:[ ().\-/_~]{0,5}|'|(?<=\d{3}),(?=\d{4}))\d){6,}")
_CARD = re.compile(r"\d(?:[ .,:;_*'/\-]{0,3}\d){12,18}(?!\d)")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = re.compile(
    rf"(?<![\d+(./\-])(?<!\d )(?:20\d\d([./-]){_MONTH}\1{_DAY}|"
    rf"{_DAY}([./-]){_DAY}\2(?:20\d\d))(?![./-]?\d)(?! \d{{3}})"
)


class _Plain(dict[int, str]):
    """One plain character for each of its kin, so that places stay what they were."""

    def __missing__(self, code: int) -> str:
        one = chr(code)
        kind = unicodedata.category(one)
        plain = unicodedata.normalize("NFKC", one)
        if one.isspace() or kind == "Cf":
            plain = " "
        elif kind == "Pd" or one == "\u2212":  # minus
            plain = "-"
        elif kind == "Nd":
            plain = str(unicodedata.decimal(one))
        elif one in "\u2018\u2019\u02bc`\u00b4":  # apostrophes
            plain = "'"
        self[code] = plain if len(plain) == 1 else one
        return self[code]


_PLAIN = _Plain()


def scrubbed(text: str) -> str:
    """Return the text with [mail] and [number] in their places."""
    plain = text.translate(_PLAIN)
    spans = [(*found.span(), "[mail]") for found in _MAIL.finditer(plain)]
    for first, end, _ in spans:
        plain = plain[:first] + "@" * (end - first) + plain[end:]
    plain = _DATE.sub(lambda found: "=" * len(found[0]), plain)
    spans += [(first, end, "[number]") for first, end in _numbers(plain)]
    left, at = "", 0
    for first, end, name in sorted(spans):
        if first >= at:
            left += text[at:first] + name
        at = max(at, end)
    return left + text[at:]


def _numbers(plain: str) -> Iterator[tuple[int, int]]:
    """Yield the places of numbers: the libraries' and those of our own expression."""
    yield from (found.span() for found in _DIGITS.finditer(plain))
    if sum(map(str.isdigit, plain)) < _FEWEST:
        return
    from phonenumbers import PhoneNumberMatcher  # 10 MB with the numbers of these regions
    from stdnum import luhn

    for region in REGIONS:
        for found in PhoneNumberMatcher(plain, region):
            if len(re.sub(r"\D", "", found.raw_string)) >= _FEWEST:
                yield found.start, found.end
    for card in _CARD.finditer(plain):
        if not _THOUSANDS.fullmatch(card[0]) and luhn.is_valid(re.sub(r"\D", "", card[0])):
            yield card.span()
