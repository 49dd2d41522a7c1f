"""aliases.yaml: what it says, what is wrong by file and line, and what a search makes of it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import pipeline
from ingest.read import aliases, vault
from retrieval.context import SearchContext
from retrieval.errors import FileRejectedError
from retrieval.search import search
from tests.conftest import write_vault


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PC: player character\n", {"pc": ("player character",)}),
        ("MFA: [two-factor,  second   factor]", {"mfa": ("two-factor", "second factor")}),
        ("MFA:\n  - two-factor\n  - second factor", {"mfa": ("two-factor", "second factor")}),
        ("Per  Diem: meals\n2FA: factor", {"per diem": ("meals",), "2fa": ("factor",)}),
        ("IT: information technology", {"IT": ("information technology",)}),  # not "it"
        ("no: 1.10\non: yes", {"no": ("1.10",), "on": ("yes",)}),  # words, not values
        ("# nothing yet\n", {}),
        ("", {}),
    ],
)
def test_what_a_file_says(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert aliases.parse("aliases.yaml", text) == expected


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("PC: a\npc: b", 2, "'pc' stands in line 1 already"),
        ("PC: a\n\nGM:\n", 3, "'' holds no word; write `alias: meaning`"),
        ("GM: []", 1, "'GM' has no meaning"),
        ("GM: [Referee, gm]", 1, "'GM' is given as its own meaning"),
        ("PC: a\n'?!': b", 2, "'?!' holds no word"),
        ("people:\n  PTO: vacation", 2, "'' holds no word; write `alias: meaning`"),
        ("GM: [[referee]]", 1, "nested too deep"),
        ("- PC\n- GM", 1, "write `alias: meaning`"),
        ("PC", 1, "write `alias: meaning`"),
        (f"PC: a\nGM: {'x' * 61}", 2, "has 61 characters, over 60; shorten it"),
        ("PC: a\nGM: 'b", 2, "not YAML: found unexpected end of stream"),
        ("PC: a\n---\nGM: b", 2, "write `alias: meaning`"),
        ("a: &x b\nc: *x", 2, "'' holds no word"),
        ("\n".join(f"a{n}: b" for n in range(1_001)), 1_001, "a file has at most 1,000 aliases"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_line(text: str, line: int, what: str) -> None:
    with pytest.raises(FileRejectedError) as caught:
        aliases.parse("people/aliases.yaml", text)
    assert str(caught.value).startswith(f"people/aliases.yaml: line {line}: ")
    assert what in str(caught.value)


@given(st.text(alphabet="ab:[]{},-&*!|>'\"# \n\t?%@", max_size=60))
def test_any_text_is_aliases_or_rejected(text: str) -> None:
    try:
        found = aliases.parse("aliases.yaml", text)
    except FileRejectedError:
        return
    assert all(name and meanings and all(meanings) for name, meanings in found.items())


def test_deep_nesting_is_rejected_without_a_stack(tmp_path: Path) -> None:
    with pytest.raises(FileRejectedError, match="line 2: nested too deep"):
        aliases.parse("aliases.yaml", "b: c\na: " + "[" * 50_000)


def test_each_folder_may_have_some_and_one_of_two_folders_means_both(tmp_path: Path) -> None:
    files = {
        "a.md": "# A", "aliases.yaml": "PC: character", "it/aliases.yaml": "PC: computer",
        ".x/aliases.yaml": "PC: no",
    }  # fmt: skip
    found = vault.read(write_vault(tmp_path, files))
    assert found.aliases == {"pc": ("character", "computer")}
    assert ([file.path for file in found.files], found.ignored) == (["a.md"], ())


def test_an_alias_finds_what_the_rules_call_otherwise_and_nothing_is_embedded(
    search_context: SearchContext, vault: Path
) -> None:
    asked = "How long does a cresset last?"
    plain = search(search_context, asked)
    assert "cresset" in plain.question

    write_vault(vault, {"aliases.yaml": "cresset: torch"})
    report = pipeline.run(search_context, vault)
    assert (report.embedded, report.rejected) == (0, ())
    found = search(search_context, asked)
    assert found.question == "How long does a torch last?"
    assert found.hits[0].chunk.path == "1. Light/Torches.md"
    assert found.generation != plain.generation
    assert (found.confidence or 0) > (plain.confidence or 0)

    same = pipeline.run(search_context, vault)
    assert search(search_context, asked).generation == found.generation, same

    write_vault(vault, {"aliases.yaml": "cresset: [torch"})  # what there was stays
    (error,) = pipeline.run(search_context, vault).rejected
    assert str(error).startswith("aliases.yaml: line 1: not YAML")
    assert search(search_context, asked).question == found.question

    (vault / "aliases.yaml").unlink()
    pipeline.run(search_context, vault)
    assert search(search_context, asked).question == asked


def test_a_rebuild_and_a_temporary_index_have_the_aliases_too(
    search_context: SearchContext, vault: Path
) -> None:
    write_vault(vault, {"aliases.yaml": "cresset: torch"})
    pipeline.run(search_context, vault, rebuild=True)
    assert search(search_context, "cresset?").question == "torch?"
    with search_context.store.connect(autocommit=True) as conn:
        number = pipeline.run_temporary(search_context, conn, vault).generation_id
        assert search(search_context, "cresset?", generation_id=number).question == "torch?"


def test_a_question_that_would_be_too_long_is_searched_as_it_was_typed(
    search_context: SearchContext, vault: Path
) -> None:
    write_vault(vault, {"aliases.yaml": f"cres: [{', '.join('torch ' * 9 + c for c in 'abc')}]"})
    pipeline.run(search_context, vault)
    asked = "cres " * 20
    assert search(search_context, asked).question == asked
