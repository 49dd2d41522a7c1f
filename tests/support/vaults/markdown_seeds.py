"""Short files that other splitters are known to cut wrongly, in our own words; and ours once did.

The number is that of the issue or change in which a user of such a splitter reported the loss.
"""

SEEDS = {
    "tabs in a fence (langchain#40071)": "# Code\n\n```make\nall:\n\tbuild it\n\t\ttwice\n```\n",
    "no-break spaces (langchain#40071)": "# A\n\nten\u00a0feet\n\n```\n\u00a0kept\u00a0\n```\n",
    "breaks between paragraphs (langchain#22256)": "# A\n\none\n\ntwo\n\n\nthree  \nfour\n",
    "indentation of code (langchain#20823)": "# A\n\n```py\nif a:\n    if b:\n        c()\n```\n",
    "hashes in a fence": "# A\n\n````md\n```\n# no heading\n```\n## nor this\n````\n\n# B",
    "tildes and back ticks in each other": "~~~\n```\n# no\n~~~\n\n# B\n\n```\n~~~\n# no\n```\n",
    "a fence that never ends": "# A\n\ntext\n\n```\n# no heading\n\n| a |\n|---|\n",
    "a hash in the middle of a text (haystack#11920)": "before\n# A\nbetween # no\n## B #\nafter\n",
    "text before the first heading (haystack#11920)": "lost?\n\nlost too?\n\n# A\n\nkept\n",
    "a long table (open-webui#30413)": (
        "# Arms\n\n| Weapon | Cost | Damage |\n|:---|---:|:-:|\n"
        + "".join(f"| a weapon with the number {n} | {n} gp | 1d{n} |\n" for n in range(60))
    ),
    "two tables, one below the other (openrag#861)": (
        "# A\n\n| one | two |\n|---|---|\n" + "| a long first cell | a second |\n" * 45
        + "\n| three | four |\n|---|---|\n" + "| a long third cell | a fourth |\n" * 45
    ),
    "a table right below a paragraph": "These:\n| a | b |\n|---|---|\n| c | d |\ntext\n\nmore\n",
    "a table in an item in a quote": "> - x\n>\n>   | a |\n>   |---|\n>   | b |\n\nafter\n",
    "rows with too few and too many cells": "| a | b |\n|---|---|\n| c |\n| d | e | f | g |\n||\n",
    "a pipe in a code span in a cell": "| a | b |\n|---|---|\n| `x \\| y` | `z | w` |\n",
    "a list of sixty levels": "".join("  " * n + f"- level {n}\n" for n in range(60)),
    "an item of several paragraphs": "1. one\n\n   more\n\n   ```\n   # code\n   ```\n2. two\n",
    "items after a tab": "-\tone\n\n\ttwo\n\n\t\tcode\n-\tthree\n",
    "a quote that goes on lazily": "> one\ntwo\n> three\n\nfour\n",
    "definitions of links": "# A\n\n[a]: /b 'c'\n[d]:\n/e\n\n[f]: /g\ntext [a] [d]\n",
    "footnotes": "A rule[^1].\n\n[^1]: Its note,\n    two lines.\n\n    And more.\n\nafter\n",
    "underlined headings": "A\n===\n\ntext\nB\nC\n---\n\n---\n\n***\nend\n",
    "headings in HTML": "<details>\n<summary># A</summary>\n\n## B\n\ntext\n\n</details>\nend\n",
    "comments across headings": "one <!-- two\n\n# three\n\nfour --> five\n",
    "front matter with dots": "---\ntitle: A\n...\n\n# B\n\ntext\n",
    "front matter that never ends": "---\ntitle: A\n\n# B\n\ntext\n",
    "a rule that looks like front matter": "\n---\ntitle: A\n---\n\ntext\n",
    "only headings": "# A\n\n## B\n\n### C\n",
    "headings that skip levels": "### A\n\na\n\n# B\n\nb\n\n###### C\n\nc\n\n## D\n\nd\n",
    "odd line separators": "one\x0ctwo\x85three\u2028four\x0bfive\n\n# A\x0cB\n\nend",
    "no end of line at the end": "# A\n\nthe last word",
    "white space alone": " \n\t\n\u00a0\n\n\u3000\n",
}  # fmt: skip
