-- What is still to be done about people whose accounts are gone: their traces outside of this store. A row goes when
-- nothing of the person is left.

CREATE TABLE erasures (
    user_id BIGINT NOT NULL PRIMARY KEY,
    channel_key TEXT NOT NULL,
    email TEXT NOT NULL,
    begun_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL
);
CREATE INDEX erasures_due ON erasures (due_at);

-- Addresses, as keyed hashes, whose account had its trial: a deleted account's address gets no second one.
CREATE TABLE used_trials (
    address_hash TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
);
CREATE INDEX used_trials_by_time ON used_trials (at);
