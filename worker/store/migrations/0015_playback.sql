-- Where a person stands in what they watch; a row goes when as many newer ones are there as a person may have.

CREATE TABLE playback_positions (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    watched_id BIGINT NOT NULL,
    position_ms BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (user_id, kind, watched_id)
);
