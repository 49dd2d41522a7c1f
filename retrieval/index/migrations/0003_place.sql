-- The words of a chunk's folders and file name: full text search has them, what is embedded has not.
-- Chunks from before have them in their entries' texts.
ALTER TABLE chunk ADD COLUMN place text NOT NULL DEFAULT '';
