"""docker-compose.yml passes every setting on to the programs that read it."""

import re
from pathlib import Path

import pytest
import yaml

from retrieval.settings import names

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker-compose.yml"
# The database is a container of its own, so there is no folder of an embedded one; ingest makes the
# role that the API's DATABASE_URL names.
NOT_OF_THE_API = {"RAG_DATA_DIR", "API_DATABASE_URL"}


def test_every_setting_reaches_the_api_and_what_ingest_reads_reaches_it() -> None:
    services = yaml.safe_load(FILE.read_text("utf-8"))["services"]
    assert set(names()) - set(services["api"]["environment"]) == NOT_OF_THE_API
    read_by_ingest = {
        name for name in services["ingest"]["environment"] if name.startswith(("EMBEDDING", "RAG_"))
    }
    assert read_by_ingest == {"EMBEDDING_MODEL", "RAG_TOKEN_POOLING", "RAG_TOKEN_STORAGE_MB",
                              "RAG_LATE_INTERACTION"}  # fmt: skip


@pytest.mark.parametrize(
    ("service", "name", "variable"),
    [
        ("api", "API_KEYS", "API_KEYS"),
        ("db", "POSTGRES_PASSWORD", "POSTGRES_PASSWORD"),
        ("api", "DATABASE_URL", "API_DATABASE_PASSWORD"),
        ("ingest", "API_DATABASE_URL", "API_DATABASE_PASSWORD"),
        ("ingest", "DATABASE_URL", "POSTGRES_PASSWORD"),
    ],
)
def test_compose_starts_nothing_without_keys_and_a_password(
    service: str, name: str, variable: str
) -> None:
    given = yaml.safe_load(FILE.read_text("utf-8"))["services"][service]["environment"][name]
    # ":?" ends with an error, also where the variable is set and empty; "?" would pass that on.
    assert re.search(rf"\$\{{{variable}:\?[^}}]+\}}", given), given


def test_the_api_connects_by_the_role_that_ingest_makes_and_knows_no_other() -> None:
    services = yaml.safe_load(FILE.read_text("utf-8"))["services"]
    api = services["api"]["environment"]
    assert api["DATABASE_URL"] == services["ingest"]["environment"]["API_DATABASE_URL"]
    assert api["DATABASE_URL"].startswith("postgresql://rules_api:")
    assert services["db"]["environment"]["POSTGRES_USER"] != "rules_api"
    assert "POSTGRES_PASSWORD" not in str(api)


def test_neither_compose_file_insists_on_an_api_without_keys() -> None:
    replicas = (ROOT / "deploy/compose.replicas.yaml").read_text("utf-8")
    assert "API_KEYS" not in replicas  # it would take the place of what demands them
    assert "insecure" not in replicas + FILE.read_text("utf-8")


def test_the_variables_of_opentelemetry_that_the_runbook_names_reach_the_api() -> None:
    named = set(re.findall(r"OTEL_[A-Z_]+", (ROOT / "docs/operations.md").read_text("utf-8")))
    passed = yaml.safe_load(FILE.read_text("utf-8"))["services"]["api"]["environment"]
    assert len(named) > 4
    assert named - set(passed) == set()
