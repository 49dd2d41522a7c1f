"""What GET /metrics shows, read by Prometheus's own parser."""

import httpx2
from prometheus_client.parser import text_string_to_metric_families


def shown(client: httpx2.Client) -> str:
    """Return the text of /metrics, after a look at its form."""
    reply = client.get("/metrics")
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return reply.text


def series(client: httpx2.Client, name: str, *labels: str) -> dict[tuple[str, ...], float]:
    """Return the samples of that name by the values of `labels`, which are all that there are."""
    found = {}
    for family in text_string_to_metric_families(shown(client)):
        for sample in family.samples:
            if sample.name == name:
                assert set(sample.labels) == set(labels)
                found[tuple(sample.labels[label] for label in labels)] = sample.value
    return found


def counts(client: httpx2.Client, name: str, *labels: str) -> dict[tuple[str, ...], float]:
    """Return what of a name is not 0."""
    found = series(client, name, *labels)
    assert found, f"there is no {name}"
    return {values: value for values, value in found.items() if value}
