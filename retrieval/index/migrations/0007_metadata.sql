-- A file's front matter, as written: a text or a list of texts a field. NULL: indexed before.
ALTER TABLE file ADD COLUMN IF NOT EXISTS metadata jsonb;
