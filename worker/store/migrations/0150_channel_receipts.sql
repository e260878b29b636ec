-- Each channel numbers its receipts in series of its own. `letter` counts the restores before them, and `seller` the
-- channels that had a receipt before this one. `payments` and `refunds` are the last numbers.
CREATE TABLE receipt_series (
    channel_key TEXT NOT NULL,
    letter BIGINT NOT NULL,
    seller BIGINT NOT NULL,
    payments BIGINT NOT NULL,
    refunds BIGINT NOT NULL,
    PRIMARY KEY (channel_key, letter),
    UNIQUE (letter, seller)
);
-- 0 in earlier receipts, which channels shared. `receipt` is absent for a charge without a receipt.
ALTER TABLE charges ADD COLUMN seller BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX charges_by_receipt ON charges (series, seller, (kind IN ('purchase', 'renewal')), receipt)
    WHERE receipt IS NOT NULL;
-- Shared series end here. In a database that workers of the previous release may use, they continue `receipt_series`.
INSERT INTO remembered (name, value)
SELECT 'receipt_letter', CAST(1 + COALESCE((
    SELECT CAST(value AS BIGINT) FROM remembered WHERE name = 'receipt_series'), 0) AS TEXT)
WHERE EXISTS (SELECT 1 FROM charges) OR EXISTS (SELECT 1 FROM remembered WHERE name IN ('place', 'receipt_series'));
