-- From when on the years of a subscription are counted: a plan of 29 February is one of the 29th again in leap years.

ALTER TABLE subscriptions ADD COLUMN anchor BIGINT NOT NULL DEFAULT 0;
UPDATE subscriptions SET anchor = current_period_end;
