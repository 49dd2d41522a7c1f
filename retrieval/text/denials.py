"""Words that say no, to stand in patterns; each pattern adds what counts as a no in its place."""

ASKED = "not|no|never|cannot|without"  # in questions: "none" and "nobody" ask, and limit nothing
SAID = f"{ASKED}|none|nobody|nothing|neither|nor"  # in rules and answers
