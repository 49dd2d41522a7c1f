-- How often each caller has asked in its minute: of a key by its name, or of an address. All
-- processes of the API count here. Rows that are an hour old go with later requests.
CREATE TABLE rate_window (
    caller   text PRIMARY KEY,  -- "key anna", "address 192.0.2.7"
    began_at timestamptz NOT NULL,
    used     integer NOT NULL   -- requests since then, one more than the limit at most
);
CREATE INDEX rate_window_began_at ON rate_window (began_at);
