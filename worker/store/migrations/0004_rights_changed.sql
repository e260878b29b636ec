-- When a person's rights changed last: addresses of media that were given before stop working.

ALTER TABLE users ADD COLUMN rights_changed_at BIGINT;
CREATE INDEX users_by_rights_change ON users (rights_changed_at) WHERE rights_changed_at IS NOT NULL;
CREATE INDEX api_keys_by_revocation ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
