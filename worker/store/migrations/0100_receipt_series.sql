-- Receipts have a series for each restore of the records: a number that was sent to somebody is never used again. `series`
-- counts the restores before the charge. `receipt` is the number within the series; absent for earlier charges, whose
-- number is their id.
ALTER TABLE charges ADD COLUMN receipt BIGINT;
ALTER TABLE charges ADD COLUMN series BIGINT NOT NULL DEFAULT 0;
