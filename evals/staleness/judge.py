"""Judge the replies around one edit: each must be all of the old state or all of the new one."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evals.staleness.cases import Case, Check, Place

State = Literal["old", "new", "both", "neither", "error"]
Phase = Literal["before", "during", "after"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of an API. Times are seconds of one clock; `generation` is "" in an error."""

    api: int  # from 1
    question: str
    began: float
    ended: float
    generation: str
    state: State
    detail: str  # of an error


@dataclass(frozen=True, slots=True)
class Judged:
    """The replies of one case. The ingest of its edit ran from `edited` to `ingested`."""

    case: Case
    edited: float
    ingested: float
    replies: tuple[Reply, ...]

    def phase(self, reply: Reply) -> Phase:
        """Say where a reply stands: one that overlaps the ingest is "during"."""
        if reply.ended <= self.edited:
            return "before"
        return "after" if reply.began >= self.ingested else "during"

    def count(self, phase: Phase) -> Counter[State]:
        """Count the replies of a phase by what they show."""
        return Counter(reply.state for reply in self.replies if self.phase(reply) == phase)


def read(raw: Mapping[str, Any], apis: Sequence[str], checks: Sequence[Check]) -> Reply:
    """Return a reply as `stale_asker.ask` wrote it, judged by the check of its question."""
    check = next(check for check in checks if check.question == raw["question"])
    body, status = raw["body"], raw["status"]
    is_answer = status == 200 and "generation" in body
    return Reply(
        api=apis.index(raw["api"]) + 1,
        question=check.question,
        began=raw["began"],
        ended=raw["ended"],
        generation=body["generation"] if is_answer else "",
        state=state(body, check) if is_answer else "error",
        detail="" if is_answer else f"status {status}: {body.get('detail', body)}",
    )


def state(body: Mapping[str, Any], check: Check) -> State:
    """Say which state of the vault an answer shows.

    A place is shown where a citation or a passage of its file holds its words, or where the answer
    says words that the other place has not. "neither" is also a place that was found and that the
    answer does not cite; where a rule has no place, its absence is the state.
    """
    old, new = (_shows(body, place, check) for place in (check.old, check.new))
    if old and new:
        return "both"
    if not old and not new:
        return "old" if check.old is None else "new" if check.new is None else "neither"
    place = check.old if old else check.new
    assert place is not None  # only a place is shown
    if not _in(body["citations"], place):
        return "neither"
    return "old" if old else "new"


def faults(judged: Judged) -> Iterator[str]:
    """Yield what is wrong with the replies of a case, the worst first.

    After the ingest returned only the new state is right. While it ran either is, whole; one
    generation shows one state; and who has seen a generation never sees an earlier one.
    """
    allowed: dict[Phase, set[State]] = {
        "before": {"old"}, "during": {"old", "new"}, "after": {"new"},
    }  # fmt: skip
    for phase in ("after", "during", "before"):
        wrong: dict[tuple[int, State], list[Reply]] = defaultdict(list)
        asked = Counter(reply.api for reply in judged.replies if judged.phase(reply) == phase)
        for reply in judged.replies:
            if judged.phase(reply) == phase and reply.state not in allowed[phase]:
                wrong[reply.api, reply.state].append(reply)
        for (api, shown), replies in sorted(wrong.items()):
            example = replies[0]
            yield (
                f"{judged.case.name}: {len(replies)} of {asked[api]} replies of API {api} {phase} "
                f"the ingest are {shown} (generation {example.generation or 'unknown'}"
                f"{'; ' * bool(example.detail)}{example.detail}): {example.question}"
            )
    yield from _mixed(judged)
    yield from _turned_back(judged)


def _mixed(judged: Judged) -> Iterator[str]:
    seen: dict[tuple[str, str], set[State]] = defaultdict(set)
    for reply in judged.replies:
        if reply.generation:
            seen[reply.generation, reply.question].add(reply.state)
    for (generation, question), states in seen.items():
        if len(states) > 1:
            shown = " and ".join(sorted(states))
            yield f"{judged.case.name}: generation {generation} showed {shown}: {question}"


def _turned_back(judged: Judged) -> Iterator[str]:
    """A reply that began when a later generation had been seen already, in whichever API."""
    answered = [reply for reply in judged.replies if reply.generation]
    ends = sorted(answered, key=lambda reply: reply.ended)
    newest, place = (0, 0), 0
    for reply in sorted(answered, key=lambda reply: reply.began):
        while place < len(ends) and ends[place].ended < reply.began:
            newest = max(newest, _number(ends[place].generation))
            place += 1
        if _number(reply.generation) < newest:
            yield (
                f"{judged.case.name}: API {reply.api} answered from generation {reply.generation} "
                f"after {newest[0]}.{newest[1]} had been seen: {reply.question}"
            )
            return


def _number(generation: str) -> tuple[int, int]:
    number, _, revision = generation.partition(".")
    return int(number), int(revision)


def _shows(body: Mapping[str, Any], place: Place | None, check: Check) -> bool:
    if place is None:
        return False
    if _in([*body["citations"], *body["passages"]], place):
        return True
    others = {other.words for other in (check.old, check.new) if other and other is not place}
    return place.words not in others and place.words in _folded(body["answer"])


def _in(sources: Sequence[Mapping[str, Any]], place: Place) -> bool:
    """Whether a source of the place's file holds its words."""
    return any(
        source["path"] == place.path
        and place.words
        in _folded(" ".join(source.get(part, "") for part in ("context", "text", "quote")))
        for source in sources
    )


def _folded(text: str) -> str:
    return " ".join(text.split())
