"""The edits of evals.stale: what a writer does to a file, and what an answer must say after it."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import DatasetError

HANDBOOK = Path(__file__).parents[1] / "vaults" / "handbook"


@dataclass(frozen=True, slots=True)
class Place:
    """Words of a rule that stand once in a vault, and the file that they stand in."""

    path: str
    words: str


@dataclass(frozen=True, slots=True)
class Check:
    """A question with the place of its answer before and after an edit; None: it has none."""

    question: str
    old: Place | None
    new: Place | None

    @property
    def reversed(self) -> "Check":
        """The same for an edit that is taken back."""
        return Check(self.question, self.new, self.old)


@dataclass(frozen=True, slots=True)
class Case:
    """One edit of a vault, and what it changes."""

    name: str
    edit: Callable[[Path], None]
    checks: tuple[Check, ...]
    is_revert: bool = False


def cases() -> list[Case]:
    """Return the edits in their order: each is made on top of those before, the last undoes all."""
    single = [
        _words("number in prose", "people/remote-work.md",
               "How much does the company pay once for desk, chair and screen?",
               "We pay 600 euros once", "We pay 750 euros once"),
        _words("row of a table", "security/incident-reporting.md",
               "Within what time must a weakness found in our product be reported?",
               "Weakness found in our product | 24 hours",
               "Weakness found in our product | 36 hours"),
        _words("item of a list", "security/devices.md",
               "After how many years is a laptop replaced?",
               "A laptop is replaced after 4 years", "A laptop is replaced after 6 years"),
        _deleted(),
        _renamed(),
        _added(),
        _moved(),
    ]  # fmt: skip
    back = tuple(check.reversed for case in single for check in case.checks)
    return [*single, Case("all taken back", _restore, back, is_revert=True)]


def verify(case: Case, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Raise DatasetError where a case's words do not stand as it says; texts by path."""
    for check in case.checks:
        for place, here, other in ((check.old, before, after), (check.new, after, before)):
            if place is None:
                continue
            found = [path for path, text in here.items() for _ in range(text.count(place.words))]
            if found != [place.path]:
                raise DatasetError(
                    f"{case.name}: {place.words!r} stands in {found}, not once in {place.path!r}; "
                    "correct evals/staleness/cases.py"
                )
            if place.words in other.get(place.path, ""):
                raise DatasetError(f"{case.name}: {place.words!r} was not changed by the edit")


def _words(name: str, path: str, question: str, old: str, new: str) -> Case:
    def edit(vault: Path) -> None:
        file = vault / path
        file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")

    return Case(name, edit, (Check(question, Place(path, old), Place(path, new)),))


def _deleted() -> Case:
    place = Place("billing/refunds.md", "Refundable within 14 days of the charge")
    question = "Within how many days is the charge of a monthly plan refundable?"
    return Case("deleted file", lambda vault: (vault / place.path).unlink(),
                (Check(question, place, None),))  # fmt: skip


def _renamed() -> Case:
    old, new = "billing/trials.md", "billing/trying-it-out.md"
    words = "can try the Team plan for 14 days without a card"
    check = Check("For how many days can a new workspace try the Team plan without a card?",
                  Place(old, words), Place(new, words))  # fmt: skip

    def edit(vault: Path) -> None:
        (vault / old).rename(vault / new)

    return Case("renamed file", edit, (check,))


def _added() -> Case:
    place = Place("people/pets.md", "A dog may come to the office on Fridays")
    text = f"# Pets\n\n## Dogs\n\n{place.words}, if nobody on the floor is allergic to dogs.\n"
    check = Check("On which day may a dog come to the office?", None, place)

    def edit(vault: Path) -> None:
        (vault / place.path).write_text(text, "utf-8")

    return Case("added file", edit, (check,))


def _moved() -> Case:
    source, target = "support/on-call.md", "support/severity-levels.md"
    begin, end = "## Noise\n", "## Opting out\n"
    words = "An alert that fired 5 times in 30 days"
    check = Check("When must an alert that fired without need for action be repaired?",
                  Place(source, words), Place(target, words))  # fmt: skip

    def edit(vault: Path) -> None:
        text = (vault / source).read_text("utf-8")
        before, _, rest = text.partition(begin)
        section, _, after = rest.partition(end)
        (vault / source).write_text(before + end + after, "utf-8")
        with (vault / target).open("a", encoding="utf-8") as file:
            file.write(f"\n{begin}{section.rstrip()}\n")

    return Case("section moved to another file", edit, (check,))


def _restore(vault: Path) -> None:
    shutil.rmtree(vault)
    shutil.copytree(HANDBOOK, vault)
