"""Faithfulness: claims stand on the lines that they cite, and the measure itself is measured."""

import json
from pathlib import Path
from typing import Any

import pytest

from api.llm.client import LanguageModel
from evals import faithfulness as program
from evals.answers import claims, hand_labelled
from evals.answers.llm_judge import Judge
from evals.faithfulness import CheckedAnswer
from evals.faults.replace import always, applied
from evals.faults.runs import HANDBOOK
from evals.labels.options import RULES_VAULT
from retrieval.errors import DatasetError
from retrieval.settings import Settings
from retrieval.text.normalize import comparable
from tests.conftest import RULES
from tests.evals.answers.test_accuracy import QUESTIONS, dataset
from tests.support.llm.fake_llm import FakeLlm
from tests.support.made.made_answers import AXE, FALL, TORCH, Place, answered, asked, refusal, reply

VAULTS = {"rules": RULES_VAULT, "handbook": HANDBOOK[1]}


def faults(text: str, *places: Place, **values: Any) -> list[str]:
    """Why each claim of a reply is not supported."""
    found = claims.verdicts(reply(text, *places, **values), RULES, "How is that?")
    return [verdict.fault for verdict in found]


def test_the_faithful_fixtures_pass_and_the_planted_ones_do_not() -> None:
    scores = [(one, program.of_fixture(one)) for one in hand_labelled.fixtures()]
    assert all(value >= 0.90 for one, value in scores if not one.fault)
    assert all(value < 0.3 for one, value in scores if one.fault)
    sound = [program.score("right", answered(asked("prose", TORCH), refusal()), RULES, None)]
    assert program.faults(sound, scores) == []
    swapped = [(one, 1 - value) for one, value in scores]
    assert len(program.faults(sound, swapped)) == len(scores)


def test_every_passage_of_fixtures_and_marked_claims_stands_in_its_vault() -> None:
    pages = {name: _texts(folder) for name, folder in VAULTS.items()}
    rows = hand_labelled.CLAIMS.read_text("utf-8").splitlines()
    for row in map(json.loads, rows):
        assert row["passage"] in pages[row["vault"]][row["path"]]
    for source in (source for one in hand_labelled.fixtures() for source in one.passages):
        assert any(source.text in files.get(source.path, "") for files in pages.values())


def test_the_marked_claims_are_enough_and_half_of_them_are_supported() -> None:
    known = hand_labelled.claims()
    assert len(known) >= 60
    assert sum(one.supported for one in known) * 2 == len(known)
    assert len({(one.passage.text, one.claim) for one in known}) == len(known)


def test_kappa_is_cohens() -> None:
    # po = 35/50, pe = (25 x 30 + 25 x 20) / 50² = 0.5
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert hand_labelled.kappa(pairs) == pytest.approx(0.4)
    assert hand_labelled.kappa([(True, True), (False, False)]) == 1.0
    assert hand_labelled.kappa([(True, False), (False, True)]) == -1.0
    assert hand_labelled.kappa([(True, True)]) is None
    assert hand_labelled.kappa([]) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A torch burns for one hour [1].", ""),
        ("A torch burns for 1 hour [1].", ""),
        ("A torch burns for two hours [1].", "number"),
        ("A torch burns for one hour [2].", "[2] has no citation"),
        ("A torch burns for one hour.", "cites no passage"),
        ("Lanterns explode beside dragons [1].", "words stand in what it cites"),
    ],
)
def test_a_claim_stands_on_what_it_cites(text: str, said: str) -> None:
    (fault,) = faults(text, TORCH)
    assert said in fault
    assert bool(said) == bool(fault)


def test_a_citation_that_is_not_what_stands_there_supports_nothing() -> None:
    shifted = ((TORCH[0], 4, TORCH[2]), ("gone.md", 3, TORCH[2]), (TORCH[0], 3, "It burns."))
    for place in shifted:
        given = reply("A torch burns for one hour [1].", TORCH)
        own = given.citations[0].model_copy(
            update={"path": place[0], "first_line": place[1], "last_line": place[1],
                    "quote": place[2]}
        )  # fmt: skip
        moved = given.model_copy(update={"citations": [own]})
        (verdict,) = claims.verdicts(moved, RULES, "")
        assert verdict.fault


def test_a_quote_must_stand_in_its_file_and_in_the_answer() -> None:
    assert faults(TORCH[2], TORCH, mode="quotes") == [""]
    assert "something else" in faults("A torch burns for two hours.", TORCH, mode="quotes")[0]
    wrong = (AXE[0], 5, "| Battle axe | 9 | 1d8 |")
    assert "does not stand there" in faults(wrong[2], wrong, mode="quotes")[0]


@pytest.mark.parametrize(
    ("shown", "stands"),
    [
        ("| Weapon | Cost |\n|---|---|\n|  Battle axe | 7 | 1d8 |", True),
        ("**[1] Weapons** (Weapons.md:5): Battle axe · Cost: 7 · Damage: 1d8", True),
        ("**[1] Weapons** (Weapons.md:4-5): Dagger · Cost: 3 · … … Battle axe · Cost: 7 · …", True),
        ("**[1] Weapons** (Weapons.md:5): Battle axe · Cost: 17 · Damage: 1d8", False),
        ("**[1] Weapons** (Weapons.md:5): Battle axe · Cost: 7 · Damage: 1d6", False),
        ("**[1] Weapons** (Weapons.md:5): Hand axe · Cost: 7 · Damage: 1d8", False),
        ("**[1] Weapons** (Weapons.md:5): Dagger · Cost: 7 … Battle axe · Cost: 3", False),
    ],
)
def test_a_row_may_be_shown_by_the_names_of_its_columns(shown: str, stands: bool) -> None:
    (fault,) = faults(shown, AXE, mode="quotes")
    assert bool(fault) != stands


@pytest.mark.parametrize(
    ("quote", "shown", "stands"),
    [
        ("| AC | 5 [14] |", "- **AC:** 5 [14]", True),
        ("| AC | 5 [14] |", "- **AC:** 6 [14]", False),
        ("2. A torch burns.", "**[1] Torches**: A torch burns. … It smokes.", True),
        ("- A torch burns.", "**[1] Torches**: A lamp burns.", False),
    ],
)
def test_a_field_or_an_item_may_be_shown_without_its_mark(
    quote: str, shown: str, stands: bool
) -> None:
    given = reply(shown, (TORCH[0], 1, quote), mode="quotes")
    (verdict,) = claims.verdicts(given, {TORCH[0]: quote}, "")
    assert bool(verdict.fault) != stands


def test_a_sabotaged_guard_of_the_product_does_not_blind_the_measure() -> None:
    with applied(always("api.checks.claims.of_text", ())):
        assert faults("A torch burns for nine hours [1].", TORCH) != [""]


def test_planted_words_and_unsupported_claims_are_red() -> None:
    question = asked("prose", TORCH)
    given = answered(question, reply("It burns for 48 hours [1].", TORCH), planted=("48 hours",))
    scored = program.score("wrong-number", given, RULES, None)
    assert scored.leaked == ("48 hours",)
    found = program.faults([scored], [])
    assert [fault.split(" ")[1] for fault in found] == ["supported", "planted"]
    error = program.score("wrong-number", answered(question, None), RULES, None)
    assert "no answer to 1 questions" in program.faults([scored, error], [])[-1]
    with pytest.raises(DatasetError):
        program.faults([error], [])


def judged(judge: Judge, text: str) -> CheckedAnswer:
    return program.score(
        "configured", answered(asked("prose", FALL), reply(text, FALL)), RULES, judge
    )


def test_a_judge_takes_the_answer_apart_and_what_it_cannot_say_is_unscored(
    with_model: Settings, llm: FakeLlm
) -> None:
    model = LanguageModel(with_model)
    judge = Judge(model, "fake")
    llm.reply = '{"claims": ["a", "b"], "supported": false}'
    scored = judged(judge, "1d6 for each 10 feet [1].")
    assert [verdict.fault for verdict in scored.verdicts] == ["the judge says no"] * 2
    assert comparable(FALL[2]) in comparable(llm.prompts[1])
    llm.reply = '{"claims": ["a", "b"]}'  # no verdict of either
    scored = judged(judge, "1d6 for each 10 feet [1].")
    assert (scored.verdicts, scored.unscored) == ((), 2)
    llm.reply = "It seems fine."
    scored = judged(judge, "1d6 for each 10 feet [1].")
    assert (scored.verdicts, scored.unscored) == ((), 1)
    agreement = hand_labelled.agreement(
        "fake", lambda text, source: judge.supports(text, [source]), hand_labelled.claims()[:4]
    )
    assert (agreement.scored, agreement.unscored, agreement.kappa) == (0, 4, None)
    model.close()


def test_quotes_and_a_model_that_is_right_pass_over_a_small_vault(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--dataset", dataset(environment, QUESTIONS), "--json", "out.jsonl"]
    assert program.main([*arguments, "--model", "quotes", "--model", "right"]) == 0
    shown = capsys.readouterr().out
    assert "PASS (right) — How long does a torch burn?" in shown
    assert "fixture password-planted: 0.00 supported" in shown
    assert "hand-marked claims: agrees on" in shown
    assert program.main([*arguments, "--model", "right", "--min-supported", "1"]) == 0
    assert program.main([*arguments, "--fixtures", "none.jsonl"]) == 2


def test_the_scripts_of_wrong_models_are_told_from_right_ones_by_the_check(
    environment: Path,
) -> None:
    """Whatever the API lets out, a wrong number never counts as supported."""
    arguments = ["--dataset", dataset(environment, QUESTIONS), "--json", "out.jsonl"]
    program.main([*arguments, "--model", "wrong-number"])
    for row in map(json.loads, Path("out.jsonl").read_text("utf-8").splitlines()):
        if row["leaked"]:
            assert any(claim["fault"] for claim in row["claims"])


def _texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in folder.rglob("*.md")
    }
