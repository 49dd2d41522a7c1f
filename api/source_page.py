"""The page of a source file: numbered lines, each with an address, those asked for marked."""

from collections.abc import Sequence

from markupsafe import Markup

from api.sanitize import visible

_STYLE = """
:root { color-scheme: light dark; --mark: #fff0b3; --rule: #c99700; --faint: #6b6b6b; }
@media (prefers-color-scheme: dark) {
  :root { --mark: #463a08; --rule: #d9b23c; --faint: #9a9a9a; }
}
body { margin: 0 auto; padding: 1rem; max-width: 60rem; font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.15rem; overflow-wrap: anywhere; }
.note { border-left: .25rem solid var(--rule); padding: .25rem .75rem; }
.line { display: flex; scroll-margin-top: 30vh; border-left: .25rem solid transparent; }
.line a { flex: none; width: 4.5ch; padding-right: 1.5ch; text-align: right; color: var(--faint);
  text-decoration: none; user-select: none; }
.line a:hover, .line a:focus { text-decoration: underline; }
.line a, .line code { font: .875rem/1.6 ui-monospace, monospace; }
.line code { flex: auto; min-width: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.line:target, .line.marked { background: var(--mark); border-left-color: var(--rule); }
"""
# Without scripts a single line is marked by :target alone; a range needs this.
_SCRIPT = """
const lines = [...document.querySelectorAll(".line")];
function mark() {
  const asked = /^#L(\\d+)(?:-L(\\d+))?$/.exec(location.hash);
  for (const line of lines) line.classList.remove("marked");
  if (!asked) return;
  const first = Number(asked[1]);
  const marked = lines.slice(first - 1, Number(asked[2] || first));
  for (const line of marked) line.classList.add("marked");
  if (marked.length) marked[0].scrollIntoView({block: "start"});
}
addEventListener("hashchange", mark);
mark();
"""
_CHANGED = Markup(
    '<p class="note">This file has changed since it was indexed. Lines that an answer names may '
    "have moved.</p>\n"
)
_LINE = Markup(
    '<div class="line" id="L{number}"><a href="#L{number}">{number}</a><code>{text}</code></div>\n'
)
_PAGE = Markup("""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path}</title>
<style nonce="{nonce}">{style}</style>
<main>
<h1>{path}</h1>
{note}{lines}</main>
<script nonce="{nonce}">{script}</script>
</html>
""")


def page(path: str, lines: Sequence[str], *, changed: bool, nonce: str) -> str:
    """Return the HTML of a file with `lines`, its text escaped; `nonce` admits its own script.

    Line n is the element `Ln`. `changed` says above them that the index knows other lines.
    Characters that show nothing or turn the text around are shown as escapes.
    """
    numbered = Markup("").join(
        _LINE.format(number=number, text=visible(line)) for number, line in enumerate(lines, 1)
    )
    return str(
        _PAGE.format(
            path=visible(path),
            nonce=nonce,
            style=Markup(_STYLE),  # noqa: S704  # a constant of this module
            note=_CHANGED if changed else "",
            lines=numbered,
            script=Markup(_SCRIPT),  # noqa: S704  # a constant of this module
        )
    )


def policy(nonce: str) -> str:
    """Return the Content-Security-Policy of the page: its own style and script, and nothing else.

    No request can come from the page, whatever a file holds.
    """
    return (
        f"default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
