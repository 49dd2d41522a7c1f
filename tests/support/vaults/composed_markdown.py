"""Markdown composed of blocks that each may be as odd as a rules file can have them."""

from hypothesis import strategies as st

WORDS = st.sampled_from(
    [
        "fall", "torch", "1d6", "gp", "30’", "½", "However", "except", "unless", "**bold**", "_it_",
        "`code`", "[a](b)", "|", "\\|", "<b>", "龍の息吹", "🐉", "naïve", "x\u00a0y", "", "\t", "—",
        "a\u200bb", "Roll.", "Move!", "only", "1,200", "[^1]", "[[wiki]]", "antidisestablishment",
    ]
)  # fmt: skip
SENTENCES = st.lists(WORDS, min_size=1, max_size=30).map(lambda words: " ".join(words) + ".")
LINES = SENTENCES | st.sampled_from(["All of these:", "**Only this**", "However, not in water."])
PARAGRAPHS = st.lists(LINES, min_size=1, max_size=4).map("\n".join)
HEADINGS = st.tuples(st.integers(1, 6), st.lists(WORDS, min_size=1, max_size=8)).map(
    lambda pair: "#" * pair[0] + " " + " ".join(pair[1])
)
SETEXT = st.tuples(SENTENCES, st.sampled_from(["===", "---"])).map("\n".join)
FLAT_LISTS = st.lists(SENTENCES, min_size=1, max_size=30).map(
    lambda items: "\n".join(f"- {item}" for item in items)
)
DEEP_LISTS = st.tuples(st.integers(1, 60), SENTENCES).map(
    lambda pair: "\n".join("  " * depth + f"- {depth} {pair[1]}" for depth in range(pair[0]))
)
CELLS = st.sampled_from(["", "a", "1d6", "Battle axe", "7 gp", "\\|", "a long note on the use"])
ROWS = st.lists(CELLS, max_size=6).map(lambda cells: "|" + "|".join(cells) + "|")
TABLES = st.tuples(
    st.lists(CELLS, min_size=1, max_size=5), st.lists(ROWS, max_size=40), st.integers(1, 4)
).map(
    lambda made: "\n".join(
        ["|" + "|".join(made[0]) + "|", "|" + "---|" * len(made[0]), *(made[1] * made[2])]
    )
)
FENCES = st.lists(st.sampled_from(["# in a fence", "", "\tcode", "| a |", "- x"]), max_size=80).map(
    lambda lines: "\n".join(["```sh", *lines, "```"])
)
QUOTES = PARAGRAPHS.map(lambda text: "\n".join(f"> {line}" for line in text.split("\n")))
LONG_LINES = st.tuples(
    st.sampled_from(["word ", "龍", "A fall hurts. ", "🐉 ", "ab,", "x"]), st.integers(1, 900)
).map(lambda pair: pair[0] * pair[1])
OTHERS = st.sampled_from(
    [
        "\tcode after a tab", "-\tan item\n\n\tafter a tab", "\u00a0\u00a0- no item",
        "#\u00a0no heading",
        "<table>\n<tr><td>a</td></tr>\n</table>", "~~~ text\n# in a fence\n~~~",
        "***",
        "<div>\nhtml\n</div>", "<!-- a note -->", "[ref]: http://example.org 'title'",
        "[^1]: A footnote.\n    It goes on.", "term\n: what it means\n: also this",
        "> [!note] Title\n> text", "    indented code", "\u00a0", "> \n> ", "1. one\n2. two",
        "- [ ] a task\n\n  its second paragraph\n\n  | a |\n  |---|\n  | b |",
    ]
)  # fmt: skip
BLOCKS = (
    PARAGRAPHS | HEADINGS | SETEXT | FLAT_LISTS | DEEP_LISTS | TABLES | FENCES | QUOTES | LONG_LINES
    | OTHERS
)  # fmt: skip
DOCUMENTS = st.lists(BLOCKS, min_size=1, max_size=14).map("\n\n".join)
HEADERS = st.sampled_from(["", "", "---\ntitle: The Rules\n---\n"])
NOISE = st.text(alphabet="#ab \n\t\x0c\x85\u2028-=>|:*_`~[]()<!1.\u00a0龍", max_size=300)
SOURCES = st.tuples(HEADERS, DOCUMENTS).map("".join) | st.lists(BLOCKS).map("\n".join) | NOISE

LONG = "A fall onto spikes deals one more die of damage for each spike. " * 40
