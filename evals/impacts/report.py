"""The report of `evals.impact` in Markdown, as a comment of a pull request."""

from collections import Counter
from collections.abc import Iterator, Sequence

from evals.impacts.changes import Change, Impact
from evals.impacts.states import Edit
from evals.labels.quote_locations import shortened
from evals.reports import ci
from retrieval.models import Chunk

_TITLES = {
    "broken": "Broken: found before, lost now",
    "fixed": "Fixed: lost before, found now",
    "different": "Only different: other passages, no worse and no better",
}
_EDITS = 5  # shown of one question
_SHOWN = 30  # questions of one kind; a comment has at most 65,536 characters
_LENGTH = 90  # characters of a line of the vault


def markdown(impact: Impact, name: str) -> str:
    """Return the report; `name` is the vault's folder, which is put in front of its paths."""
    counts = Counter(change.verdict for change in impact.changes)
    files = len({edit.path for edit in impact.edits})
    lines = ["### What this edit does to search", ""]
    if not impact.edits:
        lines.append(f"`{name}` is what it is in `{impact.base}`: nothing to report.")
        return "\n".join(lines)
    lines += [
        f"`{name}`: {len(impact.edits)} edits in {files} files since `{impact.base}`; "
        f"{impact.questions} questions, {impact.top_k} passages each.",
        "",
        f"**{counts['broken']} broken, {counts['fixed']} fixed, {counts['different']} only "
        "different.**",
    ]
    for verdict, title in _TITLES.items():
        chosen = [change for change in impact.changes if change.verdict == verdict]
        if chosen:
            lines += ["", f"#### {title}", "", *_listed(chosen, name)]
    return "\n".join(lines)


def annotations(impact: Impact, prefix: str) -> Iterator[str]:
    """Yield a mark for every edit that broke a question, critical questions first.

    `prefix` makes a path of the vault one of the repository. GitHub shows the first ten of a step.
    """
    broken = [change for change in impact.changes if change.verdict == "broken"]
    for change in sorted(broken, key=lambda change: not change.after.question.critical):
        asked = change.after.question
        message = f"{asked.one_line} — was answered before this edit"
        for edit in change.edits[:_EDITS]:
            lines = edit.after or range(max(edit.after.start - 1, 1), max(edit.after.start, 2))
            title = f"broken: {asked.id}"
            yield ci.annotation("warning", prefix + edit.path, lines, title, message)


def _listed(changes: Sequence[Change], folder: str) -> Iterator[str]:
    first = sorted(changes, key=lambda change: not change.after.question.critical)
    for change in first[:_SHOWN]:
        yield from _change(change, folder)
    if len(changes) > _SHOWN:
        yield f"- … and {len(changes) - _SHOWN} more"


def _change(change: Change, folder: str) -> Iterator[str]:
    asked = change.after.question
    critical = ", **critical**" if asked.critical else ""
    yield f"- {_code(asked.question)} ({_code(asked.id)}, {asked.kind}{critical})"
    judged = change.after.judgement
    if judged and judged.lost_at:
        yield f"  - lost at {judged.lost_at}; it is in {_code(asked.places[0][0].path)}"
    elif change.verdict == "broken":
        yield "  - has no answer in the rules, was refused, and is answered now"
    gone, new = ([_place(chunk, folder) for chunk in some] for some in (change.gone, change.new))
    lists = {
        "no longer": [place for place in gone if place not in new],
        "now": [place for place in new if place not in gone],
        "in other words": [place for place in new if place in gone],
    }
    for what, places in lists.items():
        if places:
            yield f"  - {what}: {', '.join(places)}"
    if not (change.gone or change.new):
        yield "  - the same passages in another order, or another label"
    if not change.edits:
        yield "  - no file of these was edited: others' words moved them"
    yield from _edits(change.edits, folder)


def _edits(edits: Sequence[Edit], folder: str) -> Iterator[str]:
    for edit in edits[:_EDITS]:
        old, new = _first(edit.old), _first(edit.new)
        lines = edit.after or edit.before
        of = "" if edit.after else " of the base"
        said = " ".join(
            [*([f"− {_code(old)}"] if old else []), *([f"+ {_code(new)}"] if new else [])]
        )
        yield f"  - edited: {_code(f'{folder}/{edit.path}:{_span(lines)}')}{of} {said}".rstrip()
    if len(edits) > _EDITS:
        yield f"  - … and {len(edits) - _EDITS} more edits"


def _first(lines: Sequence[str]) -> str:
    """The first line with text."""
    return next((line.strip() for line in lines if line.strip()), "")


def _span(lines: range) -> str:
    return f"{lines.start}-{lines.stop - 1}" if len(lines) > 1 else str(lines.start)


def _place(chunk: Chunk, folder: str) -> str:
    lines = _span(range(chunk.first_line, chunk.last_line + 1))
    return _code(f"{folder}/{chunk.path}:{lines}")


def _code(text: str) -> str:
    """Text of a vault or a question as code: in it no mark, no mention and no HTML is read."""
    plain = shortened(" ".join(text.split()), _LENGTH).replace("`", "'")
    return f"`{plain}`"
