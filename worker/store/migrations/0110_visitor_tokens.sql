-- A visitor's key is a signed token without a row. Each channel's tokens have a generation, which an operator raises to
-- end them all; a channel without a row here is in generation 0.
CREATE TABLE key_generations (
    channel_key TEXT NOT NULL PRIMARY KEY,
    generation BIGINT NOT NULL,
    raised_at BIGINT NOT NULL
);

-- The session of the token that asked for a device's code; `key_id` is the key that the device got with it.
ALTER TABLE session_codes ADD COLUMN visitor TEXT;
CREATE UNIQUE INDEX session_codes_by_visitor ON session_codes (visitor) WHERE visitor IS NOT NULL;
