-- What the books tell the lake: written with the change that it tells of, taken to the lake's queue afterwards. A row
-- stays when it was taken, so that the books can be held against it.

CREATE TABLE lake_rows (
    id BIGINT NOT NULL PRIMARY KEY,
    lake_table TEXT NOT NULL,
    -- Made from what the row is about: hexadecimal, 128 bits.
    event_id TEXT NOT NULL UNIQUE,
    -- Whose; the erased have none.
    user_id BIGINT,
    order_id BIGINT,
    -- What moved, minor units; below 0 where money went back.
    net BIGINT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    taken BOOLEAN NOT NULL
);
CREATE INDEX lake_rows_waiting ON lake_rows (id) WHERE NOT taken;
CREATE INDEX lake_rows_by_order ON lake_rows (order_id) WHERE order_id IS NOT NULL;

-- The dimensions as the lake has them last.
CREATE TABLE lake_dimensions (
    channel_key TEXT NOT NULL,
    lake_table TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (channel_key, lake_table, id)
);

-- Events of orders that their viewer is to be written a letter about; a row goes when it is queued.
CREATE TABLE order_notices (
    order_id BIGINT NOT NULL REFERENCES orders (id),
    version BIGINT NOT NULL,
    PRIMARY KEY (order_id, version)
);

-- Periods whose end a viewer was reminded of.
CREATE TABLE renewal_reminders (
    order_id BIGINT NOT NULL REFERENCES orders (id),
    period_end BIGINT NOT NULL,
    PRIMARY KEY (order_id, period_end)
);

CREATE INDEX charges_by_time ON charges (at);

-- What the sandbox gave back, under the name that it was asked by: never twice.
CREATE TABLE sandbox_refunds (
    name TEXT NOT NULL PRIMARY KEY,
    idempotency_key TEXT NOT NULL REFERENCES sandbox_charges (idempotency_key),
    amount BIGINT NOT NULL
);
CREATE INDEX sandbox_refunds_by_charge ON sandbox_refunds (idempotency_key);
