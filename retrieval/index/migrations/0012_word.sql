-- What BM25 counts of a generation as a whole. Ingest keeps both in step with what it writes, so
-- that a search of a large vault does not count postings. A generation without a row in `corpus` was
-- made before there was one, or holds nothing: its postings are counted.
CREATE TABLE corpus (
    generation_id bigint PRIMARY KEY REFERENCES generation ON DELETE CASCADE,
    chunks        bigint NOT NULL,
    words         bigint NOT NULL, -- the sum of their lengths
    token_bytes   bigint NOT NULL  -- of its entries' token vectors
);
CREATE TABLE word (
    generation_id bigint NOT NULL REFERENCES generation ON DELETE CASCADE,
    lexeme        text COLLATE "C" NOT NULL,
    chunks        bigint NOT NULL,  -- in how many it stands; never 0
    PRIMARY KEY (generation_id, lexeme)
);
INSERT INTO corpus SELECT generation_id, count(*), sum(length), (
    SELECT coalesce(sum(octet_length(token_vectors)), 0) FROM entry
    WHERE entry.generation_id = chunk.generation_id
) FROM chunk GROUP BY generation_id;
INSERT INTO word SELECT generation_id, lexeme, count(*) FROM posting GROUP BY generation_id, lexeme;
