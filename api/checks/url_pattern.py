"""Addresses in plain text, which renderers make links of although no Markdown marks them."""

import re

# GitHub's autolinks (spec 0.29, "Autolinks (extension)") and what link finders take beyond them.
# Linear: a run of letters is read from its beginning alone, and once. A quotation mark ends one, so
# that the rest of {"mail": "a@b.example", "role": 1} stays.
ADDRESS = re.compile(
    r"""
    (?<![a-z0-9+.-])(?=[0-9+.-]*[a-z])[a-z0-9+.-]++:/+[^\s"]*  # https://host, and javascript:/…
    | \b(?:about|blob|data|file|javascript|mailto|tel|vbscript|xmpp):[^\s]\S*
    | (?<![\w:/])//[^\s/]\S*                               # //host, which takes the page's scheme
    | \\\\[^\s\\]\S*                                       # \\host, as Windows writes it
    | \bwww\.\S+
    | (?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+[^\s"]*       # mail
    | (?<![\d.])(?:\d{1,3}\.){3}\d{1,3}[:/?]\S*            # 192.0.2.1/path
    | (?<![\w.-])[\w.-]+(?<=[\w-])\.[a-z]{2,}(?::\d+)?[/?]\S*  # host.example/path
    """,
    re.IGNORECASE | re.VERBOSE,
)
