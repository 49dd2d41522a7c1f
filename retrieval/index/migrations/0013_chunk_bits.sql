-- The vectors of a chunk's entries as one bit a number: a filter that leaves a part of a large vault
-- is searched by them, which are a thirtieth of the vectors. A chunk without entries has no row.
CREATE TABLE chunk_bits (
    chunk_id bigint PRIMARY KEY REFERENCES chunk ON DELETE CASCADE,
    bits     bit varying[] NOT NULL
);
-- In the row as long as a page holds it: random bits cannot be compressed.
ALTER TABLE chunk_bits ALTER COLUMN bits SET STORAGE MAIN;
INSERT INTO chunk_bits
    SELECT chunk_id, array_agg(binary_quantize(embedding) ORDER BY ordinal) FROM entry
    GROUP BY chunk_id;
