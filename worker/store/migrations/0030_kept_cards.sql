-- The cards that people keep for the next purchase; the cards themselves are the provider's.
CREATE TABLE kept_cards (
    user_id BIGINT NOT NULL REFERENCES users (id),
    payment_method_id TEXT NOT NULL,
    kept_at BIGINT NOT NULL,
    -- Entered by itself, outside of a purchase: it is offered before anything was paid with it.
    added BOOLEAN NOT NULL,
    is_default BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, payment_method_id)
);
INSERT INTO kept_cards (user_id, payment_method_id, kept_at, added, is_default)
SELECT user_id, payment_method_id, MAX(created_at), FALSE, FALSE FROM orders
WHERE payment_method_id <> '' GROUP BY user_id, payment_method_id;
