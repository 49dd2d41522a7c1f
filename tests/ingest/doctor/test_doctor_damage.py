"""The check of a damaged index: every damage is named, and the command that it names mends it."""

import re
import shlex

import pytest

from ingest import __main__ as program
from ingest.doctor import checks as doctor
from retrieval.settings import Settings
from tests.support.index.examined import odd, run

pytestmark = pytest.mark.usefixtures("environment")

TORCHES = "1. Light/Torches.md"
CHUNK = f"(SELECT id FROM chunk WHERE path = '{TORCHES}')"
ONE = f"chunk_id = {CHUNK} AND ordinal = 0"

# What is done to the index, which check finds it, and words of what it says.
DAMAGE = {
    "a chunk is gone": (
        f"DELETE FROM chunk WHERE id = {CHUNK}",
        "contents", f"chunk {TORCHES}:1 is missing",
    ),
    "a chunk has no entries": (
        f"DELETE FROM entry WHERE chunk_id = {CHUNK}",
        "contents", f"chunk {TORCHES}:1 has 0 entries, not ",
    ),
    "a chunk lost an entry": (
        f"DELETE FROM entry WHERE {ONE}",
        "contents", f"chunk {TORCHES}:1 has ",
    ),
    "a chunk has another text": (
        f"UPDATE chunk SET text = replace(text, 'one', 'two') WHERE id = {CHUNK}",
        "contents", f"chunk {TORCHES}:1 is not the one that is made of the file",
    ),
    "a chunk is of no file's lines": (
        "INSERT INTO chunk (generation_id, path, heading, first_line, last_line, text, context, "
        "piece, length) SELECT generation_id, path, heading, 90, 91, text, context, piece, 0 "
        f"FROM chunk WHERE id = {CHUNK}",
        "contents", f"chunk {TORCHES}:90 is of nothing in the file",
    ),
    "an entry is of another generation": (
        f"UPDATE entry SET generation_id = 77 WHERE {ONE}",
        "entries", "1 entries are of another generation than their chunk: 1. Light/Torches.md:",
    ),
    "an entry has another text": (
        f"UPDATE entry SET words = words || ' not' WHERE {ONE}",
        "entries", "1 entries have another text than was embedded: 1. Light/Torches.md:",
    ),
    "a vector is missing": (
        "ALTER TABLE entry ALTER COLUMN embedding DROP NOT NULL; "
        f"UPDATE entry SET embedding = NULL WHERE {ONE}",
        "vectors", "has no vector",
    ),
    "a vector is zero": (
        f"UPDATE entry SET embedding = array_fill(0, ARRAY[384])::vector WHERE {ONE}",
        "vectors", "has length 0",
    ),
    "a vector is not of length 1": (
        f"UPDATE entry SET embedding = array_fill(0.06, ARRAY[384])::vector WHERE {ONE}",
        "vectors", "has length 1.17",
    ),
    "a vector is of another model": (
        f"UPDATE entry SET embedding = '[1, 0, 0]' WHERE {ONE}",
        "vectors", "has 3 numbers, not 384",
    ),
    "all vectors are zero": (
        "UPDATE entry SET embedding = array_fill(0, ARRAY[384])::vector",
        "vectors", "more",
    ),
    "token vectors are one byte": (
        f"UPDATE entry SET token_vectors = 'x' WHERE {ONE}",
        "token vectors", "has 1 bytes and scale 0.0",
    ),
    "token vectors are cut short": (
        "UPDATE entry SET token_vectors = substring(token_vectors for "
        f"octet_length(token_vectors) - 1) WHERE {ONE}",
        "token vectors", "1 entries have broken token vectors: 1. Light/Torches.md:",
    ),
    "token vectors have no scale": (
        f"UPDATE entry SET token_scale = NULL WHERE {ONE}",
        "token vectors", "scale none",
    ),
    "token vectors have a scale that is no number": (
        f"UPDATE entry SET token_scale = 'NaN' WHERE {ONE}",
        "token vectors", "scale NaN",
    ),
    "some token vectors are missing": (
        f"UPDATE entry SET token_vectors = NULL, token_scale = NULL WHERE {ONE}",
        "token vectors", "1 of ",
    ),
    "the bits of a chunk are missing": (
        f"DELETE FROM chunk_bits WHERE chunk_id = {CHUNK}",
        "vectors", f"1 chunks have other bits than vectors: {TORCHES}:1",
    ),
    "the bits of a chunk are another one's": (
        f"UPDATE chunk_bits SET bits = bits || bits WHERE chunk_id = {CHUNK}",
        "vectors", f"1 chunks have other bits than vectors: {TORCHES}:1",
    ),
    "full text lacks a chunk": (
        f"DELETE FROM posting WHERE chunk_id = {CHUNK}",
        "full text", f"1 chunks are out of step with full text search: {TORCHES}:1 has ",
    ),
    "full text counts a word twice": (
        f"UPDATE posting SET count = count + 1 WHERE chunk_id = {CHUNK} AND lexeme = 'torch'",
        "full text", f"{TORCHES}:1 has 1 wrong words",
    ),
    "full text has a word too many": (
        "INSERT INTO posting SELECT generation_id, 'dragon', id, 1 FROM chunk "
        f"WHERE id = {CHUNK}",
        "full text", f"{TORCHES}:1 has 1 wrong words",
    ),
    "a word is counted wrongly": (
        "UPDATE word SET chunks = chunks + 1 WHERE lexeme = 'torch'",
        "full text", "1 words are counted wrongly: torch in ",
    ),
    "the size of the index is wrong": (
        "UPDATE corpus SET words = words + 1",
        "full text", "1 words are counted wrongly: all: ",
    ),
    "a chunk's length is wrong": (
        f"UPDATE chunk SET length = 99 WHERE id = {CHUNK}",
        "full text", f"{TORCHES}:1 has 0 wrong words and length 99 of ",
    ),
    "no generation is live any more": (
        "UPDATE generation SET state = 'previous'",
        "generations", "no generation is live",
    ),
    "an ingest died": (
        "INSERT INTO generation (state, fingerprint) VALUES ('building', '{}')",
        "generations", "was left half built by an ingest that died",
    ),
    "the live generation is empty": (
        "DELETE FROM file",
        "generations", "holds no file",
    ),
    "another encoder made the index": (
        "UPDATE generation SET fingerprint = jsonb_set(fingerprint, '{model_digest}', '\"x\"')",
        "fingerprint", "the index was made with model_digest 'x', and this process has '",
    ),
    "another chunker made the index": (
        "UPDATE generation SET fingerprint = jsonb_set(fingerprint, '{chunker}', '1')",
        "fingerprint", "the index was made with chunker 1, and this process has ",
    ),
}  # fmt: skip


@pytest.mark.proves("promise 6")
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_is_named(settings: Settings, damage: str) -> None:
    statement, name, words = DAMAGE[damage]
    run(settings, statement)
    checks = {one.name: one for one in doctor.examine(settings, settings.vault)}
    assert checks[name].status in ("WARN", "ERROR")
    assert [one for one in checks[name].findings if words in one.what], checks[name]


HAZARDS = "path = '2. Arms/Hazards.md'"
REBUILT = [  # damage that a rebuild must not take over, each in rows that the others leave alone
    DAMAGE["an entry is of another generation"][0],
    DAMAGE["some token vectors are missing"][0].replace("ordinal = 0", "ordinal = 1"),
    DAMAGE["full text lacks a chunk"][0],
    DAMAGE["a chunk has another text"][0],
    f"UPDATE entry SET words = 'none' FROM chunk AS c WHERE c.id = chunk_id AND c.{HAZARDS} "
    "AND ordinal = 0",
    "UPDATE entry SET embedding = array_fill(0, ARRAY[384])::vector FROM chunk AS c "
    f"WHERE c.id = chunk_id AND c.{HAZARDS} AND ordinal = 1",
    "UPDATE entry SET token_vectors = 'x' FROM chunk AS c "
    f"WHERE c.id = chunk_id AND c.{HAZARDS} AND ordinal = 2",
    "UPDATE entry SET token_scale = 'NaN' FROM chunk AS c "
    f"WHERE c.id = chunk_id AND c.{HAZARDS} AND ordinal = 3",
    "DELETE FROM chunk WHERE path = '2. Arms/Weapons.md'",
]


@pytest.mark.parametrize(
    "damage",
    [
        REBUILT,
        ["DELETE FROM file"],
        ["UPDATE generation SET state = 'previous'"],
        [DAMAGE["an ingest died"][0], DAMAGE["another encoder made the index"][0]],
    ],
    ids=["rows", "no file", "none live", "another encoder"],
)
def test_the_command_that_a_finding_names_mends_it(
    settings: Settings, damage: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(settings, *damage)
    assert doctor.main([]) == 1
    mends = set(re.findall("; mend it: (python -m ingest[- a-z]*)", capsys.readouterr().out))
    command = max(mends, key=len)  # --rebuild, where one finding asks for it, does the other too
    assert program.main(shlex.split(command)[3:]) == 0
    assert odd(settings) == {}
