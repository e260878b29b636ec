-- What a worker in front of an upstream channel API keeps.

-- What is asked after on behalf of a viewer until it is final.
CREATE TABLE upstream_watches (
    user_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    id BIGINT NOT NULL,
    channel_key TEXT NOT NULL,
    api_key TEXT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (user_id, kind, id)
);

-- What was sent to an upstream that knows no Idempotency-Key. `answer` is absent until there is one.
CREATE TABLE upstream_writes (
    scope TEXT NOT NULL,
    call TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    known TEXT NOT NULL,
    at BIGINT NOT NULL,
    answer TEXT,
    PRIMARY KEY (scope, call, idempotency_key)
);
CREATE INDEX upstream_writes_by_time ON upstream_writes (at);

-- Where the status feed of another Touchline was read up to.
CREATE TABLE upstream_positions (
    subject TEXT NOT NULL PRIMARY KEY,
    epoch TEXT NOT NULL,
    user_seq BIGINT NOT NULL,
    channel_seq BIGINT NOT NULL
);

CREATE INDEX status_latest_by_resource ON status_latest (kind, id);
