"""What the page says of the vault before anything is asked: its title, a sentence, questions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from api.answer.question import small_talk
from api.page.markdown import render
from api.sources import vault_file
from api.sources.titles import file_hashes, file_now
from api.state import AppState
from retrieval.models import Terms

QUESTIONS = "questions.txt"  # of the vault: a question a line, shown as examples
_READMES = ("README.md", "readme.md", "index.md", "Index.md")
_MOST, _LEAST = 6, 3
_LONGEST = 200  # characters of a title or sentence
_FIELD = re.compile(r"^(title|description):[ \t]*(\S.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True, slots=True)
class About:
    """The vault in a few words, with questions to begin with."""

    title: str
    sentence: str
    examples: tuple[str, ...]
    files: int


def about(opened: AppState) -> About:
    """Return what the page says of the vault.

    The title is its README's front matter or first heading, else TITLE; the sentence is the
    description there, else the first one of its first paragraph. Raises IndexMissingError and
    DatabaseUnreachableError.
    """

    rules = opened.rules
    files = file_hashes(opened)
    title, sentence = _readme(opened, files)
    return About(
        title=(title or rules.settings.title or "Rules Oracle")[:_LONGEST],
        sentence=sentence[:_LONGEST],
        examples=_examples(opened, rules.terms_under(None)[1]),
        files=len(files),
    )


def _readme(opened: AppState, known: Mapping[str, str]) -> tuple[str, str]:
    for name in _READMES:
        file = file_now(opened, name, known.get(name))
        if file is not None:
            text = "\n".join(file.lines[:400])  # what is said first stands above
            said = dict(_FIELD.findall(render.header(text)))
            heading, paragraph = render.first_words(text)
            title = said.get("title", "").strip("\"' ") or heading
            first = _SENTENCE.split(paragraph, maxsplit=1)[0]
            return title, said.get("description", "").strip("\"' ") or first
    return "", ""


def _examples(opened: AppState, terms: Terms) -> tuple[str, ...]:
    """The vault's own questions, else some about its headings.

    The former may name any file, so who sees a part of them gets the latter.
    """
    is_whole = opened.rules.access is None
    file = vault_file.read(opened.rules.settings.vault, QUESTIONS) if is_whole else None
    own = [line.strip() for line in file.lines if line.strip()] if file else []
    if own:
        return tuple(question[:_LONGEST] for question in own[:_MOST])
    return tuple(small_talk.examples(terms, _LEAST))
