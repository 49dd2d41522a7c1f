-- When a question is refused as being about another subject, fitted for the vault that a generation
-- is made of: a list with one entry for each set of models, empty where nothing was fitted.
ALTER TABLE generation ADD COLUMN off_topic jsonb NOT NULL DEFAULT '[]';
