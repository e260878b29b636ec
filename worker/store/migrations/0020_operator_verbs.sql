-- What operators did: a line is there before the act begins, and says then how it ended. It names people by id alone.

CREATE TABLE audit_log (
    id BIGINT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL,
    operator TEXT NOT NULL,
    act TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL,
    -- `begun`, `done` or `failed`.
    outcome TEXT NOT NULL
);

-- Promo codes that the operator added, and codes of a channel's folder that the operator ended.
CREATE TABLE promo_codes (
    channel_key TEXT NOT NULL,
    -- Lower case: what makes a code the same.
    code_folded TEXT NOT NULL,
    code TEXT NOT NULL,
    percent BIGINT,
    amount BIGINT,
    -- Pairs of type and id; none for everything.
    products TEXT NOT NULL,
    max_uses BIGINT,
    starts_at BIGINT,
    ends_at BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (channel_key, code_folded)
);

-- How often a code was used: orders that carry it and did not fail.
CREATE INDEX orders_by_promo_code ON orders (channel_key, promo_code) WHERE promo_code IS NOT NULL;
CREATE INDEX orders_by_time ON orders (created_at);
