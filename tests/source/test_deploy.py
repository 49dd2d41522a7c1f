"""What deploy/ says fits the program: settings, probes, metrics, versions; nothing runs as root."""

import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from api import VERSION
from api.observability.request_id import PROBES
from retrieval.settings import names

ROOT = Path(__file__).parents[2]
KUBERNETES = ROOT / "deploy" / "kubernetes"


def objects() -> dict[tuple[str, str], Any]:
    """The objects of all files that kustomization.yaml lists, by kind and name."""
    listed = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text("utf-8"))["resources"]
    files = {file.name for file in KUBERNETES.iterdir()}
    assert files == {*listed, "kustomization.yaml"}
    found = [one for n in listed for one in yaml.safe_load_all((KUBERNETES / n).read_text("utf-8"))]
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


def test_a_version_is_the_same_wherever_it_is_said() -> None:
    package = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    kustomization = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text("utf-8"))
    assert package["version"] == VERSION == kustomization["images"][0]["newTag"]
    assert f"\n## [{VERSION}] - " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_every_pod_has_no_rights_and_knows_only_settings_that_there_are() -> None:
    found = objects()
    for kind, name in (("Deployment", "rules-oracle"), ("Job", "rules-oracle-ingest")):
        pod = found[kind, name]["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {env["name"] for env in container["env"]} <= set(names())
        assert all(m.get("readOnly") or m["name"] == "tmp" for m in container["volumeMounts"])
    (made,) = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())["configMapGenerator"]
    assert {one.split("=")[0] for one in made["literals"]} <= set(names())


def test_balancing_scaling_and_policies_mean_the_pods_of_the_api() -> None:
    found = objects()
    api = found["Deployment", "rules-oracle"]["spec"]
    labels = api["template"]["metadata"]["labels"]
    budget = found["PodDisruptionBudget", "rules-oracle"]["spec"]
    scaler = found["HorizontalPodAutoscaler", "rules-oracle"]["spec"]
    policy = found["NetworkPolicy", "rules-oracle-api"]["spec"]
    assert found["Service", "rules-oracle"]["spec"]["selector"] == labels
    selectors = api["selector"], budget["selector"], policy["podSelector"]
    assert all(one == {"matchLabels": labels} for one in selectors)
    assert (scaler["scaleTargetRef"]["name"], scaler["minReplicas"]) == ("rules-oracle", 3)
    assert scaler["metrics"][0]["pods"]["metric"]["name"] == "rag_inflight"
    (container,) = api["template"]["spec"]["containers"]
    probes = [container[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "liveness")]
    assert [*probes, container["readinessProbe"]["httpGet"]["path"]] == [
        "/livez", "/livez", "/readyz"
    ]  # fmt: skip
    assert set(probes) < PROBES


@pytest.mark.parametrize("program", ["api", "ingest"])
def test_systemd_takes_the_unit_and_finds_it_hardened(program: str, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd-analyze (Debian: apt-get install systemd): the unit is not tried")
    folder = shutil.copytree(ROOT / "deploy" / "systemd", tmp_path / "units")
    unit = folder / "rules-oracle@.service"
    there = unit.read_text("utf-8").replace("/opt/rules-oracle/bin/python", "/bin/true")
    unit.write_text(there, "utf-8")
    for command in (
        ["verify", str(folder / f"rules-oracle@{program}.service")],
        ["security", "--offline=true", "--threshold=20", str(unit)],  # tenths; 96 without all that
    ):
        done = subprocess.run([analyze, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "rules-oracle" not in done.stderr  # warnings name the unit, and are no error
