"""`evals.reply`: what a run's config.json says it was measured on."""

import hashlib
import json
from pathlib import Path

import pytest

from evals import reply
from evals.reports import results
from tests.conftest import RULES, write_vault

ASKED = {
    "id": "torch", "question": "How long does a torch burn?", "kind": "prose", "split": "gate",
    "gold": [{"path": "1. Light/Torches.md", "quote": "A torch burns for one hour."}],
}  # fmt: skip


def test_the_files_that_were_asked_and_their_vaults_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", database)
    vaults = {
        "one": write_vault(tmp_path / "one", RULES),
        "two": write_vault(
            tmp_path / "two", RULES | {"9. Other.md": "# Other\n\nA torch is brown."}
        ),
    }
    asked = tmp_path / "datasets" / "foreign"
    asked.mkdir(parents=True)
    for name in vaults:
        rows = [ASKED, ASKED | {"id": name, "question": f"How long does torch {name} burn?"}]
        (asked / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    monkeypatch.setattr(reply, "RULES", tmp_path / "datasets" / "rules.jsonl")
    monkeypatch.setattr(reply, "folder_named", vaults.get)
    assert reply.main(["foreign", "--results", str(tmp_path / "results")]) == 0
    (written,) = (tmp_path / "results").glob("*/config.json")
    config = json.loads(written.read_text("utf-8"))
    assert "dataset" not in config
    assert config["data"].keys() == vaults.keys()
    for name, of in config["data"].items():
        file = asked / f"{name}.jsonl"
        assert of["dataset"] == file.name
        assert of["dataset_digest"] == hashlib.sha256(file.read_bytes()).hexdigest()
    ones, others = config["data"]["one"], config["data"]["two"]
    assert (ones["vault_files"], others["vault_files"]) == (len(RULES), len(RULES) + 1)
    assert ones["vault_digest"] == results.vault_digest(RULES) != others["vault_digest"]
