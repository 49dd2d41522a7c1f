-- What BM25 counts is read of indexes alone: a word's postings lie side by side there, and in the table
-- each on a page of its own. VACUUM, which is automatic, says of which pages that may be done.
CREATE UNIQUE INDEX posting_read ON posting (generation_id, lexeme, chunk_id) INCLUDE (count);
CREATE INDEX IF NOT EXISTS chunk_length ON chunk (id) INCLUDE (length);
-- Last, since from here on readers wait until all is committed.
ALTER TABLE posting DROP CONSTRAINT posting_pkey,
    ADD CONSTRAINT posting_pkey PRIMARY KEY USING INDEX posting_read;
