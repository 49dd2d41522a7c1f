"""A measured run as TREC files, which ir_measures and trec_eval read.

qrels.txt says which passages each question needs, run.txt how search ranked them. An id has no
white space in them: it is written as in a URL ("5.%20Adventures/…").
"""

from pathlib import Path
from urllib.parse import quote

from evals.measure import metrics
from evals.measure.run import Run

RUN_NAME = "rules-oracle"  # the last cell of a TREC run's lines


def command(folder: Path, top_k: int) -> str:
    """Return the command line of ir_measures that computes our metrics from `folder` again."""
    files = f"{folder / 'qrels.txt'} {folder / 'run.txt'}"
    return f"ir_measures {files} {' '.join(ir_measures_names(top_k).values())}"


def ir_measures_names(top_k: int) -> dict[str, str]:
    """Return what ir-measures calls those of our metrics that it computes as well."""
    return {
        f"gold_recall@{top_k}": f"R@{top_k}", f"precision@{top_k}": f"P@{top_k}", "mrr_first": "RR",
        f"ndcg@{metrics.DEPTH}": f"nDCG@{metrics.DEPTH}", "map": "AP",
    }  # fmt: skip


def write_trec(folder: Path, run: Run) -> None:
    """Write qrels.txt and run.txt, whose numbers are those that were measured.

    A run's score is its negated rank: trec_eval orders by score alone, in 32 bits, and equal ones
    by id. What is needed and was never found stands in the qrels all the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    needed = metrics.qrels(run.outcomes, run.top_k)
    qrels = [f"{_id(q.query_id)} 0 {_id(q.doc_id)} {q.relevance}\n" for q in needed]
    (folder / "qrels.txt").write_text("".join(qrels), "utf-8")
    ranked = [
        f"{_id(d.query_id)} Q0 {_id(d.doc_id)} {-d.score:.0f} {d.score:g} {RUN_NAME}\n"
        for d in metrics.run(run.outcomes, run.top_k)
    ]
    (folder / "run.txt").write_text("".join(ranked), "utf-8")


def _id(name: str) -> str:
    """An id without white space, which parts the cells of TREC files; one that can be read."""
    return quote(name, safe="/:#,&()'")
