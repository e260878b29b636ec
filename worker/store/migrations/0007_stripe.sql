-- Who a person is at the payment provider.
CREATE TABLE customers (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id),
    customer_id TEXT NOT NULL UNIQUE
);

-- The payment intent or subscription of an order at the provider, on disk before any money can move by it.
ALTER TABLE orders ADD COLUMN provider_ref TEXT;
CREATE UNIQUE INDEX orders_by_provider_ref ON orders (provider_ref) WHERE provider_ref IS NOT NULL;

-- What the provider told, by its own id; applied once, in the transaction of what it changes. Only references are kept.
CREATE TABLE webhooks (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    -- The order that it names, and the provider's ids in it: a JSON list.
    order_id BIGINT,
    refs TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    -- When it is to be applied; absent when it was.
    due_at BIGINT,
    attempts BIGINT NOT NULL
);
CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhooks_by_time ON webhooks (received_at);
