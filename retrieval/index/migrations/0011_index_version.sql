-- A count of the states that readers have seen of the index: it rises with every change of the live
-- generation, also where that is an older one again. A caller who saw a state is shown none before.
ALTER TABLE generation ADD COLUMN IF NOT EXISTS index_version bigint NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION raise_index_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.index_version := 1 + (SELECT coalesce(max(index_version), 0) FROM generation);
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER raise_index_version BEFORE INSERT OR UPDATE ON generation
    FOR EACH ROW WHEN (NEW.state = 'live') EXECUTE FUNCTION raise_index_version();
