"""The vectors that an index holds already, by the texts that they embed."""

import hashlib
from collections.abc import Collection

from retrieval.encoder.bi_encoder import ENCODING_VERSION
from retrieval.index.store import Connection
from retrieval.models import Vectors
from retrieval.ranking import late_interaction
from retrieval.ranking.late_interaction import TokenVectors

Known = tuple[Vectors, TokenVectors | None]


# Damaged rows are left out: of another text than their hash says, or with a vector that is not of
# length 1, or with token vectors of another size than the number that they begin with.
_KNOWN = """
    SELECT DISTINCT ON (text_sha256) text_sha256, embedding,
        CASE WHEN %(tokens)s THEN token_vectors END, token_scale
    FROM entry JOIN generation AS g ON g.id = generation_id,
        LATERAL (SELECT substring(token_vectors for 4) || '\\x00000000') AS head (bytes)
    WHERE text_sha256 = ANY(%(hashes)s) AND g.fingerprint->>'model_digest' = %(digest)s
        AND coalesce((g.fingerprint->>'encoding')::integer, 1) = %(encoding)s
        AND text_sha256 = encode(sha256(convert_to(trail || words, 'UTF8')), 'hex')
        AND vector_dims(embedding) = (g.fingerprint->>'dimension')::integer
        AND abs(vector_norm(embedding) - 1) < 0.001
        AND (NOT %(tokens)s OR (
            coalesce((g.fingerprint->>'token_pooling')::integer, 1) = %(pooling)s::integer
            AND token_scale > 0 AND token_scale <= 1 AND octet_length(token_vectors) = 4
                + (g.fingerprint->>'token_dimension')::integer
                * (get_byte(head.bytes, 0) + 256 * get_byte(head.bytes, 1))
        ))
"""


def find(
    conn: Connection, model_digest: str, texts: Collection[str], *, pooling: int | None
) -> dict[str, Known]:
    """Return the vectors of those `texts` that the same model and code have embedded before.

    A damaged vector, whose length is not 1, is none, so an index that has some is mended by a
    rebuild.
    With `pooling` only of those whose token vectors, of so many word pieces each, are stored too;
    without it these are None. Rows that were damaged are left out, so that building the index again
    mends it.
    """
    by_hash = {text_sha256(text): text for text in texts}
    rows = conn.execute(
        _KNOWN,
        {
            "hashes": list(by_hash),
            "digest": model_digest,
            "encoding": ENCODING_VERSION,
            "tokens": pooling is not None,
            "pooling": pooling,
        },
    )
    known: dict[str, Known] = {}
    for sha256, vector, values, scale in rows:
        text = by_hash[sha256]
        known[text] = (
            vector.to_numpy(),
            late_interaction.unpacked(values, scale) if values else None,
        )
    return known


def text_sha256(text: str) -> str:
    """Return what the index knows the text of an entry by."""
    return hashlib.sha256(text.encode()).hexdigest()
