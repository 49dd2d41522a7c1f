"""Irregular verbs of English, so that "shot" and "shoot" are one word to compare."""

from retrieval.text.words import stem

_FORMS = (
    "bear bore borne, become became, begin began begun, bind bound, bite bit bitten, "
    "break broke broken, bring brought, build built, burn burnt, buy bought, catch caught, "
    "choose chose chosen, come came, deal dealt, draw drew drawn, drink drank drunk, "
    "drive drove driven, eat ate eaten, fall fell fallen, feed fed, fight fought, find found, "
    "fly flew flown, forbid forbade forbidden, forget forgot forgotten, freeze froze frozen, "
    "get got gotten, give gave given, go went gone, grow grew grown, hide hid hidden, hold held, "
    "keep kept, know knew known, lay laid, lead led, leave left, lend lent, lose lost, "
    "make made, mean meant, meet met, pay paid, ride rode ridden, rise rose risen, run ran, "
    "see saw seen, sell sold, send sent, shoot shot, sink sank sunk, slay slew slain, "
    "sleep slept, speak spoke spoken, spend spent, steal stole stolen, stick stuck, "
    "strike struck stricken, swim swam swum, take took taken, teach taught, tell told, "
    "think thought, throw threw thrown, wake woke woken, wear wore worn, win won, "
    "write wrote written, "
    # nouns of verbs and adjectives
    "choose choice, die death dead, fly flight, grow growth, live life, lose loss, ride rider, "
    "see sight, sell sale, speak speech, weigh weight, "
    "deep depth, high height, long length, strong strength, wide width, "
    # nouns with another plural
    "calf calves, child children, dwarf dwarves, elf elves, goose geese, half halves, hoof hooves, "
    "knife knives, life lives, loaf loaves, man men, mouse mice, shelf shelves, staff staves, "
    "thief thieves, tooth teeth, wife wives, wolf wolves, woman women"
)
_BASES = {
    stem(form): stem(verb.split()[0])
    for verb in _FORMS.split(", ") for form in verb.split()[1:]
}  # fmt: skip


def base(word: str) -> str:
    """Return the stem of the verb that a stem is a form of, "shoot" for "shot"; else the stem."""
    return _BASES.get(word, word)
