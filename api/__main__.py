"""Serve the API: python -m api (HOST, PORT, API_KEYS, LOG_LEVEL; see .env.example)."""

import argparse
import gc
import logging
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EADDRINUSE
from functools import partial
from ipaddress import ip_address
from socket import (
    AF_INET,
    AF_INET6,
    IPPROTO_IPV6,
    IPPROTO_TCP,
    IPV6_V6ONLY,
    SO_REUSEADDR,
    SOCK_STREAM,
    SOL_SOCKET,
    TCP_NODELAY,
    gaierror,
    getaddrinfo,
    socket,
)
from types import FrameType
from typing import cast

import uvicorn
from fastapi import FastAPI

from api.admission import connection_limits
from api.admission.accepting import Acceptor
from api.admission.connection_limits import LimitedProtocol
from api.main import create_app
from api.observability import logs, traces
from api.state import open_app_state
from retrieval.errors import ConfigurationError, RulesError
from retrieval.settings import Settings, load

log = logging.getLogger("api")

# A search lets go of the interpreter some hundred times, and gets it back when whoever took it has
# had its interval: beside a page that is being made, 5 ms (Python's own) made seconds of 60 ms.
_SWITCH_SECONDS = 0.0002
_BACKLOG = 2048  # connections that wait in the kernel


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C or SIGTERM and return the exit status: 0, or 2 where it cannot begin."""
    parser = argparse.ArgumentParser(prog="python -m api", description=__doc__)
    parser.add_argument(
        "--insecure", action="store_true", help="let other machines ask without a key"
    )
    insecure = parser.parse_args(argv).insecure
    sys.setswitchinterval(_SWITCH_SECONDS)
    signal.signal(signal.SIGTERM, _end)  # uvicorn raises it again when its answers have ended
    try:
        settings = load()
        logs.configure(settings.log_level, settings.log_format)
        traces.configure()
        if settings.api_keys is None:
            _check_loopback(settings.host, insecure=insecure)
        # Where it cannot be bound is said before models are loaded. It listens behind that: whoever
        # asks meanwhile whether the API is up is refused.
        with _bound(settings) as bound, open_app_state(settings) as opened:
            with _explained(settings):
                bound.listen(_BACKLOG)
            server = _Server(_config(create_app(opened), settings))
            # What is loaded stays: each time it was looked through, all threads stood for 0.2 s.
            gc.collect()
            gc.freeze()
            with suppress(KeyboardInterrupt):  # uvicorn raises it again when its answers have ended
                server.run(sockets=[bound])
            return 0 if server.started else 2
    except RulesError as error:
        print(f"api: {error}", file=sys.stderr)
        return 2
    return 0


class _Server(uvicorn.Server):
    """Accepts connections itself, and says where it is as the last line of its start."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._acceptors: list[Acceptor] = []

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        http = cast("type[LimitedProtocol]", self.config.http_protocol_class)  # of _config
        make = partial(
            http, config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        for one in sockets or ():
            acceptor = Acceptor(one, make, http.open_connections)
            acceptor.start()
            self._acceptors.append(acceptor)
        if self.started:
            print(f"rules-oracle: http://{self.config.host}:{self.config.port}", flush=True)

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        for one in self._acceptors:
            one.stop()
        await super().shutdown(sockets=sockets)


def _config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=connection_limits.protocol(),
        log_config=None,
        access_log=False,
        backlog=_BACKLOG,
        timeout_keep_alive=connection_limits.IDLE_SECONDS,
        timeout_graceful_shutdown=10,
        forwarded_allow_ips=settings.forwarded_allow_ips,
    )


def _check_loopback(host: str, *, insecure: bool) -> None:
    """Raise ConfigurationError where other machines could reach `host`; `insecure`: warn of it."""
    try:
        found = {str(one[4][0]) for one in getaddrinfo(host, None)}
    except gaierror:
        return  # binding to it says what is wrong
    if all(ip_address(one).is_loopback for one in found):
        return
    if not insecure:
        raise ConfigurationError(
            f"HOST {host} lets other machines in, and whoever reaches it could read all rules: set "
            "API_KEYS (python -m api.keys --file keys.jsonl add NAME --scope ask,feedback), or "
            "HOST=127.0.0.1; --insecure serves everybody without a key"
        )
    log.warning("--insecure: whoever reaches %s may ask and read all rules without a key", host)


def _bound(settings: Settings) -> socket:
    """Return a socket that is bound where the settings say, and takes no connections.

    Raises ConfigurationError where none can.
    """
    family = AF_INET6 if ":" in settings.host else AF_INET
    with _explained(settings), ExitStack() as stack:
        bound = stack.enter_context(socket(family, SOCK_STREAM))
        bound.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        if family == AF_INET6:
            bound.setsockopt(IPPROTO_IPV6, IPV6_V6ONLY, 1)
        # Of all that it accepts: a reply is two writes, of which the second would wait 40 ms for
        # the first's receipt. asyncio does so for sockets that say they are TCP.
        bound.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        bound.bind((settings.host, settings.port))
        stack.pop_all()
    return bound


@contextmanager
def _explained(settings: Settings) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        advice = "set HOST to an address of this machine"
        if error.errno == EADDRINUSE:
            advice = "another process may serve there: end it, or set another PORT"
        place = f"HOST {settings.host}, PORT {settings.port}"
        raise ConfigurationError(f"{place}: {error.strerror}; {advice}") from error


def _end(number: int, frame: FrameType | None) -> None:
    """Leave by way of what is to be closed, the embedded database among it."""
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main())
