"""What the product promises, and the faults that it must survive: the texts of docs/promises.md.

A test says which of them it proves: `@pytest.mark.proves("promise 5", "row 13")`.
"""

PROMISES = {
    "promise 1": (
        "**Whole.** A reader sees the old or the new version of a file: never both, never neither, "
        "never half of one."
    ),
    "promise 2": (
        "**Converges.** After any crash the next ingest leaves what a fresh ingest of the same "
        "folder into an empty database would hold."
    ),
    "promise 3": (
        "**Only what changed.** An unchanged folder embeds nothing and writes nothing; an edit "
        "embeds the texts that it changed."
    ),
    "promise 4": (
        "**Nothing lost.** Every character of a file that is not blank stands in a chunk, and no "
        "text is longer than the encoder reads."
    ),
    "promise 5": (
        "**Nothing stale.** What was deleted, renamed or changed is out of reach as soon as ingest "
        "returns."
    ),
    "promise 6": (
        "**Loud.** Every file that is left out is named with the reason, and the exit status is "
        "not 0."
    ),
    "promise 7": (
        "**One model.** Questions and the index are embedded by the same model, or the answer is a "
        "503 that names the command."
    ),
    "promise 8": (
        "**Bounded.** Every request has a deadline and every input a size; too much is a 429 or "
        "503 with Retry-After."
    ),
    "promise 9": (
        "**Rules are data.** No text of the folder or of a user changes a query, an instruction or "
        "somebody else's answer, or makes a reader's browser fetch an address."
    ),
    "promise 10": (
        "**Refuses.** Without usable lines, or with a language model that is down or writes what "
        "no line says, the answer is a refusal or an error, never invention."
    ),
}

ROWS = {
    "row 1": "a chunker that loses or reorders text of tables, fences or nested lists",
    "row 2": "nesting some thousand levels deep",
    "row 3": "files that explode: huge tables, one line of 10 MB, 100 MB",
    "row 4": "what is no regular file: pipes, links out of the folder, swaps during a read",
    "row 5": "NUL, half characters, wrong encodings, invisible and turning characters",
    "row 6": "front matter as a weapon: aliases, huge numbers, Python tags, doubled keys",
    "row 7": "archives in the folder",
    "row 8": "regular expressions that take time without end",
    "row 9": "a crash, a kill or a lost connection at any step of an ingest",
    "row 10": "two ingests at once",
    "row 11": "readers during an ingest",
    "row 12": "renames, deletions, copies, and files that were only touched",
    "row 13": "an empty or unmounted folder, which would delete everything",
    "row 14": "a full disk",
    "row 15": "another model, and vectors that are no direction (NaN, zero, a wrong length)",
    "row 16": "an answer from before the last ingest",
    "row 17": "a clock that is wrong or jumps",
    "row 18": "fewer passages than asked for while more match",
    "row 19": "an approximate index that gets worse with every change",
    "row 20": "a setting of the database that is silently ignored",
    "row 21": "SQL in a question, and a role of the API that may do more than read",
    "row 22": "operators and rubbish in the text of a question",
    "row 23": "a database that restarts, dies or falls silent in the middle of requests",
    "row 24": "a query that waits for a lock or runs without end",
    "row 25": "the embedded server: left-over files, killed owners, long paths, other accounts",
    "row 26": "a backup that cannot be restored",
    "row 27": "bodies of requests that fit no schema",
    "row 28": "requests that are too big, too many or too slow",
    "row 29": "models that keep the server from answering",
    "row 30": "clients that leave in the middle of an answer",
    "row 31": "a language model's server that fails in every way we know",
    "row 32": "replies of a language model that are no answer",
    "row 33": "instructions hidden in the rules",
    "row 34": "answers that carry data out through an image or a link",
    "row 35": "markup and control characters at a terminal, in logs and on pages",
    "row 36": "a language model's address that points inside",
    "row 37": "secrets in logs, errors and replies",
    "row 38": "foreign origins, hosts and headers",
    "row 39": "requests that bring a prompt, a model or SQL of their own",
    "row 40": "scores and scopes that tell of what a reader may not see",
    "row 41": "evals that pass whatever happens",
    "row 42": "weights that are not the pinned ones",
}

# What no test of this repository does, and why; of rows that are proven, the rest of them.
UNTESTED = {
    "row 1": "CommonMark's own examples are not used; 32 seeds of our own are",
    "row 3": "the limit of memory holds on Linux only",
    "row 8": "coverage-guided fuzzing (atheris) is left out; growth with length is measured",
    "row 9": "faults inside the building of an HNSW index, and inside the process that parses",
    "row 10": "of PgBouncer searches alone; for an ingest behind it DISCARD ALL stands",
    "row 14": "a disk that is slow or fails; only one that is full",
    "row 17": "only the clock of the database's server is moved, and only where libfaketime is",
    "row 19": "a build of two million rows; 10,000 entries with ten rounds of change are",
    "row 21": (
        "statements are not compared by PostgreSQL's grammar (pglast): their texts are, and a test "
        "of the source demands constants. SQL gets row ids of a filter, and nothing that it says"
    ),
    "row 23": (
        "20 questions a second: at 1 to 6 a second in the long variant. A request makes up to "
        "three reads, each of which ends within 12 s"
    ),
    "row 27": "schemathesis walks no links from one reply to the next request",
    "row 28": (
        "attackers of other machines: they come from other addresses of this one, to one API. 0.9 "
        "of the best throughput is held for 128 callers who obey Retry-After, and not for those "
        "who ignore it (0.82 and 0.88 were left; `make load` demands 0.75)"
    ),
    "row 29": "`make test` demands no time of /livez, `make load` does (p95 of 100 ms)",
    "row 37": "logs are searched for secrets in single tests, not through all of them",
    "row 38": "no browser and no test comes through a proxy with TLS",
    "row 40": (
        "a reply's time is measured in the process, not over HTTP, and scores are shown to "
        "everybody who may ask"
    ),
    "row 42": "starting without any network device",
}
