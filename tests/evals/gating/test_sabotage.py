"""Sabotage: a fault is caught by name, called undetectable, or fails; and what integrity sees."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals import sabotage
from evals.faults.known_outcome_runs import GATE_MUTANTS
from evals.faults.replace import Fault, Replacement, applied
from evals.faults.run_pipeline import Ground
from evals.gating.integrity import index_faults, on_disk, passage_faults
from evals.measure.outcome import Outcome
from evals.sabotage import FAULTS
from retrieval.errors import ConfigurationError
from retrieval.models import Chunk, Entry, Evidence, Hit
from retrieval.ranking import candidates
from tests.conftest import write_vault
from tests.support.made.made_misses import CHUNKS, asked, candidate, found

GOODS = ("rope", "bell", "lamp", "saddle", "anchor", "drum", "candle", "ladder", "shovel", "flute")
REFUSE = Fault(
    "always refuse", (Replacement("api.answer.card_reply.search", lambda find: refusing(find)),)
)
NOTHING = Fault(
    "nothing at all", (Replacement("retrieval.ranking.candidates.fuse", lambda fuse: fuse),)
)


def refusing(find: Any) -> Any:
    return lambda *args, **options: replace(find(*args, **options), hits=())


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """Ten questions that search answers, one that it misses, one that has no answer."""
    files = {f"{name}.md": f"# The {name}\n\nA {name} costs {len(name)} gp.\n" for name in GOODS}
    vault = write_vault(
        tmp_path / "vault", files | {"sea.md": "# Sea\n\nTides rise twice a day.\n"}
    )
    rows = [
        row(name, f"What does a {name} cost?", f"{name}.md", f"A {name} costs") for name in GOODS
    ]
    rows += [row("missed", "What does a rope cost?", "sea.md", "Tides rise twice a day.")]
    rows += [{"id": "none", "question": "How do I reset my password?", "kind": "offtopic"}]
    dataset = tmp_path / "questions.jsonl"
    dataset.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    made = Ground(dataset, None, vault)
    monkeypatch.setitem(sabotage.GROUNDS, "small", made)
    monkeypatch.chdir(tmp_path)
    return made


def row(name: str, question: str, path: str, quote: str) -> dict[str, Any]:
    gold = [{"path": path, "quote": quote}]
    return {"id": name, "question": question, "kind": "prose", "gold": gold, "split": "gate"}


@pytest.mark.proves("row 41")
def test_faults_are_told_apart_and_each_lie_of_the_gate_is_noticed(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    subtle = replace(NOTHING, name="nothing, known to be subtle", subtle="it is nothing")
    monkeypatch.setattr(sabotage, "FAULTS", (REFUSE, NOTHING, subtle))
    assert sabotage.main(["--fast", "--json", "out.json"]) == 1
    written = json.loads(Path("out.json").read_text("utf-8"))
    statuses = {verdict["fault"]: verdict["status"] for verdict in written["faults"]}
    assert statuses == {
        "always refuse": "caught",
        "nothing at all": "missed",
        "nothing, known to be subtle": "undetectable",
    }
    gates = {alarm["gate"] for alarm in written["faults"][0]["gates"]}
    assert {"evals.gating.absolute: recall", "evals.gating.compare: hit"} <= gates
    copies = {copy["name"]: copy["status"] for copy in written["gate_copies"]}
    assert copies == {"the gate itself": "sound", **dict.fromkeys(GATE_MUTANTS, "caught")}
    out = capsys.readouterr().out
    assert "GATE FAILED: nothing noticed: nothing at all: undetectable at n = 11" in out


def test_a_pipeline_that_is_red_already_is_no_pass(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = ground.dataset.read_text("utf-8").split("\n")[10]
    ground.dataset.write_text(first, "utf-8")  # the missed question alone
    monkeypatch.setattr(sabotage, "FAULTS", (REFUSE,))
    assert sabotage.main(["--fast"]) == 2
    assert "nothing was measured" in capsys.readouterr().err


def test_a_swap_is_put_back_and_a_name_that_is_gone_is_an_error() -> None:
    before = vars(candidates)["fuse"]
    with applied(Replacement("retrieval.ranking.candidates.fuse", lambda fuse: None)):
        assert vars(candidates)["fuse"] is None
    assert vars(candidates)["fuse"] is before
    with (
        pytest.raises(ConfigurationError, match=r"nothing to break at retrieval\.search\.gone"),
        applied(Replacement("retrieval.search.gone", lambda gone: None)),
    ):
        pass


def test_what_is_broken_exists_and_is_public() -> None:
    swaps = [swap for fault in FAULTS for swap in fault.swaps]
    swaps += [swap for lies in GATE_MUTANTS.values() for swap in lies]
    with applied(*(Replacement(swap.target, lambda original: original) for swap in swaps)):
        assert not [s.target for s in swaps if "._" in s.target or ":_" in s.target]
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


TEXT = "# Light\n\nA torch burns.\nIt goes out in water.\n"
WHOLE = Chunk("light.md", "Light", 1, 4, TEXT.rstrip())


@pytest.mark.parametrize(
    ("chunks", "said"),
    [
        ([WHOLE], None),
        ([replace(WHOLE, first_line=2, last_line=5)], "light.md:2: the chunk is not what stands"),
        ([replace(WHOLE, text="# Light", last_line=1)], "light.md:3: 2 lines are in no chunk"),
        ([WHOLE, replace(WHOLE, piece=1)], "light.md:1.1: the chunk is in the index twice"),
    ],
)
def test_chunks_that_are_not_their_lines_are_named(
    tmp_path: Path, chunks: list[Chunk], said: str | None
) -> None:
    vault = write_vault(tmp_path, {"light.md": TEXT})
    hashes = {"light.md": hashlib.sha256(TEXT.encode()).hexdigest()}
    found = index_faults(vault, hashes, {"light.md": chunks})
    assert any(what.startswith(said) for what in found) if said else found == []


def test_an_index_of_another_state_is_named_file_by_file(tmp_path: Path) -> None:
    vault = write_vault(tmp_path, {"a.md": "# A\n", "b.md": "# B\n", ".hidden/c.md": "# C\n"})
    (vault / "d.md").write_bytes(b"# D\n\xff")
    assert set(on_disk(vault)) == {"a.md", "b.md", "d.md"}
    assert index_faults(vault, {"a.md": "0", "gone.md": "1"}, {}) == [
        "b.md: is not in the index",
        "d.md: is not in the index",
        "gone.md: is in the index and not in the vault",
        "a.md: the index holds another state of it",
        "d.md: is not UTF-8 (byte 4), so ingest leaves it out",
    ]


def outcome(hits: list[Hit]) -> Outcome:
    """One search that returned these, with a trace that says so."""
    trace = [candidate(hit.chunk, fate="returned") for hit in hits]
    return Outcome(asked(), replace(found(None), hits=tuple(hits), trace=tuple(trace)), None)


def entry(heading: str = "Light", words: str = "A torch burns") -> Entry:
    return Entry("sentences", heading, 3, 3, "A torch burns.", "", "Light: ", words)


SOUND = Hit(WHOLE, 0.9, (Evidence(entry(), 0.8), Evidence(entry(), 0.7)))


@pytest.mark.parametrize(
    ("hits", "said"),
    [
        ([SOUND], None),
        ([replace(SOUND, chunk=CHUNKS["cut.md"][0])], "cut.md:1: is not what stands there"),
        ([SOUND, SOUND], "1 different passages in 2, 2 asked for"),
        ([replace(SOUND, evidence=SOUND.evidence[::-1])], "is not in the order of its scores"),
        ([replace(SOUND, evidence=(Evidence(entry("Dark"), 0.8),))], 'without its heading "Dark"'),
        ([replace(SOUND, score=0.1), SOUND], "a passage stands behind one with a lower score"),
    ],
)
def test_passages_that_are_not_lines_of_the_vault_are_named(
    hits: list[Hit], said: str | None
) -> None:
    wrong = passage_faults(outcome(hits), {"light.md": TEXT}, top_k=2)
    assert any(said in what for what in wrong) if said else wrong == []


def test_a_row_without_its_columns_names_is_named() -> None:
    bare = Entry("row", "Light", 3, 3, "| Axe | 7 |", "|Item|Cost|\n|-|-|", "Light: ", "")
    lines = "# Light\n\n| Axe | 7 |\n"
    whole = Chunk("light.md", "Light", 1, 3, lines.rstrip())
    for words, clean in (("Axe: 7", False), ("Axe: Cost 7", True)):
        hit = Hit(whole, 0.9, (Evidence(replace(bare, words=words), 0.8),))
        assert (passage_faults(outcome([hit]), {"light.md": lines}, top_k=1) == []) is clean
