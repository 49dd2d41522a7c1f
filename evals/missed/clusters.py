"""Cluster missed questions by meaning, and draft a label for each from its nearest lines."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from scipy.cluster.hierarchy import fcluster, linkage

from retrieval.context import SearchContext
from retrieval.errors import QuestionError
from retrieval.models import Evidence
from retrieval.search import check_question, search
from retrieval.text.normalize import searchable
from retrieval.usage.telemetry import AskedQuestion

# Average cosine distance. Of 388 different calibration questions 10 pairs are nearer (E97).
_FAR = 0.4
_LINES = 3  # of the rules, shown with a cluster
_KINDS = {"row": "table", "item": "list"}  # of an entry; others are prose


@dataclass(frozen=True, slots=True)
class Cluster:
    """Questions that ask nearly the same, the one that was asked most first."""

    questions: tuple[str, ...]  # each once
    ends: Counter[str]  # how often they were refused, nearest, or else rated down
    nearest: tuple[tuple[str, Evidence], ...]  # lines with their paths, best first
    is_refused: bool  # by today's search, so its lines may be far

    @property
    def size(self) -> int:
        """How often they were asked."""
        return self.ends.total()


def clusters(context: SearchContext, missed: Sequence[AskedQuestion]) -> list[Cluster]:
    """Return the clusters of what was missed, the largest first.

    Questions that cannot be searched any more are left out. Raises what `search` raises.
    """
    asked: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in missed:
        if one.question and _is_searchable(context, one.question):
            asked[one.question][_end(one)] += 1
    questions = sorted(asked, key=lambda text: (-asked[text].total(), text))
    groups: defaultdict[int, list[str]] = defaultdict(list)
    for number, question in zip(_numbers(context, questions), questions, strict=True):
        groups[number].append(question)
    found = [_cluster(context, group, asked) for group in groups.values()]
    return sorted(found, key=lambda one: (-one.size, one.questions))


def row_id(question: str) -> str:
    """Return the id of a row that asks what users asked: the same whenever it is drafted."""
    return f"missed-{sha256(question.encode()).hexdigest()[:12]}"


def row(cluster: Cluster) -> str:
    """Return a cluster as a line of a dataset, a draft for `evals.inbox --missed --review`.

    Its gold is the nearest line; one that is refused is a near miss, with its lines for a review.
    """
    nearest = [{"path": path, "quote": one.entry.quote} for path, one in cluster.nearest]
    gold = [] if cluster.is_refused else nearest[:1]
    kind = _KINDS.get(cluster.nearest[0][1].entry.kind, "prose") if gold else "nearmiss"
    ends = ", ".join(f"{count} {end}" for end, count in cluster.ends.most_common())
    fields = {
        "id": row_id(cluster.questions[0]), "question": cluster.questions[0], "kind": kind,
        "answer": gold[0]["quote"] if gold else "", "gold": gold, "split": "gate",
        "nearest": None if gold else nearest,
        "why_unanswerable": None if gold else f"asked {cluster.size} times: {ends}",
        "status": "draft",
    }  # fmt: skip
    return json.dumps(fields, ensure_ascii=False)


def _numbers(context: SearchContext, questions: Sequence[str]) -> Sequence[int]:
    if len(questions) < 2:  # nothing to compare
        return [1] * len(questions)
    vectors = context.embedder.encode([searchable(one).strip() for one in questions]).vectors
    numbers: list[int] = fcluster(linkage(vectors, "average", "cosine"), _FAR, "distance").tolist()
    return numbers


def _cluster(
    context: SearchContext, questions: Sequence[str], asked: dict[str, Counter[str]]
) -> Cluster:
    ends = sum((asked[one] for one in questions), Counter[str]())
    found = search(context, questions[0], top_k=_LINES)
    is_refused = found.certainty == "refused"
    if is_refused:  # whether wrongly or not shows by the lines under the threshold
        found = search(replace(context, threshold=-math.inf), questions[0], top_k=_LINES)
    nearest = tuple((hit.chunk.path, hit.evidence[0]) for hit in found.hits if hit.evidence)
    return Cluster(tuple(questions), ends, nearest, is_refused)


def _end(one: AskedQuestion) -> str:
    if one.outcome == "answered":
        return "rated down"
    return f"{one.outcome} ({one.reason})" if one.reason else one.outcome


def _is_searchable(context: SearchContext, question: str) -> bool:
    try:
        check_question(context, question)
    except QuestionError:
        return False
    return True
