"""The stages that can lose a question, in the order of the pipeline, with the usual cure of each.

Causes and fixes follow the seeds' table "symptom, likely cause, fix" and their list of what to
improve first, said in the terms of this pipeline.

`evals.retrieval` looks at search, which can lose a question as far as "budget", and at the reply
that is made of it ("reply"). "generation" and "guard", OF_ANSWERS, are for programs that measure
what a model writes: until one does, nothing lands there, and reports leave them out where they are
0.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bucket:
    """What it means to be lost at a stage, why that usually happens, and what to do then."""

    meaning: str
    cause: str
    fix: str

    @property
    def text(self) -> str:
        """All three in one line."""
        return f"{self.meaning}; usual cause: {self.cause}; fix: {self.fix}"


OF_ANSWERS = ("generation", "guard")
BUCKETS: Mapping[str, Bucket] = {
    "label": Bucket(
        "the quote is not in the vault, so no search can find it",
        "the rule was edited or moved, or the answer was never in the files",
        "run python -m evals.lint --vault FOLDER --dataset FILE and mend the question",
    ),
    "not-indexed": Bucket(
        "the vault has the quote and the index has not",
        "the file was rejected, or edited after the last ingest",
        "run python -m ingest and read what it rejects; then look at what the parser leaves out",
    ),
    "chunking": Bucket(
        "the index has the quote, but no one chunk holds 90 % of it",
        "the cut goes through a table, or between a rule and its exception",
        "look where the file is cut (python -m evals.lint); keep the unit whole, or quote less",
    ),
    "candidates": Bucket(
        "neither list had a chunk that holds it",
        "the question shares no words with the rule and the encoder does not know they mean one",
        "say the asker's word in the rule or in the entry; then try another encoder",
    ),
    "fusion": Bucket(
        "a list had it among the first and the fused order had not",
        "the other list pulled up passages with a word in common by chance",
        "fit the lists' weights on the calibration split; with a reranker raise RAG_CANDIDATES",
    ),
    "rerank": Bucket(
        "the fused order had it among the first and the reranker had not",
        "the reranker prefers passages on the subject to the one that answers",
        "measure with RERANKER_MODEL=off; if that is better leave it off, or take another model",
    ),
    "threshold": Bucket(
        "it stood among the first and its score is under the threshold",
        "the threshold was fitted for other models, or the question uses other words",
        "run python -m evals.calibrate and look at the curve",
    ),
    "budget": Bucket(
        "a candidate that no stage had among the first",
        "close rivals: passages about the same thing stand before it",
        "raise RAG_TOP_K from 4 to 8; where the ceiling is far above the recall, try a reranker",
    ),
    "reply": Bucket(
        "search returned it, and no card of the reply shows it, or the reply is a refusal",
        "other lines of the same passage are nearer to the question, or it was taken for off-topic",
        "ask it with make ask and read the cards; name the thing in the rule, or in an alias",
    ),
    "generation": Bucket(
        "its passage was given to the language model and the answer lacks it",
        "a high temperature, an answer cut off, or passages that contradict each other",
        "read the prompt with its passages; lower the temperature, raise the answer's limit",
    ),
    "guard": Bucket(
        "the answer was right and a guard withheld it",
        "a number or a name in another spelling than in the cited lines",
        "read what the guard objected to; mend the folding of numbers or the quote",
    ),
}
# Of a retriever that is not ours, whose stages nobody sees; the worst of a question's comes first.
FROM_OUTSIDE: Mapping[str, Bucket] = {
    "not-of-the-vault": Bucket(
        "a passage that may have held it has text that the vault has not",
        "the retriever reads another or an older state of the files, or rewrites their text",
        "index the folder of --vault again; keep the files' own text in the passages",
    ),
    "never-returned": Bucket(
        "the foreign retriever did not return it among its first 50 passages",
        "it is not indexed, cut in two, or far from the question; from outside nobody can tell",
        "ask for more passages; look in the retriever's index for the quote",
    ),
    "further-down": Bucket(
        "the foreign retriever returned it, below the passages that count",
        "close rivals: passages about the same thing stand before it",
        "give the reader more passages (--top-k), or put a reranker behind the retriever",
    ),
}
ALL: Mapping[str, Bucket] = {**BUCKETS, **FROM_OUTSIDE}
