"""Other libraries beside ours: a real LangChain over the handbook, what fails, the numbers."""

import importlib.metadata
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals import peers
from evals.labels import dataset
from evals.labels.dataset import Gold
from evals.peer_runs import environments, measurement, peer_table, question_sets
from evals.peer_runs.counting_embedder import CountingEmbedder
from evals.peer_runs.environments import PEERS
from evals.peer_runs.measurement import Measured, rank
from evals.peer_runs.retrievers import running
from retrieval.context import SearchContext
from retrieval.errors import RetrieverError
from retrieval.models import Chunk
from tests.conftest import RULES, write_vault

HERE = Path(sys.executable)  # has LangChain: the tests' own environment
LANGCHAIN = PEERS[0]


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, with the tests' environment in the place of one that is made."""
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(environments, "python_of", lambda peer, folder: HERE)
    return tmp_path


def test_langchain_and_ours_are_asked_alike_and_what_was_measured_is_kept(
    own_data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--set", "handbook", "--peer", "langchain", "--limit", "4"]
    assert peers.main(options) == 0
    said = capsys.readouterr().out
    ours, theirs = ([cell.strip() for cell in line.split("|")[1:-1]]
                    for line in said.split("\n")[3:5])  # fmt: skip
    assert ours[:2] == ["handbook, 4", "ours"]
    assert importlib.metadata.version("langchain-core") in theirs[1]
    assert (ours[9:11], theirs[9:11]) == (["new", "gone"], ["new", "gone"])
    assert (ours[11], theirs[11]) == ("2 of 2", "0 of 2")
    assert theirs[12] == "6 of 52"  # texts that the encoder cannot read whole, of all
    assert float(ours[3]) >= 0.75
    assert float(theirs[3]) >= 0.5
    monkeypatch.setattr(measurement, "measured", None)  # which no second run calls
    assert peers.main(options) == 0
    assert capsys.readouterr().out.split("\n")[1:] == said.split("\n")[1:]


def test_what_cannot_be_installed_is_named_and_not_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert peers.main(["--set", "handbook", "--peer", "txtai"]) == 2
    said = capsys.readouterr()
    assert "NOT MEASURED: handbook, txtai: txtai was not installed: " in said.out
    assert "txtai==9.14.0" in said.out
    assert "nothing was measured" in said.err
    assert not list(tmp_path.rglob("complete"))


def test_a_library_that_does_not_start_is_named(tmp_path: Path, loaded: SearchContext) -> None:
    gone = replace(LANGCHAIN, module="no_quickstart")
    with (
        pytest.raises(RetrieverError, match=r"langchain ended with 1: .*No module named"),
        running(gone, HERE, CountingEmbedder(loaded.embedder), tmp_path),
    ):
        pytest.fail("there is no such module")


def test_langchain_follows_an_edit_and_a_deleted_file(
    tmp_path: Path, loaded: SearchContext
) -> None:
    vault = write_vault(tmp_path / "rules", RULES)
    served = CountingEmbedder(loaded.embedder)
    with running(LANGCHAIN, HERE, served, vault) as process:
        process.index()
        found = process.search("How long does a torch burn?", 2)
        assert found[0].path == "1. Light/Torches.md"
        assert "A torch burns for one hour." in found[0].text
        assert len(found) == 2
        torches = vault / "1. Light/Torches.md"
        torches.write_text(torches.read_text("utf-8").replace("one hour", "two days"), "utf-8")
        process.update()
        assert "two days" in process.search("How long does a torch burn?", 1)[0].text
        torches.unlink()
        process.update()
        left = process.search("How long does a torch burn?", 9)
        assert left
        assert all(one.path != "1. Light/Torches.md" for one in left)
        assert served.cut == 0


def test_libraries_get_vectors_of_what_the_encoder_can_read(loaded: SearchContext) -> None:
    long = "torches " * 400
    limit = loaded.embedder.limit - 2
    served = CountingEmbedder(loaded.embedder)
    rows = served.vectors([long, "torch", ""])
    assert (served.cut, served.texts) == (1, 3)
    assert rows[1] == pytest.approx(loaded.embedder.embed(["torch"])[0], abs=1e-5)
    words = long[: len(long) * limit // loaded.embedder.tokens.count(long)].rpartition(" ")[0]
    assert rows[0] == pytest.approx(loaded.embedder.embed([words])[0], abs=0.05)


def test_a_peer_that_ends_while_it_is_asked_is_named(tmp_path: Path, loaded: SearchContext) -> None:
    vault = write_vault(tmp_path / "rules", {"a.md": "# A\n\nText.\n"})
    served = CountingEmbedder(loaded.embedder)
    with running(LANGCHAIN, HERE, served, vault) as process:
        (vault / "a.md").write_bytes(b"\xff\xfe\xff")
        with pytest.raises(RetrieverError, match=r"langchain ended with 1: .*UnicodeDecodeError"):
            process.index()
        with pytest.raises(RetrieverError, match="langchain ended with 1: "):
            process.search("?", 4)


def chunk(path: str, text: str) -> Chunk:
    return Chunk(path, "", 1, 1, text)


def test_a_rank_needs_all_golds_of_one_place_in_their_files() -> None:
    a, b, c = Gold("a.md", "first words"), Gold("b.md", "other words"), Gold("c.md", "third words")
    with_places = replace(_any_question(), places=((a, b), (c,)))
    found = [
        chunk("b.md", "first  words"), chunk("a.md", "The first  words."),
        chunk("b.md", "No other words"), chunk("c.md", "third words"),
    ]  # fmt: skip
    assert rank(with_places, found) == 3
    assert rank(with_places, found[:2]) == 0
    assert rank(with_places, found[3:]) == 1
    assert rank(with_places, []) == 0


def test_the_table_says_ratios_flips_and_what_became_of_edits() -> None:
    ours = Measured({}, [1, 2, 0, 4], [100, 120, 90, 110], 10.0, [0.1, 0.2, 0.1, 0.4],
                    edits={"number in prose": "new", "deleted file": "neither"},
                    off_topic=(3, 4))  # fmt: skip
    theirs = Measured({"lib": "1.2"}, [1, 5, 1, 0], [400, 500, 450, 300], 2.5,
                      [0.01, 0.1, 0.1, 0.1],
                      edits={"number in prose": "both", "deleted file": "old"},
                      off_topic=(0, 4), cut=(7, 9))  # fmt: skip
    lines = peer_table.table({("handbook", "lib"): (ours, theirs)}).split("\n")
    assert [cell.strip() for cell in lines[2].split("|")[1:-1]] == [
        "handbook, 4", "ours", "0.250", "0.750", "0.438", "", "105", "10.0 s", "150 ms", "new",
        "gone", "3 of 4", "",
    ]  # fmt: skip
    assert [cell.strip() for cell in lines[3].split("|")[1:-1]] == [
        "", "lib 1.2", "0.500", "0.500", "0.550", "2, 1 (1.000)", "425", "0.25 x", "0.38 x",
        "old and new", "still there", "0 of 4", "7 of 9",
    ]  # fmt: skip


def test_a_set_of_texts_that_packages_carry_has_answers_in_its_files(tmp_path: Path) -> None:
    made = question_sets.written("skills", tmp_path)
    assert len(made.questions) > 50
    for question in made.questions:
        golds: list[Any] = [gold for place in question.places for gold in place]
        assert all(rank(question, [chunk(one.path, made.files[one.path])]) for one in golds)
    assert len({json.dumps(question.question) for question in made.questions}) > 50


def _any_question() -> Any:
    return dataset.load(Path("evals/datasets/handbook.jsonl"))[0]
