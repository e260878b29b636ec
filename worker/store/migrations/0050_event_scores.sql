-- How events stand, as the operator says: it stands before what a channel's folder says.
CREATE TABLE event_scores (
    channel_key TEXT NOT NULL,
    event_id BIGINT NOT NULL,
    away BIGINT NOT NULL,
    home BIGINT NOT NULL,
    period TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (channel_key, event_id)
);
