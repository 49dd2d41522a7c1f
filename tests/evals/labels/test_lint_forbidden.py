"""Forbidden files: lint says which guard nothing, the handbook has one, and it is superseded."""

from pathlib import Path

import pytest

from evals import lint
from evals.labels import dataset
from evals.retrieval import RULES
from ingest.read import frontmatter, markdown
from tests.support.index.plants import answerable, finding, findings, unanswerable

pytestmark = pytest.mark.usefixtures("planted")

HANDBOOK = RULES.with_name("handbook.jsonl")


def test_a_forbidden_file_that_could_be_returned_is_no_fault() -> None:
    assert findings(answerable(forbidden=["arms/weapons.md"])) == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (answerable(forbidden=["gone.md"]), "forbids 'gone.md', which is no file of the vault"),
        (answerable(forbidden=["torches.md"]), "forbids 'torches.md', which holds the answer"),
        (
            unanswerable(forbidden=["torches.md"]),
            "forbids 'torches.md', but a question without an answer is not judged by its files",
        ),
    ],
)
def test_a_forbidden_file_that_guards_nothing_is_named(row: dict[str, object], said: str) -> None:
    assert finding(row).endswith(said)


def test_the_handbook_forbids_only_what_is_no_longer_in_force() -> None:
    vault = Path(lint.__file__).parent / "vaults" / "handbook"
    forbidden = {path for question in dataset.load(HANDBOOK) for path in question.forbidden}
    assert forbidden
    for path in forbidden:
        header = markdown.parse((vault / path).read_text("utf-8")).header
        assert frontmatter.parse(path, header).status == "superseded"
