"""`python -m api` as a process: how it ends."""

import signal

import pytest

from retrieval.settings import Settings
from tests.served import api_process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_by_way_of_what_is_to_be_closed(
    indexed: Settings, number: signal.Signals
) -> None:
    assert indexed.database_url
    environment = {
        "DATABASE_URL": indexed.database_url.get_secret_value(), "VAULT": str(indexed.vault),
    }  # fmt: skip
    with api_process(environment) as (_, process):
        process.send_signal(number)
        assert process.wait(timeout=30) == 0
