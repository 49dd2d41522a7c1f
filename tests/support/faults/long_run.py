"""The readers of a long run and what they saw: each reply says which version it is of."""

import re
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import httpx2

from tests.support.faults import editions
from tests.support.servers.with_keys import bearer

TOPICS = ("torch", "lantern", "rope", "axe", "dagger", "mace")
READERS = 3
PAUSE = 0.2  # seconds of a reader between two questions
COST = re.compile(r"\b1\d{3}\b")  # version 7 costs 1007; nothing else has such a number
INVENTED = "9999"  # what the model says and no file does


@dataclass(frozen=True, slots=True)
class Seen:
    """A reply; `costs` are those of all its lines."""

    began: float  # monotonic seconds, as is `ended`
    ended: float
    status: int  # 0: the connection broke
    title: str  # of an error
    generation: str
    costs: frozenset[int]
    is_invented: bool
    is_corrected: bool  # the guard found the model's lie


@dataclass
class Run:
    """What the readers and the one who disturbs them share."""

    client: httpx2.Client
    pid: int
    keys: Path
    token: str
    version: int = 0
    seen: list[Seen] = field(default_factory=list)
    rated: list[str] = field(default_factory=list)  # ids of answers whose rating was taken
    cost_of: dict[str, int] = field(default_factory=dict)  # by generation
    returned: list[float] = field(default_factory=list)  # when each ingest was over
    outages: list[tuple[float, float]] = field(default_factory=list)
    memory: list[tuple[int, float]] = field(default_factory=list)  # questions so far, MB
    done: Event = field(default_factory=Event)

    def turns(self) -> None:
        """Wait until each reader has ended a question that it began after this call."""
        began, many = time.monotonic(), len(self.seen)
        while sum(one.began > began for one in self.seen[many:]) < 2 * READERS:
            assert time.monotonic() < began + 120, "the readers hang"
            time.sleep(0.05)


def write(vault: Path, version: int) -> None:
    """Two files of made-up wares, each of which says which version it is of."""
    editions.write(vault, version, TOPICS, f"costs {1000 + version} gold coins at the market")


def read(run: Run, number: int) -> None:
    """Ask until the end, and rate each tenth answer."""
    for turn in count(number):
        if run.done.wait(PAUSE):
            return
        topic, headers, began = TOPICS[turn % 6], bearer(run.token), time.monotonic()
        try:
            asked = {"question": f"What does a {topic} cost at the market?"}
            reply = run.client.post("/ask", json=asked, headers=headers)
        except httpx2.HTTPError as error:
            name = type(error).__name__
            seen = Seen(began, time.monotonic(), 0, name, "", frozenset(), False, False)
        else:
            seen = looked_at(began, reply.status_code, reply.json())
            if turn % 10 == 0 and seen.status == 200:
                rate(run, reply.json()["request_id"], headers)
        run.seen.append(seen)


def looked_at(began: float, status: int, said: dict[str, Any]) -> Seen:
    """Return a reply as it is judged."""
    texts = [said.get("answer", ""), *(card["text"] for card in said.get("passages", ()))]
    texts += [source["quote"] for source in said.get("citations", ())]
    costs = frozenset(int(cost) for text in texts for cost in COST.findall(text))
    title, generation = str(said.get("title", "")), str(said.get("generation", ""))
    invented = any(INVENTED in text for text in texts)
    corrected = bool(said.get("guard", {}).get("findings"))
    return Seen(began, time.monotonic(), status, title, generation, costs, invented, corrected)


def rate(run: Run, request_id: str, headers: dict[str, str]) -> None:
    """Rate an answer; what is answered 204 must be in the database in the end."""
    rating = {"request_id": request_id, "rating": "up"}
    if run.client.post("/feedback", json=rating, headers=headers).status_code == 204:
        run.rated.append(request_id)


def during(one: Seen, outages: list[tuple[float, float]]) -> bool:
    """Whether it is the 503 of a database that was being restarted."""
    told = (one.status, one.title) == (503, "DatabaseUnreachableError")
    return told and any(one.ended > began and one.began < ended for began, ended in outages)
