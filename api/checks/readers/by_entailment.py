"""A model of natural language inference as reader: whether a cited line says the claim."""

from collections.abc import Iterator

from api.checks.claims import Claim
from api.checks.guard.alignment import Evidence, evidence
from api.checks.guard.occurrences import content
from api.checks.passage_lines import PassageLine
from api.checks.readers.verifier import Asked, Verdicts
from api.schema.guard import ReaderName
from retrieval.encoder.entailment import EntailmentModel

LEAST = 0.5  # the probability that a line says a claim; lower denies it
_LINES = 4  # of the passages that a claim cites: those that share the most words with it


class EntailmentReader:
    """Compares each claim with the nearest lines that it cites, alone and together."""

    name: ReaderName = "model"

    def __init__(self, model: EntailmentModel) -> None:
        self._model = model

    def verdicts(self, asked: Asked) -> Verdicts:
        """Return why each claim is denied that no line says."""
        known = evidence(asked.sources)
        pairs = [
            (claim.number, premise, claim.text)
            for claim in asked.claims for premise in _premises(claim, known)
        ]  # fmt: skip
        found = self._model.probabilities([(premise, text) for _, premise, text in pairs])
        best: dict[int, float] = {claim.number: 0.0 for claim in asked.claims}
        for (number, _, _), probability in zip(pairs, found, strict=True):
            best[number] = max(best[number], probability)
        denied = {
            number: f"the lines that it cites say it with a probability of {share:.2f}, less than "
            f"{LEAST:g}"
            for number, share in best.items() if share < LEAST
        }  # fmt: skip
        return Verdicts(self.name, "read", len(best), denied)


def _premises(claim: Claim, known: Evidence) -> Iterator[str]:
    said = set(content(claim.text))
    lines = [line for line in known.lines if line.passage in claim.cited]
    lines.sort(key=lambda line: -len(said & known.said[id(line)]))
    nearest = lines[:_LINES]
    texts = [_text(line) for line in nearest]
    yield from texts
    if len(texts) > 1:
        yield " ".join(texts)


def _text(line: PassageLine) -> str:
    """A line with what it is read with: headings, lead-in, the names of its columns."""
    cells = [f"{c.column}: {c.text}" if c.column else c.text for c in line.cells]
    about = line.heading.split(" > ")[-1]
    parts = (about, line.near, line.before.strip(), "; ".join(cells))
    return ". ".join(part.strip(" .") for part in parts if part.strip(" .")) + "."
