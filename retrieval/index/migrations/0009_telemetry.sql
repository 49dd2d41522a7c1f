-- A row for each question that was asked, for its operator; those of more than TELEMETRY_DAYS go. The
-- question's text is there only where the operator lets it be stored.
CREATE TABLE telemetry (
    asked_at          timestamptz NOT NULL,
    request_id        text NOT NULL,
    outcome           text NOT NULL,    -- answered, nearest, refused, error or abandoned
    reason            text NOT NULL,    -- of a refusal or an error; "" for none
    guard             text NOT NULL,    -- its verdict; "" where no model wrote
    milliseconds      real NOT NULL,
    prompt_tokens     integer NOT NULL,
    completion_tokens integer NOT NULL,
    key               text NOT NULL,    -- its name; "" for none
    generation        text NOT NULL,    -- "ID.REVISION" of the index
    places            text[] NOT NULL,  -- "path:first-last" of its cards, or of the nearest passages
    question          text              -- as it was searched
);
CREATE INDEX telemetry_asked_at ON telemetry (asked_at);
