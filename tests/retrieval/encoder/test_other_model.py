"""An index and a process that have different models, and models that make no vector of a text."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx2
import pytest

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.errors import ModelUnavailableError
from retrieval.models import Vectors
from retrieval.refusal import topic_scores
from retrieval.search import search
from retrieval.settings import Settings
from tests.conftest import RULES, write_vault
from tests.support.index.index_state import content, found, revision
from tests.support.servers.serving import serving

QUESTION = {"question": "How long does a torch burn?"}
TORCHES = "1. Light/Torches.md"


class Asker(threading.Thread):
    """Asks all the time and keeps what the replies said."""

    def __init__(self, client: httpx2.Client) -> None:
        super().__init__()
        self._client = client
        self._enough = threading.Event()
        self.answered = threading.Event()  # once: the first reply takes longer than the ingest
        self.replies: list[httpx2.Response] = []

    def run(self) -> None:
        while not self._enough.wait(0.05):  # which leaves the ingest a part of the machine
            self.replies.append(self._client.post("/ask", json=QUESTION))
            self.answered.set()

    def finish(self) -> list[httpx2.Response]:
        self._enough.set()
        self.join()
        return self.replies


@pytest.mark.proves("row 15", "promise 7")
def test_an_upgrade_of_the_model_is_seen_at_the_swap_and_not_before(
    search_context: SearchContext,
    settings: Settings,
    vault: Path,
    open_rules: Callable[[Settings], SearchContext],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    every = topic_scores.lines  # another model embeds them all, and here nothing hangs on them
    monkeypatch.setattr(topic_scores, "_known", {})
    monkeypatch.setattr(topic_scores, "lines", lambda name: every(name)[:50])
    other = settings.model_copy(update={"embedding_model": "bundled-base", "rag_threshold": -9.0})
    with serving(settings.model_copy(update={"rag_threshold": -9.0})) as old, serving(other) as new:
        early = new.get("/readyz")
        assert (early.status_code, early.headers["Retry-After"]) == (503, "5")
        assert early.json()["title"] == "IndexMismatchError"
        assert "run: python -m ingest" in early.json()["detail"]
        before = revision(search_context)
        asker = Asker(old)
        asker.start()
        assert asker.answered.wait(60)
        report = pipeline.run(open_rules(other), vault)
        late = old.post("/ask", json=QUESTION)
        replies = asker.finish()
        assert report.embedded > 0  # no vector of another model was taken over
        assert new.get("/readyz").status_code == 200
        assert new.post("/ask", json=QUESTION).json()["citations"][0]["path"] == TORCHES
        assert late.status_code == 503
        assert "python -m ingest" in old.get("/readyz").json()["detail"]
    statuses = [reply.status_code for reply in replies]
    assert statuses == sorted(statuses)  # 200 up to the swap, 503 after it
    answered = [reply.json() for reply in replies if reply.status_code == 200]
    assert {reply["generation"] for reply in answered} == {before}
    assert {reply["citations"][0]["path"] for reply in answered} == {TORCHES}


Spoil = Callable[[str, float, float], None]


@pytest.fixture
def spoil(empty: SearchContext, monkeypatch: pytest.MonkeyPatch) -> Spoil:
    """Let the model itself make other vectors, x * factor + more, of texts with these words."""
    empty.warm()
    model = empty.embedder._model

    def spoil(words: str, factor: float, more: float) -> None:
        def spoilt(texts: Sequence[str]) -> list[tuple[Vectors, Vectors]]:
            made = model(texts)
            for text, arrays in zip(texts, made, strict=True):
                for values in arrays if words in text else ():
                    values[...] = values * factor + more
            return made

        monkeypatch.setattr(empty.embedder, "_model", spoilt)

    return spoil


@pytest.mark.proves("row 15", "promise 6")
@pytest.mark.parametrize("kind", ["NaN", "infinite", "zero"])
def test_a_text_that_the_model_makes_nothing_of_is_named_and_nothing_else_is_lost(
    empty: SearchContext, vault: Path, spoil: Spoil, kind: str
) -> None:
    more = {"NaN": float("nan"), "infinite": float("inf"), "zero": 0.0}[kind]
    spoil("goes out at once", 0.0, more)
    report = pipeline.run(empty, vault)
    (rejected,) = report.rejected
    assert rejected.path == TORCHES
    assert "line 5: the encoder gives no direction" in rejected.reason
    assert "goes out at once" in rejected.reason
    assert report.files == len(RULES) - 1
    assert found(empty, "What does a battle axe cost?")[0] == "2. Arms/Weapons.md"
    spoil("", 1.0, 0.0)  # a better model
    report = pipeline.run(empty, vault)
    assert (report.plan.added, report.rejected) == ((TORCHES,), ())
    assert found(empty, "How long does a torch burn?")[0] == TORCHES


@pytest.mark.proves("row 15")
def test_an_edit_that_the_model_makes_nothing_of_leaves_the_old_text_and_the_other_edits(
    empty: SearchContext, vault: Path, spoil: Spoil
) -> None:
    pipeline.run(empty, vault)
    spoil("burns red", 0.0, 0.0)
    write_vault(vault, {TORCHES: RULES[TORCHES].replace("burns", "burns red")})
    write_vault(vault, {"Rope.md": "# Rope\n\nA rope holds 3 people.\n\nIt costs 1 gp.\n"})
    report = pipeline.run(empty, vault)
    assert [error.path for error in report.rejected] == [TORCHES]
    texts = [row[4] for row in content(empty)]
    assert any("torch burns for" in str(text) for text in texts)
    assert not any("burns red" in str(text) for text in texts)
    assert found(empty, "How many people does a rope hold?")[0] == "Rope.md"


@pytest.mark.proves("row 15")
def test_a_model_that_makes_nothing_of_most_texts_changes_nothing(
    empty: SearchContext, vault: Path, spoil: Spoil
) -> None:
    pipeline.run(empty, vault)
    before = (revision(empty), content(empty))
    spoil("", 0.0, float("nan"))
    write_vault(vault, {"Rope.md": "# Rope\n\nA rope holds 3 people.\n"})
    with pytest.raises(ModelUnavailableError, match=r"Rope.md: line 3: .* nothing was written"):
        pipeline.run(empty, vault)
    with pytest.raises(ModelUnavailableError, match=r"no direction .* 'How long"):
        search(empty, "How long does a torch burn?")
    assert (revision(empty), content(empty)) == before


@pytest.mark.proves("row 15")
def test_vectors_of_another_length_are_stored_at_length_one(
    empty: SearchContext, vault: Path, spoil: Spoil
) -> None:
    spoil("", 7.0, 0.0)
    pipeline.run(empty, vault)
    with empty.store.connect(autocommit=True) as conn:
        rows = conn.execute("SELECT vector_norm(embedding) FROM entry").fetchall()
    assert [norm for (norm,) in rows] == pytest.approx([1.0] * 9)
