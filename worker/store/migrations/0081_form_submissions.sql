-- What viewers wrote in the channel's forms. `sender` is the address that they gave, folded: an erasure finds it by that.

CREATE TABLE form_submissions (
    id BIGINT NOT NULL PRIMARY KEY,
    channel_key TEXT NOT NULL,
    alias TEXT NOT NULL,
    submission_key TEXT NOT NULL,
    user_id BIGINT,
    sender TEXT,
    answers TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX form_submissions_by_key ON form_submissions (channel_key, alias, submission_key);
CREATE INDEX form_submissions_by_channel ON form_submissions (channel_key, id);
CREATE INDEX form_submissions_by_user ON form_submissions (user_id);
CREATE INDEX form_submissions_by_sender ON form_submissions (channel_key, sender);
