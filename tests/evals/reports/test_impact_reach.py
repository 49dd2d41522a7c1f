"""`evals.impact` asks again what an edit can reach: its report is that of asking everything."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from evals import impact
from evals.impacts import two_processes
from ingest import pipeline
from retrieval.context import open_context
from retrieval.settings import Settings
from tests.conftest import write_vault
from tests.support.vaults.edited_vault import QUESTIONS, TORCHES, committed, edit

LISTS = "3. Lists/List 4.md"
WEAPONS = "2. Arms/Weapons.md"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str) -> Path:
    """The small vault, of whose questions none is asked again only to check."""
    monkeypatch.setattr(two_processes, "CHECKED", 0)
    return committed(tmp_path, monkeypatch, database)


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    asked = ["--base", "HEAD", "--vault", "rules", "--dataset", "q.jsonl", *arguments]
    assert impact.main(asked) == 0
    return capsys.readouterr().out


def changes_of(text: str) -> Sequence[str]:
    """The counts and what is said of each question, without how many were asked."""
    said = ("The edits can reach ", "All questions were asked ")
    return [line for line in text.split("\n") if not line.startswith(said)]


def reword(rules: Path) -> None:
    edit(rules.parent, TORCHES, "burns for one hour", "is carried in one hand")


def change_a_number(rules: Path) -> None:
    edit(rules.parent, WEAPONS, "| Battle axe | 7 |", "| Battle axe | 9 |")


def delete_a_file(rules: Path) -> None:
    (rules / WEAPONS).unlink()


def move_a_file(rules: Path) -> None:
    (rules / TORCHES).rename(rules / "2. Arms" / "Torches.md")


def rename_a_heading(rules: Path) -> None:
    edit(rules.parent, TORCHES, "# Torches", "# Brands")


def add_a_rule_elsewhere(rules: Path) -> None:
    edit(rules.parent, LISTS, "green bags", "green bags. A lantern burns for four hours on oil")


def add_a_file(rules: Path) -> None:
    write_vault(rules, {"4. Axes.md": "# Battle axe\n\nWhat does a battle axe cost? 8 gp.\n"})


def supersede_a_file(rules: Path) -> None:
    front = f"---\nstatus: errata\nsupersedes: [{WEAPONS!r}]\n---\n"
    edit(rules.parent, LISTS, "# List 4", f"{front}# Battle axe costs")


@pytest.mark.parametrize(
    "make",
    [
        reword, change_a_number, delete_a_file, move_a_file, rename_a_heading,
        add_a_rule_elsewhere, add_a_file, supersede_a_file,
    ],
)  # fmt: skip
def test_the_report_is_that_of_asking_everything(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], None],
) -> None:
    monkeypatch.setattr(impact, "_FEW", 1)  # two of ten files are not many here
    make(folder / "rules")
    found = report(capsys)
    assert "The edits can reach " in found
    everything = report(capsys, "--all")
    assert "All questions were asked of both states: --all was given." in everything
    assert changes_of(found) == changes_of(everything)
    assert "**0 broken, 0 fixed, 0 only different.**" not in found


def test_a_question_that_no_edit_comes_near_is_not_asked_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(folder, LISTS, "green bags", "brown bags")
    found = report(capsys)
    assert f"The edits can reach 0 of {len(QUESTIONS)} questions." in found
    assert "**0 broken, 0 fixed, 0 only different.**" in found


def test_some_are_asked_all_the_same_and_one_that_changed_has_all_asked(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(folder, LISTS, "green bags", "brown bags")
    monkeypatch.setattr(two_processes, "CHECKED", 50)
    assert "Of the others 3 were asked all the same, to check that: none changed." in report(capsys)
    edit(folder, LISTS, "brown bags", "green bags")
    reword(folder / "rules")
    found = report(capsys)
    monkeypatch.setattr(two_processes, "is_reached", lambda *_: False)
    unexpected = report(capsys)
    assert "Of 3 others 3 were asked all the same, and " in unexpected
    assert changes_of(unexpected) == changes_of(found)


def test_an_edit_of_what_concerns_all_files_asks_everything(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "rules" / "aliases.yaml").write_text("firebrand: torch\n", "utf-8")
    assert "All questions were asked of both states: aliases were edited." in report(capsys)
    (folder / "rules" / "aliases.yaml").unlink()
    edit(folder, LISTS, "green bags", "brown bags")
    assert "The edits can reach" in report(capsys)
    (folder / "rules" / "off_topic.json").write_text(
        '[{"covered": 0.2, "nearer": 0.3, "for": {}}]', "utf-8"
    )
    assert "asked of both states: off_topic.json was edited." in report(capsys)
    (folder / "rules" / "off_topic.json").unlink()
    for number in range(6):
        edit(folder, f"3. Lists/List {number}.md", "jars", "pots")
    assert "both states: many files of the vault were edited." in report(capsys)


def test_the_report_is_the_same_with_that_state_indexed(
    folder: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    change_a_number(folder / "rules")
    before = report(capsys)
    with open_context(settings) as context:
        pipeline.run(context, folder / "rules")
    assert report(capsys) == before
