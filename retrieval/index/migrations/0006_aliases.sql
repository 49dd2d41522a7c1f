-- What the vault's aliases.yaml files say: {"pc": ["player character"]}.
ALTER TABLE generation ADD COLUMN IF NOT EXISTS aliases jsonb NOT NULL DEFAULT '{}';
