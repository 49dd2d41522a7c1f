"""The dashboard and the alerts of deploy/monitoring read metrics that GET /metrics shows."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import httpx2
import pytest
import yaml

from tests.support.servers.scraped import shown

FOLDER = Path(__file__).parents[2] / "deploy" / "monitoring"
TYPE = re.compile(r"^# TYPE (\S+) (\S+)$", re.MULTILINE)
READ = re.compile(r"\b(?:rag|http)_[a-z_]+")


def test_what_is_drawn_and_alerted_on_is_shown(client: httpx2.Client) -> None:
    names: set[str] = set()
    for name, kind in TYPE.findall(shown(client)):
        parts = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
        names |= {name + part for part in parts}
    panels = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))["panels"]
    drawn = [target["expr"] for panel in panels for target in panel["targets"]]
    (group,) = yaml.safe_load((FOLDER / "alerts.yaml").read_text("utf-8"))["groups"]
    alerted = [rule["expr"] for rule in group["rules"]]
    assert len(drawn) >= len(panels) == 15
    for expression in (*drawn, *alerted):
        read = set(READ.findall(expression))
        assert read or "up{" in expression
        assert read <= names, expression
    # Each of the counts of questions is drawn somewhere.
    everything = " ".join(drawn)
    assert {n for n in names if n.endswith("_total")} - set(READ.findall(everything)) == {
        "rag_guard_readers_total"
    }


def test_prometheus_takes_the_rules_and_each_fires_when_it_should(tmp_path: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("no promtool (Debian: apt-get install prometheus): the alerts are not tried")
    drawn = [
        {"record": "drawn", "expr": target["expr"].replace("$__rate_interval", "5m")}
        for panel in json.loads((FOLDER / "dashboard.json").read_text("utf-8"))["panels"]
        for target in panel["targets"]
    ]
    dashboard = tmp_path / "dashboard.yaml"
    dashboard.write_text(json.dumps({"groups": [{"name": "drawn", "rules": drawn}]}), "utf-8")
    for command in (
        ["check", "rules", "--lint=none", str(FOLDER / "alerts.yaml"), str(dashboard)],
        ["test", "rules", str(FOLDER / "alerts_test.yaml")],
    ):
        done = subprocess.run([promtool, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
