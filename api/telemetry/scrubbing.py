"""Take out of a question what may tell who asks: mail addresses, card and telephone numbers."""

import re

# An address, and whatever has as many digits as a telephone number or a card: rather too much than
# too little, as a rule is hardly ever asked about by a number of seven digits.
_MAIL = re.compile(r"[^\s@<>()\[\],;:]{1,64}\s?(?:@|\(at\)|\[at\])\s?[\w-]+(?:\.[\w-]+)+")
_DIGITS = re.compile(r"\+?\(?\d(?:[ \t().\-/]{0,3}\d){6,}")


def scrubbed(text: str) -> str:
    """Return the text with [mail] and [number] in their places."""
    return _DIGITS.sub("[number]", _MAIL.sub("[mail]", text))
