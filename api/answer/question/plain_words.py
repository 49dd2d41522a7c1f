"""Words that leave a question's sense as it is, whatever it is asked of."""

from retrieval.text.words import STOP
from retrieval.vocabulary.terms import stems_of

_LIGHT_WORDS = (
    "have has get gets show shows do does include includes offer offers put need needs allow "
    "allows allowed permit permits permitted take any use used"
)
# What may stand between a denial and what it denies: "not allowed to put in the hold".
LIGHT = STOP.union(_LIGHT_WORDS.split())
_PLAIN_WORDS = (
    "forbidden prohibited banned bring carry keep store give given feed eat enter visit open run "
    "work sell hold book rent hire borrow play watch see find come go travel fit suit suitable ok "
    "okay fine good safe list name tell show thing one require required requires use wear able "
    "possible please am me us place stuff item food gear job option area activity product people "
    "person dont doesnt isnt arent cant wont"
)
PLAIN = frozenset(stems_of(f"{_LIGHT_WORDS} {_PLAIN_WORDS}"))  # stems
