"""By which names the server may be called, and from which pages it may be sent something."""

from http.client import HTTPConnection

import httpx2
import pytest

from api.http.hosts import refusal
from retrieval.settings import Settings

QUESTION = {"question": "How long does a torch burn?"}


def scope(method: str = "GET", server: str = "127.0.0.1", **headers: str) -> dict[str, object]:
    """A request as a server hands it on; `_` of a header's name is "-"."""
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "method": method,
        "path": "/ask",
        "server": (server, 8000),
        "headers": named,
    }


def status(made: dict[str, object], **values: object) -> int:
    found = refusal(made, Settings.model_validate(values))
    return found[0] if found else 200


@pytest.mark.proves("row 38")
@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost:8000", 200), ("127.0.0.1:8000", 200), ("LOCALHOST", 200), ("[::1]:8000", 200),
        ("evil.example", 400), ("evil.example:8000", 400), ("localhost.evil.example", 400),
        ("127.0.0.1.evil.example", 400), ("", 400), ("localhost/", 400), ("a@localhost", 400),
        ("localhost:x", 400), ("localhost#", 400), ("localhost?", 400), ("[::1", 400),
        ("foo]localhost", 400), ("localhost\\@evil.example", 400), ("localhost evil", 400),
        ("0.0.0.0:8000", 400), ("192.168.1.5:8000", 400),
    ],
)  # fmt: skip
def test_only_our_own_names_are_served(host: str, expected: int) -> None:
    assert status(scope(host=host)) == expected


def test_the_address_that_a_request_came_to_is_one_of_ours() -> None:
    assert status(scope(server="192.168.1.5", host="192.168.1.5:8000"), host="0.0.0.0") == 200
    assert status(scope(server="192.168.1.5", host="192.168.1.6:8000"), host="0.0.0.0") == 400
    assert status(scope(host="rules.lan"), host="rules.lan") == 200


@pytest.mark.parametrize(
    ("allowed", "host", "expected"),
    [
        ("rules.example.org", "rules.example.org", 200),
        ("rules.example.org", "Rules.Example.Org:8443", 200),
        ("rules.example.org", "example.org", 400),
        ("*.example.org", "a.b.example.org", 200),
        ("*.example.org", "example.org", 400),
        ("*.example.org", "evilexample.org", 400),
        ("a.example, b.example", "b.example", 200),
        ("a.example:8443", "a.example:8443", 200),
        ("a.example:8443", "a.example:80", 400),
        ("a.example", "localhost:8000", 200),
        ("*", "anything.example", 200),
    ],
)
def test_allowed_hosts_adds_names(allowed: str, host: str, expected: int) -> None:
    assert status(scope(host=host), allowed_hosts=allowed) == expected


@pytest.mark.proves("row 38")
@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 200),  # no browser
        ({"origin": "http://localhost:8000"}, 200),
        ({"origin": "http://localhost:3000"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:8000.evil.example"}, 403),
        ({"origin": "file://"}, 403),
        ({"origin": "http://["}, 403),
        ({"origin": "http://evil.example", "sec_fetch_site": "cross-site"}, 403),
        ({"origin": "http://localhost:8000", "sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"origin": "http://localhost:8000", "sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "none"}, 200),
    ],
)
def test_what_changes_or_costs_something_comes_from_our_own_pages(
    headers: dict[str, str], expected: int
) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert status(scope(method, host="localhost:8000", **headers)) == expected
    assert status(scope("GET", host="localhost:8000", **headers)) == 200  # a link may lead here


@pytest.mark.parametrize(
    ("mode", "site", "query", "expected"),
    [
        ("no-cors", "cross-site", "q=torch", 403),  # an image's address
        ("no-cors", "same-site", "q=torch", 403),
        ("navigate", "cross-site", "q=torch", 200),  # a link that somebody opens
        ("cors", "same-origin", "q=torch", 200),
        ("no-cors", "cross-site", "draft=torch", 200),
    ],
)
def test_no_foreign_page_asks_by_an_address_alone(
    mode: str, site: str, query: str, expected: int
) -> None:
    headers = {"sec_fetch_mode": mode, "sec_fetch_site": site, "host": "localhost:8000"}
    made = scope("GET", **headers) | {"path": "/", "query_string": query.encode()}
    assert status(made) == expected


def test_a_page_behind_a_proxy_with_tls_is_ours() -> None:
    values = {"allowed_hosts": "rules.example.org"}
    own = scope("POST", host="rules.example.org", origin="https://rules.example.org")
    inner = scope("POST", host="localhost:8000", origin="https://rules.example.org")
    foreign = scope("POST", host="rules.example.org", origin="https://evil.example")
    assert [status(one, **values) for one in (own, inner, foreign)] == [200, 200, 403]
    assert status(foreign, allowed_hosts="*") == 403


@pytest.mark.proves("row 38")
@pytest.mark.parametrize("path", ["/", "/vault/", "/readyz", "/metrics", "/openapi.json", "/x"])
def test_no_path_is_served_under_a_foreign_name(client: httpx2.Client, path: str) -> None:
    reply = client.get(path, headers={"Host": "evil.example"})
    told = reply.json()
    assert (reply.status_code, told["title"]) == (400, "HostError")
    assert "'evil.example'" in told["detail"]
    assert "ALLOWED_HOSTS" in told["detail"]
    assert told["request_id"] == reply.headers["x-request-id"]


@pytest.mark.parametrize("path", ["/ask", "/search", "/page/ask", "/v1/chat/completions", "/mcp"])
def test_no_page_of_elsewhere_can_ask(client: httpx2.Client, path: str) -> None:
    reply = client.post(path, json=QUESTION, headers={"Origin": "http://evil.example"})
    assert (reply.status_code, reply.json()["title"]) == (403, "OriginError")
    assert "'http://evil.example'" in reply.json()["detail"]


def test_programs_without_an_origin_go_on_working(client: httpx2.Client) -> None:
    assert client.post("/ask", json=QUESTION).status_code == 200


def test_two_hosts_or_half_of_one_are_refused(client: httpx2.Client) -> None:
    url = client.base_url
    for hosts in (["localhost", "evil.example"], ["evil.example", "localhost"]):
        connection = HTTPConnection(url.host, url.port or 80)
        connection.putrequest("GET", "/readyz", skip_host=True)
        for host in hosts:
            connection.putheader("Host", host)
        connection.endheaders()
        assert connection.getresponse().status == 400
        connection.close()
