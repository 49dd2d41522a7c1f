"""Write groups of training texts: a question, entries that answer it and hard ones that do not.

Hard are the entries of the question's collection that the published encoder or BM25 put first,
without those that its line is in. Beside the groups goes a manifest of what they were made of.
"""

import argparse
import hashlib
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ingest.chunking.chunk import CHUNKER_VERSION
from ingest.progress import Meter
from retrieval import atomic_write
from retrieval.encoder.bi_encoder import Embedder, ModelThread
from retrieval.encoder.bi_encoder import Progress as Finished
from retrieval.encoder.weights import bundled_base
from retrieval.errors import DatasetError, RulesError
from retrieval.text.normalize import FOLDING_VERSION
from training import text_collections, triples
from training.text_collections import Collection
from training.triples import Group

_NEGATIVES, _WINDOW_NEGATIVES = 24, 6
_BY_WORDS = 0.3  # what BM25 adds to the cosine of the entry that it puts first
_K1, _B = 1.2, 0.75
_DIGITS = 5  # of a score: what differs after them is an order of summing
_WORD = re.compile(r"[a-z0-9]+")

Progress = Callable[[str, int, int], None]  # what is done, how many of how many
_Scores = npt.NDArray[np.float64]
_Postings = Mapping[str, tuple[npt.NDArray[np.int64], _Scores]]  # a word's entries and weights


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status: 0, or 2 where no groups were made."""
    parser = argparse.ArgumentParser(prog="python -m training.make_triples", description=__doc__)
    parser.add_argument(
        "--texts", type=Path, default=Path("training/texts"), help="default: training/texts"
    )
    parser.add_argument("--out", type=Path, required=True, help="a file, such as groups.jsonl.gz")
    args = parser.parse_args(argv)
    thread = ModelThread()
    try:
        if not args.out.parent.is_dir():  # said before minutes of work
            raise DatasetError(f"{args.out}: no folder {str(args.out.parent)!r}; make it")
        embedder = Embedder(bundled_base(), thread)
        collections = text_collections.read(args.texts, embedder)
        with Meter() as meter:
            found = mine(collections, embedder, meter.show)
        triples.write(args.out, found)
        manifest = _write_manifest(args.out, collections, embedder)
    except RulesError as error:
        print(f"training.make_triples: no groups were made: {error}", file=sys.stderr)
        return 2
    finally:
        thread.close()
    for one in collections:
        print(f"{one.name}: {len(one.files)} files, {len(one.asked)} questions, "
              f"{len(one.places)} entries")  # fmt: skip
    print(f"{len(found)} groups in {args.out}, what they were made of in {manifest}")
    return 0


def mine(collections: Sequence[Collection], embedder: Embedder, progress: Progress) -> list[Group]:
    """Return a group for each question, in order; `progress` counts embedded texts."""
    total = sum(len(_unique(one)) + len(one.asked) for one in collections)
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress("embedding", done, total)

    return [group for one in collections for group in _mined(one, embedder, advance)]


def _unique(collection: Collection) -> list[str]:
    return sorted({place.entry.text for place in collection.places})


def _mined(collection: Collection, embedder: Embedder, advance: Finished) -> Iterator[Group]:
    if not collection.asked:
        return
    unique = _unique(collection)
    row_of = {text: row for row, text in enumerate(unique)}
    entries = [place.entry.text for place in collection.places]
    vectors = embedder.embed(unique, advance)[[row_of[text] for text in entries]]
    asked = embedder.embed([one.text for one in collection.asked], advance)
    postings = _postings(entries)
    for number, (question, vector) in enumerate(zip(collection.asked, asked, strict=True)):
        words = _word_scores(postings, len(entries), question.text)
        scores = vectors @ vector + _BY_WORDS * words
        hardest = np.argsort(-scores.round(_DIGITS), kind="stable")
        yield _group(collection, number, [int(row) for row in hardest])


def _group(collection: Collection, number: int, hardest: Sequence[int]) -> Group:
    """Return the group of question `number`; `hardest` are all places, best score first."""
    gold, places = set(collection.gold[number]), collection.places
    chunks = {places[row].chunk for row in gold}
    answers: dict[bool, dict[str, None]] = {False: {}, True: {}}  # by being a window; in order
    others: dict[bool, dict[str, None]] = {False: {}, True: {}}
    for row in sorted(gold):
        answers[places[row].entry.kind == "whole"][places[row].entry.text] = None
    for row in hardest:
        entry = places[row].entry
        window = entry.kind == "whole"
        # A window beside the answer's own may overlap it by more than the entry's lines say.
        near = row in gold or (window and places[row].chunk in chunks)
        if not near and entry.text not in answers[False] and entry.text not in answers[True]:
            others[window][entry.text] = None
    return Group(
        collection=collection.name,
        question=collection.asked[number].text,
        positives=tuple(answers[False]),
        negatives=tuple(others[False])[:_NEGATIVES],
        windows=tuple(answers[True]),
        window_negatives=tuple(others[True])[:_WINDOW_NEGATIVES],
    )


def _postings(entries: Sequence[str]) -> _Postings:
    """Return what each word adds to the BM25 score of the entries that hold it.

    Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
    """
    counts = [Counter(_WORD.findall(entry.lower())) for entry in entries]
    mean = sum(found.total() for found in counts) / len(counts) or 1.0  # no word is of our letters
    held: dict[str, list[tuple[int, float]]] = {}
    for row, found in enumerate(counts):
        length = _K1 * (1 - _B + _B * found.total() / mean)
        for word, count in found.items():
            held.setdefault(word, []).append((row, count * (_K1 + 1) / (count + length)))
    postings = {}
    for word, pairs in held.items():
        rarity = math.log(1 + (len(entries) - len(pairs) + 0.5) / (len(pairs) + 0.5))
        rows, weights = zip(*pairs, strict=True)
        postings[word] = (np.array(rows), rarity * np.array(weights))
    return postings


def _word_scores(postings: _Postings, entries: int, question: str) -> _Scores:
    """Return BM25 scores of `entries` places, divided by the best: 0 to 1."""
    scores = np.zeros(entries)
    for word in sorted(set(_WORD.findall(question.lower()))):
        if word in postings:
            rows, weights = postings[word]
            scores[rows] += weights
    best = scores.max()
    return scores / best if best > 0 else scores


def _write_manifest(out: Path, collections: Sequence[Collection], embedder: Embedder) -> Path:
    """Write what `out` was made of beside it, and return that file."""
    manifest = {
        "groups": {
            "file": out.name,
            "sha256": hashlib.sha256(out.read_bytes()).hexdigest(),
            "questions": sum(len(one.asked) for one in collections),
        },
        "encoder": {"name": embedder.files.name, "digest": embedder.files.digest},
        "chunker": CHUNKER_VERSION,
        "folding": FOLDING_VERSION,
        "collections": {one.name: _described(one) for one in collections},
    }
    path = out.with_name(out.name.removesuffix(".gz").removesuffix(".jsonl") + ".manifest.json")
    try:
        atomic_write.write(path, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise DatasetError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def _described(collection: Collection) -> dict[str, object]:
    asked = Counter(one.path for one in collection.asked)
    return {
        "questions": len(collection.asked),
        "entries": len(collection.places),
        "files": {
            file.path: {"sha256": file.sha256, "questions": asked[file.path]}
            for file in collection.files
        },
    }


if __name__ == "__main__":
    sys.exit(main())
