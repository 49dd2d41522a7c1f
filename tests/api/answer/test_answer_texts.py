"""The fixed sentences: a vault may say them in its own words, and a mistake is named."""

import os
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest

from api.answer import fixed_texts
from api.answer.fixed_texts import DEFAULT, FILE, Texts
from retrieval.errors import ConfigurationError


def written(folder: Path, content: str) -> Path:
    (folder / FILE).write_text(content, "utf-8")
    return folder


@pytest.mark.parametrize("content", ["", "# nothing yet\n", "---\n", "{}", "null"])
def test_without_own_sentences_the_default_ones_are_said(tmp_path: Path, content: str) -> None:
    assert fixed_texts.load(tmp_path) == DEFAULT
    assert fixed_texts.load(written(tmp_path, content)) == DEFAULT


def test_a_vault_s_own_sentence_takes_the_place_of_the_default_one(tmp_path: Path) -> None:
    vault = written(
        tmp_path, "refusal: Das steht nicht in den Regeln.\nthanks: 'Gern: jederzeit.'\n"
    )
    assert fixed_texts.load(vault) == replace(
        DEFAULT, refusal="Das steht nicht in den Regeln.", thanks="Gern: jederzeit."
    )


def test_every_sentence_can_be_an_own_one(tmp_path: Path) -> None:
    own = {one.name: f"Own {one.name}." for one in fields(Texts)}
    vault = written(tmp_path, "".join(f"{name}: {text}\n" for name, text in own.items()))
    assert asdict(fixed_texts.load(vault)) == own


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("refusel", "refusal"), ("Thanks", "thanks"), ("langauge", "language"), ("titles", "tries")],
)
def test_an_unknown_name_is_told_with_the_nearest(tmp_path: Path, typed: str, meant: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        fixed_texts.load(written(tmp_path, f"{typed}: Something.\n"))
    assert str(caught.value) == (
        f"answers.yaml: no sentence is called {typed!r}; do you mean {meant!r}?"
    )


@pytest.mark.parametrize(
    "value", ["1", "[one, two]", "{de: Hallo}", "true", "", "'  '", "2024-01-01", "x" * 1_001]
)
def test_what_is_no_sentence_is_refused_by_its_name(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigurationError, match=r"answers\.yaml: greeting is .*1,000 characters"):
        fixed_texts.load(written(tmp_path, f"greeting: {value}\n"))


def test_a_sentence_of_the_longest_length_is_taken(tmp_path: Path) -> None:
    assert fixed_texts.load(written(tmp_path, f"greeting: {'x' * 1_000}\n")).greeting == "x" * 1_000


@pytest.mark.parametrize(
    ("content", "kind"), [("- refusal", "list"), ("Hello.", "str"), ("12", "int")]
)
def test_a_file_without_names_is_refused(tmp_path: Path, content: str, kind: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"answers\.yaml holds {kind}, not names with"):
        fixed_texts.load(written(tmp_path, content))


@pytest.mark.parametrize(
    "content", ["greeting: 'open", "a: b: c", "\tgreeting: x", "!!python/name:os.system x", "a: *b"]
)
def test_yaml_that_cannot_be_read_is_refused_and_nothing_of_it_runs(
    tmp_path: Path, content: str
) -> None:
    with pytest.raises(ConfigurationError, match=r"(?s)answers\.yaml cannot be read: .*correct or"):
        fixed_texts.load(written(tmp_path, content))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"greeting: \xff\xfe\n")
    with pytest.raises(ConfigurationError, match=r"answers\.yaml cannot be read"):
        fixed_texts.load(tmp_path)


def test_a_folder_of_that_name_is_refused(tmp_path: Path) -> None:
    os.mkdir(tmp_path / FILE)
    with pytest.raises(ConfigurationError, match=r"answers\.yaml cannot be read"):
        fixed_texts.load(tmp_path)
