-- What people said of answers, one row an answer: who changes their mind changes the row. It names
-- its generation as answers do and refers to none, so that it outlives them. `question` is NULL
-- unless the operator lets questions be stored.
CREATE TABLE feedback (
    request_id text PRIMARY KEY,
    rating     text NOT NULL CHECK (rating IN ('up', 'down')),
    comment    text NOT NULL DEFAULT '',
    question   text,
    generation text NOT NULL,
    certainty  text NOT NULL,
    guard      text NOT NULL,
    cards      text[] NOT NULL DEFAULT '{}',  -- "path:first-last" of each, as the reply had them
    given_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX feedback_given_at ON feedback (given_at DESC);
