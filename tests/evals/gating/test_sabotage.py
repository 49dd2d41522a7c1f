"""Sabotage: a fault is caught by the gate that it names, or the program fails."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evals import sabotage
from evals.faults import of_gate, runs
from evals.faults.of_gate import GATE_MUTANTS
from evals.faults.replace import Fault, Replacement, applied, changed
from evals.faults.runs import Data
from evals.labels import dataset
from evals.measure.evaluation import evaluate
from evals.measure.outcome import Outcome
from evals.measure.subject import subject
from evals.sabotage import FAULTS
from retrieval.context import SearchContext
from retrieval.errors import ConfigurationError
from retrieval.ranking import fusion
from tests.conftest import write_vault
from tests.support.index.ingested import index_of

GOODS = ("rope", "bell", "lamp", "saddle", "anchor", "drum", "candle", "ladder", "shovel", "flute")
OTHER = ("visa", "printer", "fridge", "kettle", "router", "carpet", "mortgage", "toaster")
NO_HITS = changed("api.answer.card_reply.search", lambda result: replace(result, hits=()))
SAME = changed("retrieval.ranking.fusion.fuse", lambda fused: fused)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Data]:
    """Ten questions that a small vault answers, one that it misses, eight that have no answer."""
    folder = tmp_path_factory.mktemp("goods")
    files = {
        f"{name}.md": f"# The {name}\n\nBest quality.\n\nA {name} costs {number + 30} gp.\n"
        for number, name in enumerate(GOODS)
    }
    vault = write_vault(folder / "vault", files | {"sea.md": "# Sea\n\nTides rise at dawn.\n"})
    rows = [
        _row(name, f"{name}.md", f"A {name} costs {n + 30} gp.") for n, name in enumerate(GOODS)
    ]
    rows += [_row("rope", "sea.md", "Tides rise at dawn.") | {"id": "missed"}]
    rows += [{"id": n, "question": f"How do I repair my {n}?", "kind": "offtopic"} for n in OTHER]
    file = folder / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return file, Data(tuple(dataset.load(file)), vault)


def _row(name: str, path: str, quote: str) -> dict[str, Any]:
    return {
        "id": name, "question": f"What does a {name} cost?", "kind": "prose", "answer": quote,
        "must_include": [quote.split()[-2]], "gold": [{"path": path, "quote": quote}],
    }  # fmt: skip


@pytest.fixture
def ground(data: tuple[Path, Data], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(runs, "HANDBOOK", (data[0], data[1].vault))
    monkeypatch.chdir(tmp_path)


@pytest.mark.proves("row 41")
@pytest.mark.usefixtures("ground")
def test_a_fault_is_caught_by_its_own_gate_alone_and_a_lie_of_the_gate_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = (
        Fault("no passages", "absolute: recall", (NO_HITS,)),
        Fault("seen by another gate", "integrity: cards", (NO_HITS,)),
        Fault("nothing at all", "compare: hit", (SAME,)),
    )
    monkeypatch.setattr(sabotage, "FAULTS", faults)
    lies = {"always green": GATE_MUTANTS["always green"], "none": (SAME,)}
    monkeypatch.setattr(of_gate, "GATE_MUTANTS", lies)
    monkeypatch.setattr(of_gate, "_HITS", 5)  # half of the questions of each of the 20 runs
    assert sabotage.main(["--fast", "--json", "out.json"]) == 1
    lines = Path("out.json").read_text("utf-8").splitlines()
    written = {row["fault"]: row for row in map(json.loads, lines)}
    assert {name: row["caught"] for name, row in written.items()} == {
        "no passages": True, "seen by another gate": False, "nothing at all": False,
        "gate: always green": True, "gate: none": False,
    }  # fmt: skip
    assert {"absolute: recall", "compare: hit"} <= {
        r["gate"] for r in written["no passages"]["red"]
    }
    assert written["nothing at all"]["red"] == []
    out = capsys.readouterr().out
    assert "did not notice: seen by another gate (absolute: recall, compare: first_card" in out
    assert "compare: hit did not notice: nothing at all (nothing did)" in out


@pytest.mark.usefixtures("ground")
def test_a_pipeline_that_is_red_already_is_no_pass(
    data: tuple[Path, Data], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    red = tuple(replace(q, critical=q.id == "missed") for q in data[1].questions)
    monkeypatch.setattr(runs, "handbook", lambda: Data(red, data[1].vault))
    monkeypatch.setattr(sabotage, "FAULTS", (Fault("none", "compare: hit", (SAME,)),))
    assert sabotage.main(["--fast"]) == 2
    assert "is red without any fault" in capsys.readouterr().err
    assert sabotage.main(["--only", "no such fault"]) == 2


@pytest.fixture(scope="module")
def goods(loaded: SearchContext, server: str, data: tuple[Path, Data]) -> Iterator[SearchContext]:
    """The index of the small vault, over whose threshold stands what is asked about it."""
    with index_of(loaded, server, data[1].vault, rag_threshold=1.0) as opened:
        yield opened


@pytest.mark.proves("row 41")
def test_each_fault_of_answers_is_caught_by_its_gate_and_nothing_by_none(
    goods: SearchContext, data: tuple[Path, Data], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The vault is the live index already, and what held it a moment ago may not be gone.
    monkeypatch.setattr(sabotage, "pipeline", SimpleNamespace(run=lambda *_: None))
    asked = Data(tuple(q for q in data[1].questions if q.id != "missed"), data[1].vault)
    open_to_all = replace(goods, threshold=-9.0)  # so that passages reach the model
    of_answers = [fault for fault in FAULTS if fault.ground == "answers"]
    prompts = [fault for fault in of_answers if fault.name == "prompt without refusal"]
    nothing = [Fault("nothing", "", (), model=model) for model in ("quotes", "right")]
    others = [fault for fault in of_answers if fault not in prompts]
    verdicts = [*sabotage.of_answers(goods, asked, [*others, *nothing])]
    verdicts += sabotage.of_answers(open_to_all, asked, prompts)
    assert [v.fault for v in verdicts if not v.caught] == ["nothing", "nothing"]
    assert [v.red for v in verdicts if v.fault == "nothing"] == [(), ()]
    assert len(verdicts) == len(of_answers) + 2


@pytest.mark.parametrize(
    ("name", "asked"),
    [("none", 19), ("wrong encoder for questions", 0), ("citations one line off", 1),
     ("late interaction negative", 19)],
)  # fmt: skip
def test_no_more_is_asked_than_the_gate_of_a_fault_needs(
    goods: SearchContext, data: tuple[Path, Data], name: str, asked: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    outcomes: list[Outcome] = []

    def noted(*asked: Any) -> Iterator[Outcome]:
        for outcome in evaluate(*asked):
            outcomes.append(outcome)
            yield outcome

    monkeypatch.setattr(runs, "evaluate", noted)
    (fault,) = (fault for fault in (*FAULTS, runs.SOUND) if fault.name == name)
    with subject(goods, None) as ready:
        found = runs.searched(goods, data[1], fault, ready)
    assert (len(outcomes), len(found.outcomes)) == (asked, asked if asked == 19 else 0)
    assert name in {"none", "late interaction negative"} or found.faults[fault.must_turn_red]


def test_a_swap_is_put_back_and_a_name_that_is_gone_is_an_error() -> None:
    before = vars(fusion)["fuse"]
    with applied(Replacement("retrieval.ranking.fusion.fuse", lambda fuse: None)):
        assert vars(fusion)["fuse"] is None
    assert vars(fusion)["fuse"] is before
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
