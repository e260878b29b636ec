-- The channel that an operator's action is about; none for what is about all of them, and in earlier entries.
ALTER TABLE audit_log ADD COLUMN channel_key TEXT;
