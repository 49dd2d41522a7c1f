"""The page in a real browser: a vault of its own, the API over it, and tabs that watch themselves.

A pytest plugin, so that the tests need not import the fixtures. A browser lives for one file of
tests: while it does, its event loop is the one of this thread.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

import pytest
from fastapi import FastAPI
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    expect,
    sync_playwright,
)
from pydantic import SecretStr

from api.llm.client import LanguageModel
from api.main import create_app
from api.state import AppState
from retrieval.context import SearchContext
from tests.conftest import write_vault
from tests.support.index.ingested import index_of
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.browser import Sink, chromium
from tests.support.servers.serving import serving

_WATCH = """
globalThis.violations = [];
addEventListener("securitypolicyviolation", (event) =>
  violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""
TORCHES = "1. Light/Torches.md"
FERRIES = "3. Travel/Ferries.md"  # one table: too long for a card, too wide for a phone
FERRY = "What does the crossing by the Ousel ferry cost?"
_RIVERS = ["Alder", "Birch", "Cedar", "Elder", "Fenny", "Gorse", "Hazel", "Linnet", "Ousel"]
ASKED = "How long does a torch burn?"
REFUSED = "What is the capital of Australia?"
NEAREST = "Can I throw a dagger at somebody far away?"
LINES = ["A torch burns for one hour.", "It lights 30’ around its bearer."]  # 8 and 9
FILES = {
    "README.md": "# Lamp & Ledger\n\nA small game of lights. It has few rules.\n",
    "questions.txt": "How long does a torch burn?\n\nWhat does a dagger cost?\nWho may dig?\n",
    TORCHES: (
        "---\ntitle: Torches\ntags: [light]\n---\n\n# Torches\n\n"
        "A torch burns for **one hour**.\nIt lights 30’ around its bearer.\n\n"
        "However, a torch goes out at once in water. See [weapons](../2.%20Arms/Weapons.md).\n\n"
        "## Lanterns\n\nA lantern burns for four hours on a flask of oil.\n"
    ),
    "1. Light/10. Candles.md": "# Candles\n\nA candle burns for two hours and lights 10’.\n",
    "2. Arms/Weapons.md": (
        "# Weapons\n\n| Weapon | Cost (gp) | Damage |\n|---|--:|---|\n"
        "| Battle axe | 7 | 1d8 |\n| Dagger | 3 | 1d4 |\n| Sword | 10 | 1d8 |\n"
    ),
    FERRIES: (
        "# Ferries\n\n"
        "| Ferry | Crossing (silver) | Passengers | Cattle | Wagons | Crew | Night fare |\n"
        "|---|--:|--:|--:|--:|--:|---|\n"
        + "".join(
            f"| {name} ferry | {n + 2} | {10 * n + 4} | {n} | {n + 1} | {n + 3} | as agreed |\n"
            for n, name in enumerate(_RIVERS)
        )
    ),
    "2. Arms/Hazards.md": (
        "# Hazards\n\n## Falling\n\nA fall deals 1d6 for each 10' fallen.\n\n"
        "## Drowning\n\nWhoever goes under holds breath for as many rounds as CON.\n"
    ),
    "9. Errata/Errata.md": (
        "---\nstatus: errata\nsupersedes: [2. Arms/Hazards.md]\n---\n\n# Errata\n\n## Falling\n\n"
        "A fall deals 1d6 for each 10' fallen, at most 20d6.\n"
    ),
}


@dataclass(slots=True)
class Desk:
    """The running API with and without a language model, and the vault that both answer from."""

    rules: SearchContext
    quotes: str  # the address of the API that quotes
    model: str  # of the one that asks `llm`
    llm: FakeLlm
    app: FastAPI  # the one that asks it


@dataclass(slots=True)
class Tab:
    """A page that keeps what went wrong in it: nothing may."""

    page: Page
    faults: list[str] = field(default_factory=list)

    def heard(self, said: ConsoleMessage) -> None:
        """Keep an error that the browser logs."""
        if said.type == "error":
            self.faults.append(said.text)

    @property
    def field(self) -> Locator:
        """Where a question is typed."""
        return self.page.get_by_role("textbox", name="Question")

    def ask(self, question: str, state: str = "") -> None:
        """Type a question and press Enter; then wait for a state of its answer."""
        self.field.fill(question)
        self.page.keyboard.press("Enter")
        if state:
            self.state(state)

    def open_source(self) -> Locator:
        """Open the first card's source; return the link that did."""
        link = self.answer.get_by_role("link", name="Show in file").first
        link.click()
        return link

    def is_answering(self, question: str) -> None:
        """Wait until the answer is to this question."""
        expect(self.answer.get_by_role("heading", level=2)).to_have_text(question)

    @property
    def answer(self) -> Locator:
        """The region that scripts find the answer by."""
        return self.page.get_by_role("region", name="Answer", exact=True)

    @property
    def source(self) -> Locator:
        """The region that stands beside it."""
        return self.page.get_by_role("complementary", name="Source", exact=True)

    def state(self, state: str) -> None:
        """Wait until the answer is in this state."""
        self.answer.and_(self.page.locator(f"[data-state={state}]")).wait_for()


New = Callable[..., Tab]  # what the fixture `tab` gives


@pytest.fixture(scope="session")
def running_desk(
    loaded: SearchContext, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    """The API over a small vault of its own, once with quotes and once with a language model."""
    vault = write_vault(tmp_path_factory.mktemp("page"), FILES)
    with index_of(loaded, server, vault) as rules, ExitStack() as stack:
        llm = FakeLlm()
        stack.callback(llm.shutdown)
        settings = rules.settings.model_copy(
            update={
                "openai_base_url": llm.url,
                "openai_model": "fake",
                "openai_api_key": SecretStr("sk"),
                "llm_timeout": 15.0,
            }
        )
        model = stack.enter_context(closing(LanguageModel(settings)))
        apps = [create_app(AppState(rules, asked)) for asked in (None, model)]
        quotes, asking = (
            str(stack.enter_context(serving(settings, app)).base_url).rstrip("/") for app in apps
        )
        yield Desk(rules, quotes, asking, llm, apps[1])


@pytest.fixture
def desk(running_desk: Desk) -> Iterator[Desk]:
    """The same; its language model answers each test as if it was never asked before."""
    running_desk.llm.forget()
    yield running_desk
    running_desk.llm.stopped.set()  # lets go of what hangs


@pytest.fixture(scope="module")
def sink() -> Iterator[Sink]:
    """Another site, which records what a browser asks it for."""
    opened = Sink()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for one file of tests; without one they are skipped, or fail."""
    program = chromium()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=program,
            args=["--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1"],
        )
        yield launched
        launched.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Callable[..., Tab]]:
    """Open a tab; options are those of a browser's context. In the end nothing went wrong in it.

    `faulty` lets a tab log errors, where a test takes the server away.
    """
    opened: list[tuple[BrowserContext, Tab, bool]] = []

    def new(address: str = "", *, faulty: bool = False, **options: object) -> Tab:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})  # type: ignore[arg-type]
        context.set_default_timeout(10_000)
        context.add_init_script(_WATCH)
        tab = Tab(context.new_page())
        tab.page.on("pageerror", lambda error: tab.faults.append(f"error {error}"))
        tab.page.on("dialog", lambda dialog: tab.faults.append(f"dialog {dialog.message}"))
        tab.page.on("console", lambda said: tab.heard(said))
        opened.append((context, tab, faulty))
        if address:
            tab.page.goto(address)
        return tab

    yield new
    for context, tab, faulty in opened:
        found = [] if faulty else tab.faults
        if context.browser and tab.page.url.startswith("http"):
            violations = tab.page.evaluate("globalThis.violations ?? []")
            found = [*found, *violations]
        context.close()
        assert found == []
