"""`evals.impact`: what an edit of a vault breaks, mends and hides, and the line that did it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evals import impact
from evals.impacts import states, two_processes
from ingest import pipeline
from retrieval.context import open_context
from retrieval.encoder.bi_encoder import Embedder, Encoded
from retrieval.errors import VaultError
from retrieval.settings import Settings
from tests.conftest import RULES, write_vault
from tests.support.vaults.edited_vault import HAZARDS, QUESTIONS, TORCHES, committed, edit, git

ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str) -> Path:
    return committed(tmp_path, monkeypatch, database)


def run(*arguments: str) -> int:
    return impact.main(["--base", "HEAD", "--vault", "rules", "--dataset", "q.jsonl", *arguments])


def test_what_an_edit_broke_and_mended_is_named_with_its_lines(
    folder: Path,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edit(folder, TORCHES, "burns for one hour", "is carried in one hand")
    write_vault(folder / "rules", {
        "1. Light/Lanterns.md": "# Lanterns\n\nA lantern burns for four hours on a flask of oil.\n"
    })  # fmt: skip
    before = set(git(folder, "status", "--porcelain").splitlines())
    assert run("--out", "out/impact.md") == 0
    out = capsys.readouterr().out
    assert (folder / "out/impact.md").read_text("utf-8") == out
    assert "**1 broken, 1 fixed, 1 only different.**" in out
    broken, fixed, different = out.split("#### ")[1:]
    assert different.startswith("Only different")
    assert broken.startswith("Broken")
    assert "- `How long does a torch burn?` (`torch`, prose, **critical**)" in broken
    assert "lost at label; it is in `1. Light/Torches.md`" in broken
    assert "  - in other words: `rules/1. Light/Torches.md:1-5`\n" in broken
    assert broken.count("Torches.md:1-5`") == 1
    assert (
        "  - edited: `rules/1. Light/Torches.md:3` "
        "− `A torch burns for one hour. It lights 30’ around its bearer.` "
        "+ `A torch is carried in one hand. It lights 30’ around its bearer.`" in broken
    )
    assert "`lantern`" in fixed
    assert "  - now: `rules/1. Light/Lanterns.md:1-3`" in fixed
    assert "  - edited: `rules/1. Light/Lanterns.md:1-4` + `# Lanterns`" in fixed
    after = set(git(folder, "status", "--porcelain").splitlines())
    assert after - before == {"?? out/"}
    monkeypatch.setattr(two_processes, "WORTH", 2)
    assert run() == 0  # two processes report the same
    assert capsys.readouterr().out == out
    with open_context(settings) as context, context.store.connect() as conn:
        assert conn.execute("SELECT count(*) FROM generation").fetchone() == (0,)


def test_lines_that_only_moved_are_no_change(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(folder, HAZARDS, "## Drowning", "\n## Drowning")
    assert run() == 0
    assert "**0 broken, 0 fixed, 0 only different.**" in capsys.readouterr().out


def test_an_edit_of_aliases_is_one_of_the_vault(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "rules" / "aliases.yaml").write_text("lantern: torch\n", "utf-8")
    assert run() == 0
    assert "`rules`: 1 edits in 1 files since " in capsys.readouterr().out


def test_a_vault_without_edits_is_reported_without_an_index(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pipeline, "run_temporary", None)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    (folder / "summary.md").write_text("before\n", "utf-8")
    assert run() == 0
    assert "`rules` is what it is in" in capsys.readouterr().out
    assert (folder / "summary.md").read_text("utf-8").startswith("before\n### What this edit does")


def test_labels_are_those_of_their_time(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(folder, TORCHES, "burns for one hour", "burns for two hours")
    text = (folder / "q.jsonl").read_text("utf-8").replace("for one hour", "for two hours")
    (folder / "q.jsonl").write_text(text, "utf-8")  # the quote is mended with the rule
    assert run() == 0
    assert "**0 broken, 0 fixed, " in capsys.readouterr().out


def test_what_cannot_be_measured_is_status_2(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "new").mkdir()
    write_vault(folder / "new", RULES)
    assert impact.main(["--base", "nothing", "--vault", "rules", "--dataset", "q.jsonl"]) == 2
    assert impact.main(["--base=--help", "--vault", "rules", "--dataset", "q.jsonl"]) == 2
    assert impact.main(["--base", "HEAD", "--vault", "new", "--dataset", "q.jsonl"]) == 2
    assert impact.main(["--base", "HEAD", "--vault", "rules", "--dataset", "none.jsonl"]) == 2
    assert capsys.readouterr().err.count("evals.impact: nothing was measured: ") == 4


def test_the_state_of_a_commit_is_read_beside_the_work_tree(folder: Path) -> None:
    (folder / "rules" / TORCHES).unlink()
    with states.state_of("HEAD", folder / "rules") as (commit, copy):
        assert git(folder, "rev-parse", "HEAD").startswith(commit)
        assert (copy / TORCHES).read_text("utf-8") == RULES[TORCHES]
    assert not copy.exists()
    assert not (folder / "rules" / TORCHES).exists()
    with pytest.raises(VaultError, match="rev-parse"), states.state_of("v9", folder):
        pass


def test_a_text_that_stands_in_both_states_is_embedded_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[str] = []
    encode = Embedder.encode

    def noted(self: Embedder, texts: Sequence[str], *progress: Any, **options: Any) -> Encoded:
        embedded.extend(texts)
        return encode(self, texts, *progress, **options)

    monkeypatch.setattr(Embedder, "encode", noted)
    edit(folder, TORCHES, "burns for one hour", "is carried in one hand")
    assert run() == 0
    assert len(embedded) == len(set(embedded)) > len(QUESTIONS)
    assert any("burns for one hour" in text for text in embedded)
    assert any("carried in one hand" in text for text in embedded)


def test_a_report_is_the_same_whatever_is_indexed_already(
    folder: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(folder, TORCHES, "burns for one hour", "is carried in one hand")
    reports = []
    with open_context(settings) as context:
        for live in (None, "rules", RULES | {"4. Other.md": "# Other\n\nA torch is brown.\n"}):
            if isinstance(live, str):  # the state that CI has indexed before
                pipeline.run(context, folder / live)
            elif live:
                write_vault(folder / "other", live)
                pipeline.run(context, folder / "other", allow_mass_delete=True)
            assert run() == 0
            reports.append(capsys.readouterr().out)
    assert reports[1:] == reports[:1] * 2


def gate(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the script in `folder` with the inputs of action.yml and the files of a runner."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join(
            [str(folder), str(Path(sys.executable).parent), os.environ["PATH"]]
        ),
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "VAULT": "rules",
        "QUESTIONS": "q.jsonl",
        "MIN_RECALL": "0.5",
        "RESULTS": str(folder / "results"),
        **inputs,
    }
    command = ["bash", str(ROOT / ".github" / "action" / "gate.sh")]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_a_pull_request_that_breaks_an_answer_is_red_at_its_line(folder: Path) -> None:
    lines = (folder / "q.jsonl").read_text("utf-8").split("\n")
    known = [line for line in lines if '"lantern"' not in line]  # its file is not there: red
    (folder / "q.jsonl").write_text("\n".join(known), "utf-8")
    git(folder, "commit", "--quiet", "--all", "--message", "base")
    base = git(folder, "rev-parse", "HEAD").strip()
    edit(folder, TORCHES, "burns for one hour", "is carried in one hand")
    edit(folder, HAZARDS, "## Drowning", "A torch may burn whoever falls.\n\n## Drowning")
    git(folder, "commit", "--quiet", "--all", "--message", "an edit that loses a rule")
    done = gate(folder, BASE=base)
    assert done.returncode == 1, done.stderr
    mark = "::warning file=rules/1. Light/Torches.md,line=3,title=broken%3A torch::"
    assert f"{mark}How long does a torch burn? — was answered before this edit" in done.stdout
    assert done.stdout.count("::warning") == 1
    assert "::error file=" in done.stdout  # the gate's own mark
    written = dict(line.split("=", 1) for line in (folder / "output").read_text().splitlines())
    report = Path(written["impact"]).read_text("utf-8")
    assert report.startswith("### What this edit does to search")
    assert report.strip() in (folder / "summary.md").read_text("utf-8")
    assert (Path(written["report"]) / "junit.xml").is_file()


PROGRAM = """#!/bin/sh
echo "$*" >> called
case "$*" in ingest*) exit $INGEST ;; *impact*) exit $IMPACT ;; *) exit $GATE ;; esac
"""


@pytest.mark.parametrize(
    ("statuses", "base", "expected"),
    [
        ("000", "HEAD", 0),
        ("000", "", 0),
        ("100", "HEAD", 0),  # a rejected file: the gate says whether a question needs it
        ("001", "HEAD", 1),
        ("002", "", 2),
        ("020", "HEAD", 2),
        ("021", "HEAD", 2),
        ("200", "HEAD", 2),
        ("750", "HEAD", 2),
    ],
)
def test_the_status_is_the_gates_and_what_cannot_be_measured_is_no_pass(
    tmp_path: Path, statuses: str, base: str, expected: int
) -> None:
    program = tmp_path / "rules-oracle"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    names = ("INGEST", "IMPACT", "GATE")
    done = gate(tmp_path, BASE=base, **dict(zip(names, statuses, strict=True)))
    assert done.returncode == expected, done.stderr
    called = [line.split(" --")[0] for line in (tmp_path / "called").read_text().splitlines()]
    wanted = ["ingest", *(["evals impact"] if base else []), "evals retrieval"]
    assert called == (wanted if statuses[0] < "2" else ["ingest"])


def test_a_setting_that_is_missing_is_named(tmp_path: Path) -> None:
    done = gate(tmp_path, VAULT="")
    assert (done.returncode, "VAULT is not set" in done.stderr) == (2, True)
