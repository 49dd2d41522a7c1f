"""What the page shows of an answer: frozen, with its HTML made, so that templates only place it."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from api.answer.cards import render
from api.answer.fixed_texts import Texts
from api.page import wording
from api.page.line_numbers import numbered, source_lines
from api.page.markdown.links import Range, address, joined
from api.page.markdown.render import html
from api.page.markdown.writer import Shown
from api.schema.answer import Answer
from api.schema.cards import Card
from api.schema.guard import GuardFinding
from api.schema.passages import Citation

_SHIFT = 3  # a card's heading is an h3
_BADGES = {
    "errata": "Erratum",
    "house-rule": "House rule",
    "optional": "Optional rule",
    "superseded": "Superseded",
    "corrected-above": "Corrected above",
    "changed-since-indexed": "Changed since it was indexed",
}
_CORRECTING = {"errata", "house-rule"}


@dataclass(frozen=True, slots=True)
class CardView:
    """A card with what is made of it.

    `title` is the last part of its heading, `trail` the rest, `name` the first and the last part.
    """

    card: Card
    number: int
    title: str
    trail: str
    name: str
    variant: str
    lines: str
    href: str
    body: Markup
    whole: Markup  # of a folded card: its passage, shown when it is opened
    more: str
    counted: str
    badges: tuple[tuple[str, str], ...]
    beside: bool  # it stands beside the next one, which it corrects


@dataclass(frozen=True, slots=True)
class FindingView:
    """What was wrong with a sentence of a draft, which `draft` names, and the rule's line."""

    text: str
    draft: str
    href: str


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer with what is made of it; its certainty is told apart by `verdict`."""

    answer: Answer
    label: str
    asked: str
    understood: str
    verdict: str
    why: str
    prose: Markup  # a model's words, or small talk
    listed: dict[str, Markup]  # what each file of a folder says of what is asked, by its address
    cards: tuple[CardView, ...]
    checked: str
    findings: tuple[FindingView, ...]
    markdown: str
    link: str
    searched: str


def of_answer(
    answer: Answer, asked: str, texts: Texts, *, base_url: str, before: Sequence[str] = ()
) -> AnswerView:
    """Return what is shown of the answer to `asked`; `before` are the questions it follows."""
    understood = wording.understood(answer, asked) if before else ""
    return AnswerView(
        answer=answer,
        label=wording.LABELS[answer.certainty] if not _is_talk(answer) else "",
        asked=asked,
        understood=understood,
        verdict=wording.verdict(answer, texts),
        why=wording.why(answer),
        prose=_prose(answer, texts),
        listed={one.url: html(one.text) for found in answer.folders for one in found.files},
        cards=_cards(answer),
        checked=wording.checked(answer),
        findings=tuple(dict.fromkeys(map(_finding, answer.guard.findings))),
        markdown=_markdown(answer, asked, base_url),
        # Whoever gets the link has not read the earlier questions.
        link=f"/?{urlencode({'q': understood or asked})}",
        searched=_searched(answer),
    )


def _finding(found: GuardFinding) -> FindingView:
    lines = (found.first_line or 0, found.last_line or 0)
    href = address(found.path, [lines]) if found.path else ""
    return FindingView(wording.finding(found), f"{found.attempt}.{found.claim}", href)


def _is_talk(answer: Answer) -> bool:
    """Whether it is small talk: words that are neither an answer nor the want of one."""
    return not (answer.refused or answer.cards or answer.folders)


def _prose(answer: Answer, texts: Texts) -> Markup:
    """What a model wrote, or small talk; quotes are the cards."""
    is_written = answer.mode == "model" and not answer.refused
    prose = wording.without_opening(answer, texts) if is_written or _is_talk(answer) else ""
    return html(prose, Shown(citations=_markers(answer), heading_shift=_SHIFT))


def _searched(answer: Answer) -> str:
    spent = answer.timings
    searched, answered = map(wording.took, (spent.embed_ms + spent.search_ms, spent.total_ms))
    return f"Searched in {searched}, answered in {answered}, index {answer.generation}"


def _cards(answer: Answer) -> tuple[CardView, ...]:
    variants = render.variants([card.path for card in answer.cards])
    return tuple(_card(answer, number, name) for number, name in enumerate(variants, start=1))


def _card(answer: Answer, number: int, variant: str) -> CardView:
    card = answer.cards[number - 1]
    *above, title = card.heading.split(" > ") if card.heading else [card.path]
    return CardView(
        card=card,
        number=number,
        title=title,
        trail=" › ".join(above),
        name=" › ".join([*above[:1], title]),
        variant=variant,
        lines=_span(card.first_line, card.last_line),
        href=address(card.path, _ranges(card)),
        body=_body(answer, card),
        whole=_passage(answer, card) if card.folded else Markup(""),
        more=wording.more(card),
        counted=wording.counted(card),
        badges=tuple((badge, _BADGES.get(badge, badge)) for badge in card.badges),
        beside=_stands_beside(answer.cards, number),
    )


def _body(answer: Answer, card: Card) -> Markup:
    known = source_lines(answer, card.path)
    text = wording.without_more(card)
    numbers = numbered(text, known, card.first_line, card.last_line)
    return html(text, _shown(card, numbers))


def _passage(answer: Answer, card: Card) -> Markup:
    """The passage that a folded card is a line of, else nothing."""
    for found in answer.passages:
        inside = found.first_line <= card.first_line and card.last_line <= found.last_line
        if found.path == card.path and inside:
            context = f"{found.context}\n" if found.context else ""
            before: list[int | None] = [None] * context.count("\n")
            numbers = [*before, *range(found.first_line, found.last_line + 1)]
            return html(context + found.text, _shown(card, numbers))
    return Markup("")


def _shown(card: Card, numbers: Sequence[int | None]) -> Shown:
    marked = {n for first, last in _ranges(card) for n in range(first, last + 1)}
    return Shown(numbers, marked, file=card.path, heading_shift=_SHIFT)


def _ranges(card: Card) -> list[Range]:
    """The lines that are marked; those of the card where it marks none."""
    marked = joined([(one.first_line, one.last_line) for one in card.marked])
    return marked or [(card.first_line, card.last_line)]


def _markers(answer: Answer) -> dict[int, Markup]:
    """The links of a model's [1]: to the lines that were cited, and to the card that has them."""
    cited: dict[int, list[Citation]] = {}
    for one in answer.citations:
        cited.setdefault(one.marker, []).append(one)
    return {marker: _marker(answer, marker, found) for marker, found in cited.items()}


def _marker(answer: Answer, marker: int, cited: Sequence[Citation]) -> Markup:
    first = cited[0]
    ranges = [(one.first_line, one.last_line) for one in cited if one.path == first.path]
    cards = enumerate(answer.cards, start=1)
    number = next((n for n, card in cards if _shows(card, first)), 0)
    return Markup('<a class="cite" href="{}" data-card="{}" aria-label="[{}] {}">[{}]</a>').format(
        address(first.path, ranges), number, marker, first.heading or first.path, marker
    )


def _shows(card: Card, cited: Citation) -> bool:
    apart = cited.last_line < card.first_line or card.last_line < cited.first_line
    return card.path == cited.path and not apart


def _stands_beside(cards: Sequence[Card], number: int) -> bool:
    """Whether a card corrects the next one, and both are short enough to stand side by side."""
    if number >= len(cards):
        return False
    pair = cards[number - 1 : number + 1]
    plain = not any(card.folded or card.form == "table" for card in pair)
    corrects = not _CORRECTING.isdisjoint(pair[0].badges)
    return plain and corrects and _CORRECTING.isdisjoint(pair[1].badges)


def _markdown(answer: Answer, asked: str, base_url: str) -> str:
    """The answer to paste elsewhere, its sources as links."""
    sources = [
        f"- [{card.path}:{_span(card.first_line, card.last_line).replace('–', '-')}]"
        f"(<{base_url.rstrip('/')}{address(card.path, _ranges(card))}>)"
        for card in answer.cards
    ]
    return "\n\n".join(
        part for part in (f"> {asked}", answer.answer, "\n".join(sources)) if part.strip()
    )


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"
