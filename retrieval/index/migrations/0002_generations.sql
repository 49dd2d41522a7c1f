-- A generation is built beside the live one and takes its place when it is whole; the one before
-- stays for a way back. There is at most one live and one previous generation; a generation that
-- was replaced twice is temporary without a lock until it is deleted.

ALTER TABLE generation DROP CONSTRAINT generation_state_check;
ALTER TABLE generation ADD CONSTRAINT generation_state_check
    CHECK (state IN ('live', 'building', 'previous', 'temporary'));
CREATE UNIQUE INDEX generation_one_previous ON generation (state) WHERE state = 'previous';
