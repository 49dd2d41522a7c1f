"""Groups: the file format, the program that makes them, and the texts in training/."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.labels import dataset, training_questions
from ingest.read.vault import SourceFile
from retrieval.errors import DatasetError
from retrieval.text.normalize import comparable, searchable
from tests.conftest import write_vault
from training import make_triples as program
from training import triples
from training.triples import Group

ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "training"
LONG = 40  # characters of a line that two texts do not share by chance
GROUP = Group("wages", "what’s “a” 30 feet\u2028pole?", ("a pole",), ("x", "y"), ("a pole, x",), ())
TEXTS = {
    "pay/1. Hirelings.md": (
        "# Hirelings\n\n## Leaving\n\nA hireling whose employer dies may be taken over.\n"
        "?? Who can take on a hireling when the boss has died?\n\n## Wages\n\n"
        "| Trade | Silver | Lodging |\n|---|---|---|\n| Cook | 12 | household |\n"
        "?? What does a cook earn?\n?? thirty meals a month, what's that?\n"
        "| Torch bearer | 5 | stable |\n?? cheapest pay for our lights?\n"
    ),
    "pay/2. Guards.md": (
        "# Guards\n\n- A guard wants 20 silver a month.\n?? guard pay\n"
        "- A guard who is hurt gets double.\n?? what does a wounded watchman get\n"
    ),
    "mail/1. Post.md": "# Post\n\nA letter costs one penny.\n?? price of a letter?\n",
    "README.md": "What is not in a collection is no training text.\n?? ignored\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the small texts and the groups that the program made of them."""
    folder = tmp_path_factory.mktemp("groups")
    write_vault(folder / "texts", TEXTS)
    assert make(folder / "texts", folder / "a.jsonl.gz") == 0
    return folder


def make(folder: Path, out: Path) -> int:
    return program.main(["--texts", str(folder), "--out", str(out)])


def packed(path: Path, *rows: object) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


def row(**changed: Any) -> dict[str, Any]:
    whole = {"collection": "a", "question": "q", "positives": ["p"], "negatives": [],
             "windows": [], "window_negatives": []}  # fmt: skip
    return whole | changed


def test_groups_are_read_as_they_were_written(tmp_path: Path) -> None:
    triples.write(tmp_path / "a.gz", [GROUP, GROUP])
    triples.write(tmp_path / "b.gz", [GROUP, GROUP])
    assert triples.read(tmp_path / "a.gz") == [GROUP, GROUP]
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"a.gz", "b.gz"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (row(question=" "), "question is ' '"),
        (row(positives=[]), "positives is empty"),
        (row(negatives="x"), "negatives is 'x', not a list"),
        (row(windows=["w", 3]), "windows holds 3"),
        (row(raw="q"), "unknown fields ['raw']"),
        ({"collection": "a"}, "question is None"),
        (["q"], "not an object"),
        ("{", "is not JSON"),
    ],
)
def test_a_wrong_line_is_named_with_its_field(tmp_path: Path, wrong: object, said: str) -> None:
    file = packed(tmp_path / "a.gz", row(), wrong)
    with pytest.raises(DatasetError, match=re.escape(said)) as error:
        triples.read(file)
    assert f"{file}:2: " in str(error.value)


def test_a_file_that_holds_no_groups_is_said_to(tmp_path: Path) -> None:
    (tmp_path / "plain.gz").write_text(json.dumps(row()))
    (tmp_path / "short.gz").write_bytes(gzip.compress(bytes(range(256)) * 9)[:-12])
    packed(tmp_path / "empty.gz")
    for name in ("plain.gz", "short.gz", "empty.gz", "missing.gz"):
        with pytest.raises(DatasetError, match=re.escape(name)):
            triples.read(tmp_path / name)
    with pytest.raises(DatasetError, match="cannot be written"):
        triples.write(tmp_path / "no folder" / "a.gz", [GROUP])


def test_foreign_groups_without_a_positive_are_counted(tmp_path: Path) -> None:
    right = {"src": "web", "q": "how?", "pos": "so", "neg": ["no", "nor"], "weak": 1}
    found = triples.read_foreign(packed(tmp_path / "a.gz", right, right | {"pos": None}))
    assert found.groups == (Group("web", "how?", ("so",), ("no", "nor"), (), ()),)
    assert found.without_positive == 1
    for wrong in ({"pos": 1}, {"pos": ""}, {"q": None}, {"neg": None}):
        file = packed(tmp_path / "b.gz", right, right | wrong)
        with pytest.raises(DatasetError, match=f"b.gz:2: {next(iter(wrong))} is "):
            triples.read_foreign(file)


def test_a_question_asks_for_the_line_above_that_is_none() -> None:
    source = SourceFile(
        "a.md", "# A\nOne.\n?? 1?\n??  a\u00a0second\nTwo.\n\n?? late\n??x\n?? \n", "", 0
    )
    text, asked, faults = training_questions.without_questions(source)
    assert text.text == "# A\nOne.\nTwo.\n\n"
    assert [(one.line, one.answer, one.text) for one in asked] == [(3, 2, "1?"), (4, 2, "a second")]
    assert [fault.split(":")[0] for fault in faults] == ["7", "8", "9"]


def test_each_question_gets_its_line_and_others_of_its_collection(made: Path) -> None:
    found = triples.read(made / "a.jsonl.gz")
    assert [group.collection for group in found] == ["mail"] + ["pay"] * 6
    by_question = {group.question: group for group in found}
    cook = by_question[searchable("thirty meals a month, what's that?")]
    assert len(cook.positives) == 1
    assert "Cook" in cook.positives[0]
    assert any("Torch bearer" in text for text in cook.negatives)
    assert any("guard" in text for text in cook.negatives)
    assert all("Torch bearer" in text for text in cook.windows)  # the whole table
    assert any("guard" in text for text in cook.window_negatives)
    for group in found:
        right, wrong = group.positives + group.windows, group.negatives + group.window_negatives
        assert not set(right) & set(wrong)
        assert not any("??" in text or "penny" in text for text in wrong)
        assert len(set(wrong)) == len(wrong)
    assert by_question["guard pay"].negatives[0].endswith("double.")  # shares the most


def test_the_same_texts_give_the_same_bytes(made: Path) -> None:
    assert make(made / "texts", made / "b.jsonl.gz") == 0
    assert (made / "a.jsonl.gz").read_bytes() == (made / "b.jsonl.gz").read_bytes()
    first, second = (json.loads((made / f"{n}.manifest.json").read_text()) for n in "ab")
    assert (first["groups"].pop("file"), second["groups"].pop("file")) == (
        "a.jsonl.gz",
        "b.jsonl.gz",
    )
    assert first == second
    assert first["groups"]["questions"] == 7
    assert first["collections"]["pay"]["files"]["2. Guards.md"]["questions"] == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# A\n?? under a heading\n\nOne.\n?? right\n", 2),
        ("# A\n\n| B | C |\n?? under a header\n|---|---|\n| 1 | 2 |\n", 4),
        ("# A\n\n| B | C |\n|---|---|\n?? under the rule\n| 1 | 2 |\n", 5),
        ("# A\n\nOne.\n\n?? under a blank\n", 5),
        ("?? under nothing\n# A\n", 1),
        ("# A\n\nOne.\n?? " + "long " * 300 + "\n", 4),
    ],
)
def test_a_misplaced_question_is_named_by_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: int
) -> None:
    write_vault(tmp_path, {"a/1. One.md": text})
    assert make(tmp_path, tmp_path / "out.gz") == 2
    assert f"{tmp_path / 'a' / '1. One.md'}:{line}: " in capsys.readouterr().err
    assert not (tmp_path / "out.gz").exists()


def test_nothing_to_read_or_nowhere_to_write_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    assert make(tmp_path / "none", tmp_path / "out.gz") == 2
    assert make(tmp_path, tmp_path / "out.gz") == 2
    assert make(TRAINING, tmp_path / "none" / "out.gz") == 2
    said = capsys.readouterr().err
    assert all(part in said for part in ("cannot be listed", "holds questions", "make it"))


def test_no_question_of_the_evals_is_a_training_question() -> None:
    asked = {}
    datasets = ROOT / "evals" / "datasets"
    more = [path for folder in ("lists", "reworded") for path in datasets.glob(f"{folder}/*.jsonl")]
    for path in sorted([*datasets.glob("*.jsonl"), *more]):
        for item in dataset.load(path):
            for text in (item.question, *item.history):
                asked[_folded(text)] = f"{path.name}:{item.line}"
    assert len(asked) > 500
    shared = [
        (where, asked[_folded(line)])
        for where, line in _training_lines()
        if line.startswith("?? ") and _folded(line) in asked
    ]
    assert not shared, f"training questions that measure: {shared}; ask for something else"


def test_no_training_line_stands_in_a_vault() -> None:
    pages = [p for top in ("vault", "evals/vaults") for p in sorted((ROOT / top).rglob("*.md"))]
    rules = "\n".join(_folded(path.read_text("utf-8")) for path in pages)
    assert len(rules) > 100_000
    starts = {rules[place : place + LONG] for place in range(len(rules))}  # a line is looked up
    shared = [
        where
        for where, line in _training_lines()
        if len(text := _folded(line)) >= LONG and text[:LONG] in starts and text in rules
    ]
    assert not shared, f"training lines of a vault: {shared}; write other ones"


def test_the_readme_counts_what_is_there() -> None:
    told = re.findall(
        r"^\| `([^`]+)` \| (\d+) \| (\d+) \|$", (TRAINING / "README.md").read_text("utf-8"), re.M
    )
    counted = []
    for folder in sorted(path for path in (TRAINING / "texts").iterdir() if path.is_dir()):
        files = sorted(folder.glob("*.md"))
        lines = [line for file in files for line in file.read_text("utf-8").split("\n")]
        counted.append(
            (folder.name, str(len(files)), str(sum(line.startswith("?? ") for line in lines)))
        )
    assert told == counted, "run the command of training/README.md and paste what it prints"


def _training_lines() -> Iterator[tuple[str, str]]:
    for path in sorted(TRAINING.glob("texts/*/**/*.md")):
        for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1):
            yield f"{path.relative_to(ROOT)}:{number}", line


def _folded(line: str) -> str:
    return comparable(line.removeprefix("?? ")).casefold()
