-- One lifecycle for subscriptions, money that was given back, and a row for each attempt to move money.

ALTER TABLE orders ADD COLUMN refunded_minor BIGINT NOT NULL DEFAULT 0;

-- unpaid, trialing, active, past_due, cancelling, ended
ALTER TABLE subscriptions ADD COLUMN lifecycle TEXT NOT NULL DEFAULT 'unpaid';
-- How often the renewal that is due was refused.
ALTER TABLE subscriptions ADD COLUMN failed_attempts BIGINT NOT NULL DEFAULT 0;
-- The service fee within the price of a renewal, minor units.
ALTER TABLE subscriptions ADD COLUMN renewal_fee BIGINT NOT NULL DEFAULT 0;
UPDATE subscriptions SET lifecycle = CASE
    WHEN status = 'inactive' THEN 'unpaid'
    WHEN status IN ('expired', 'canceled') THEN 'ended'
    WHEN auto_renew = 'cancelled' THEN 'cancelling'
    WHEN renewals = 0 AND trial_days > 0 THEN 'trialing'
    ELSE 'active' END;
ALTER TABLE subscriptions DROP COLUMN status;
ALTER TABLE subscriptions DROP COLUMN auto_renew;

-- What a viewer sees as a transaction. A refund that is asked for is pending until the provider has made it.
CREATE TABLE charges (
    id BIGINT NOT NULL PRIMARY KEY,
    order_id BIGINT NOT NULL REFERENCES orders (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    -- purchase, renewal, refund, dispute, dispute_won
    kind TEXT NOT NULL,
    -- pending, succeeded, failed
    status TEXT NOT NULL,
    -- 0 for the order's first payment, n for its n-th renewal; of a refund, the payment's.
    renewal BIGINT NOT NULL,
    -- Of a refund or dispute: the payment.
    of_charge BIGINT REFERENCES charges (id),
    -- Minor units, never negative; the kind says which way the money went.
    amount BIGINT NOT NULL,
    -- The service fee within the amount.
    fee BIGINT NOT NULL,
    currency TEXT NOT NULL,
    -- Of the card; absent where the person was erased.
    card_brand TEXT,
    card_last4 TEXT,
    -- Why it failed, for the viewer.
    failure TEXT,
    -- The payment provider's id of it; unique, so that nothing is written down twice.
    provider_id TEXT NOT NULL UNIQUE,
    at BIGINT NOT NULL
);
CREATE INDEX charges_by_user ON charges (user_id, id);
CREATE INDEX charges_by_order ON charges (order_id, id);
CREATE INDEX charges_pending ON charges (id) WHERE status = 'pending';
-- One payment of an order is made once.
CREATE UNIQUE INDEX charges_paid ON charges (order_id, renewal)
    WHERE status = 'succeeded' AND kind IN ('purchase', 'renewal');
