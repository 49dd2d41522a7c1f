"""Requests made from the API's own description, by key and without: no reply contradicts it."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from retrieval.context import SearchContext
from tests.support.servers.with_keys import WORDS, bearer, guarded
from tests.support.source.promises_table import Runs

SCOPES = {"/feedback": "feedback", "/metrics": "metrics", "/status": "admin"}  # of others: ask
EXAMPLES = 12  # of each operation, half of them wrong
ONCE = settings(
    max_examples=EXAMPLES, derandomize=True, database=None, deadline=None,
    phases=[Phase.generate], suppress_health_check=list(HealthCheck),
)  # fmt: skip


@pytest.mark.proves("row 27", "promise 8")
def test_no_reply_contradicts_the_description_and_without_a_key_nothing_of_the_vault_shows(
    loaded: SearchContext,
    server: str,
    tmp_path_factory: pytest.TempPathFactory,
    runs: Runs,
) -> None:
    with guarded(loaded, server, tmp_path_factory.mktemp("schema")) as api:
        described = schemathesis.openapi.from_url(f"{api.client.base_url}/openapi.json")

        def call(case: Case[Any]) -> None:
            assume(len(str(case.query)) < 5_000)  # a longer address is cut off with its connection
            scope = SCOPES.get(case.operation.path, "ask")
            for headers in ({}, bearer(api.tokens[scope])):
                reply = case.call(headers=headers)
                case.validate_response(
                    reply,
                    excluded_checks=[
                        positive_data_acceptance,  # blanks fit the description, and are a 422
                        negative_data_rejection,  # pages overlook a field of their address
                    ],
                )
                if not headers:
                    assert not [word for word in WORDS if word in reply.text.lower()], reply.text
                runs(1)

        found = list(described.get_all_operations())
        operations = [one.ok() for one in found if isinstance(one, Ok)]
        assert len(operations) == len(found) > 10
        for operation in operations:
            right, wrong = (
                operation.as_strategy(generation_mode=mode)
                for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
            )  # without parameters nothing is wrong
            ONCE(given(case=right | wrong)(call))()
