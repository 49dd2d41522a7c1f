-- The answers of the last day, which may be rated whichever process gave them. The question's text
-- is there only where the operator lets feedback store it.
CREATE TABLE given_answer (
    request_id text PRIMARY KEY,
    given_at   timestamptz NOT NULL DEFAULT now(),
    question   text,
    generation text NOT NULL,    -- "ID.REVISION" of the index
    certainty  text NOT NULL,
    guard      text NOT NULL,
    cards      text[] NOT NULL,  -- "path:first-last"
    access     jsonb             -- the filter of the key that asked; NULL for none
);
CREATE INDEX given_answer_given_at ON given_answer (given_at);
