-- A payment that its order did not take, since it had ended or was stopped meanwhile: it goes back whole.
ALTER TABLE charges ADD COLUMN accepted BOOLEAN NOT NULL DEFAULT TRUE;
DROP INDEX charges_paid;
CREATE UNIQUE INDEX charges_paid ON charges (order_id, renewal)
    WHERE status = 'succeeded' AND accepted AND kind IN ('purchase', 'renewal');

-- The charge that a letter is about: its moment is the provider's, the event's is when it was noticed.
ALTER TABLE order_notices ADD COLUMN charge_id BIGINT REFERENCES charges (id);
UPDATE order_notices SET charge_id = (
    SELECT MAX(c.id) FROM charges c JOIN order_events e ON e.order_id = c.order_id AND e.at = c.at
    WHERE e.order_id = order_notices.order_id AND e.version = order_notices.version);

-- Cards that were entered for one purchase, which has ended, and are to be taken off at the provider.
CREATE TABLE card_releases (
    user_id BIGINT NOT NULL REFERENCES users (id),
    payment_method_id TEXT NOT NULL,
    PRIMARY KEY (user_id, payment_method_id)
);
