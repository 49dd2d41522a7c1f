"""docs/tutorial.md, steps 2 to 7: its files, its commands and what it says that they show."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from evals.answers.running_apis import free_port
from tests.support.index.embedded import clean, open_folder
from tests.support.source.documented import DOCUMENTS, blocks, dialogue, saved_as

DOCUMENT = "tutorial.md"
FILES = ("my-rules/boats.md", "my-rules/keys.md", ".env")
DIALOGUE = dialogue(DOCUMENT)
TEXT = (DOCUMENTS / DOCUMENT).read_text("utf-8")
EDITS = re.findall(r'^(Change (?:"|the rule to).*?)(?:\.|,)', TEXT, re.MULTILINE)
(LIVE_AGAIN,) = (block for block in blocks(DOCUMENT, "") if "built and measured and is" in block)
# Of eight drafts two are rejected, and the last but one is put into words of the reader's own.
KEYS = ["a", "r", "a", "a", "a", "r", "e", "I lost my key, what now?", "a"]


@dataclass
class Reader:
    """Somebody who does what the tutorial says, in a folder of their own."""

    folder: Path
    environment: Mapping[str, str]
    seconds: float = 0.0
    done: list[str] = field(default_factory=list)

    def types(self, command: str, status: int = 0, keys: str = "") -> str:
        """What a command shows, the errors too, once it has ended as it should."""
        began = time.monotonic()
        ended = subprocess.run(
            command, shell=True, cwd=self.folder, env=self.environment, input=keys, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
        )  # fmt: skip
        self.seconds += time.monotonic() - began
        self.done.append(command)
        assert ended.returncode == status, f"{command}: {ended.stdout}"
        return ended.stdout

    def follows(self, step: tuple[str, str], status: int = 0, keys: str = "") -> None:
        """Type a command of the tutorial; it must show what stands there."""
        command, shown = step
        said = self.types(command, status, keys)
        assert re.search(_pattern(shown), said, re.DOTALL), f"{shown}\nis not in\n{said}"

    def changes(self, name: str, before: str, after: str) -> None:
        file = self.folder / name
        text = file.read_text("utf-8")
        assert before in text
        file.write_text(text.replace(before, after), "utf-8")


def _pattern(shown: str) -> str:
    """The lines in their order; an ellipsis is anything, seconds are any, typed keys are unseen."""
    shown = re.sub(r"(?m)^(accept, .*quit\?|question:) .*$", r"\1", shown)
    lines = [re.escape(line) for line in shown.splitlines() if line not in ("", "…")]
    lines = [re.sub(r"\d+\\\.\d\\ s$", r"\\d+\\.\\d s", line.replace("…", ".*?")) for line in lines]
    return ".*?".join(lines)


@pytest.fixture
def reader() -> Iterator[Reader]:
    root = DOCUMENTS.parent
    with open_folder() as folder:
        for name in FILES:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(saved_as(DOCUMENT, name), "utf-8")
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        own = {"PYTHONPATH": str(root), "PATH": programs, "PORT": str(free_port())}
        yield Reader(folder, os.environ | own)
        clean(folder / ".data-mine")


@contextmanager
def serving(reader: Reader, command: str) -> Iterator[None]:
    """The documented server, from when it is ready."""
    with subprocess.Popen(
        ["/bin/sh", "-c", f"exec {command}"], cwd=reader.folder, env=reader.environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        try:
            reader.seconds += _seconds_until_ready(reader.environment["PORT"])
            yield
        finally:
            server.terminate()


def _seconds_until_ready(port: str) -> float:
    began = time.monotonic()
    while time.monotonic() < began + 120:
        try:
            if httpx2.get(f"http://127.0.0.1:{port}/readyz").status_code == 200:
                return time.monotonic() - began
        except httpx2.TransportError:
            pass
        time.sleep(0.1)
    raise TimeoutError("the API is not ready after 120 s")


def test_the_tutorial_goes_from_an_empty_folder_to_a_red_gate_and_back(reader: Reader) -> None:
    ingest, draft, review, measure, baseline, compare, serve, ask, refused, gate = DIALOGUE
    reader.follows(ingest)
    reader.follows(draft)
    reader.follows(review, keys="\n".join([*KEYS, ""]))
    reader.follows(measure)
    reader.follows(baseline)
    reader.follows(compare)
    (good, bad), (other,) = (re.findall(r'"(.*?)"', edit) for edit in EDITS)
    (status,) = re.findall(r"The exit status is (\d)\.", TEXT)
    with serving(reader, serve[0]):
        reader.follows(ask)
        reader.follows(refused)
        reader.changes("my-rules/keys.md", good, bad)
        reader.follows(gate, int(status))
        stale = reader.types(ask[0])
        assert good in stale
        assert "file changed since it was indexed" in stale
        reader.changes("my-rules/keys.md", bad, other)
        reader.changes("my-questions.jsonl", good, other)
        reader.follows((gate[0], LIVE_AGAIN))
        assert other in reader.types(ask[0])
    print(f"\nsteps 3 to 7 of the tutorial: {reader.seconds:.0f} s, {len(reader.done)} commands")
