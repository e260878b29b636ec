-- When the lake's queue took a row: what the lake has had for a while is forgotten here.
ALTER TABLE lake_rows ADD COLUMN taken_at BIGINT;
UPDATE lake_rows SET taken_at = at WHERE taken;

-- When the sandbox gave it back.
ALTER TABLE sandbox_refunds ADD COLUMN at BIGINT NOT NULL DEFAULT 0;
UPDATE sandbox_refunds SET at = (SELECT created_at FROM sandbox_charges c WHERE c.idempotency_key = sandbox_refunds.idempotency_key);
