-- The channel's records. Plain SQL that SQLite and PostgreSQL both take: ids come from `counters`, times are
-- milliseconds since 1970, hashes are hexadecimal, lists are JSON texts.

CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    last BIGINT NOT NULL
);

CREATE TABLE remembered (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE users (
    id BIGINT NOT NULL PRIMARY KEY,
    channel_key TEXT NOT NULL,
    email TEXT NOT NULL,
    -- Lower case: what makes an address the same. A person that was erased has none.
    email_folded TEXT,
    email_verified BOOLEAN NOT NULL,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    phone TEXT NOT NULL,
    password_hash TEXT,
    temporary_password BOOLEAN NOT NULL,
    trial_period_used BOOLEAN NOT NULL,
    blocked BOOLEAN NOT NULL,
    capabilities TEXT NOT NULL,
    clips BIGINT NOT NULL,
    downloads BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    erased_at BIGINT
);
CREATE UNIQUE INDEX users_by_email ON users (channel_key, email_folded);

CREATE TABLE social_logins (
    channel_key TEXT NOT NULL,
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (channel_key, provider, subject)
);
CREATE INDEX social_logins_by_user ON social_logins (user_id);

CREATE TABLE api_keys (
    id BIGINT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL,
    channel_key TEXT NOT NULL,
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    device_name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (hash);
CREATE INDEX api_keys_by_user ON api_keys (user_id);
CREATE INDEX api_keys_by_last_seen ON api_keys (last_seen_at);

CREATE TABLE session_codes (
    code_hash TEXT NOT NULL PRIMARY KEY,
    channel_key TEXT NOT NULL,
    key_id BIGINT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    expires BIGINT NOT NULL
);
CREATE UNIQUE INDEX session_codes_by_key ON session_codes (key_id);

-- What works once. `used` tokens stay until they expire, so that they are not taken for new ones.
CREATE TABLE tokens (
    hash TEXT NOT NULL PRIMARY KEY,
    subject TEXT NOT NULL,
    expires BIGINT NOT NULL,
    used BOOLEAN NOT NULL
);
CREATE INDEX tokens_by_expiry ON tokens (expires);

CREATE TABLE favorites (
    id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    favoritable_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX favorites_by_subject ON favorites (user_id, kind, favoritable_id);

CREATE TABLE orders (
    id BIGINT NOT NULL PRIMARY KEY,
    channel_key TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    product_id BIGINT NOT NULL,
    product_name TEXT NOT NULL,
    event_category_id BIGINT,
    participant_id BIGINT,
    event_categories TEXT NOT NULL,
    base_price BIGINT NOT NULL,
    discount BIGINT NOT NULL,
    service_fee BIGINT NOT NULL,
    currency TEXT NOT NULL,
    promo_code TEXT,
    payment_method_id TEXT NOT NULL,
    period_days BIGINT NOT NULL,
    status TEXT NOT NULL,
    activity_status TEXT NOT NULL,
    failure TEXT,
    client_secret TEXT,
    active_until BIGINT,
    -- When the payment is to be tried next, or given up when it waits for its owner; absent when nothing is under way.
    due_at BIGINT,
    attempts BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX orders_by_user ON orders (user_id, id);
CREATE INDEX orders_due ON orders (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX orders_running_out ON orders (active_until) WHERE activity_status = 'active';
-- Two requests at once cannot begin to pay for the same thing.
CREATE UNIQUE INDEX orders_under_way ON orders (user_id, kind, product_id, COALESCE(participant_id, 0))
    WHERE status = 'created';

CREATE TABLE subscriptions (
    order_id BIGINT NOT NULL PRIMARY KEY REFERENCES orders (id),
    annual BOOLEAN NOT NULL,
    trial_days BIGINT NOT NULL,
    -- What each renewal costs in all, minor units.
    renewal_price BIGINT NOT NULL,
    status TEXT NOT NULL,
    auto_renew TEXT NOT NULL,
    current_period_end BIGINT NOT NULL,
    trial_end BIGINT,
    renewals BIGINT NOT NULL
);

-- What became of each order, as bookkeeping: never changed, never deleted.
CREATE TABLE order_events (
    order_id BIGINT NOT NULL REFERENCES orders (id),
    version BIGINT NOT NULL,
    at BIGINT NOT NULL,
    what TEXT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (order_id, version)
);

CREATE TABLE clips (
    id BIGINT NOT NULL PRIMARY KEY,
    uuid TEXT NOT NULL,
    channel_key TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    event_id BIGINT NOT NULL,
    event_media_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    start_ms BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    tags TEXT NOT NULL,
    status TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX clips_by_user ON clips (user_id, event_id);

CREATE TABLE answers (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    call TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    body TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (user_id, call, key)
);
CREATE INDEX answers_by_time ON answers (at);

-- What is to be sent; a row goes when it was.
CREATE TABLE mails (
    id BIGINT NOT NULL PRIMARY KEY,
    sender_name TEXT NOT NULL,
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL
);
CREATE INDEX mails_due ON mails (due_at);

CREATE TABLE status_heads (
    scope TEXT NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL
);

CREATE TABLE status_log (
    scope TEXT NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (scope, seq)
);
CREATE INDEX status_log_by_time ON status_log (at);

-- The last state of each resource: what a snapshot is made of.
CREATE TABLE status_latest (
    scope TEXT NOT NULL,
    kind TEXT NOT NULL,
    id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (scope, kind, id)
);

CREATE TABLE sandbox_cards (
    id TEXT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    brand TEXT NOT NULL,
    last4 TEXT NOT NULL,
    exp_month BIGINT NOT NULL,
    exp_year BIGINT NOT NULL,
    behaviour TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX sandbox_cards_by_user ON sandbox_cards (user_id);

-- "As the payment provider counts": one row for each idempotency key, never two.
CREATE TABLE sandbox_charges (
    idempotency_key TEXT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    card_id TEXT NOT NULL,
    amount BIGINT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL,
    failure TEXT,
    client_secret TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX sandbox_charges_by_secret ON sandbox_charges (client_secret);
