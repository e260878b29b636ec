-- Whom a letter is for: who is erased is forgotten with their letters, and with nobody else's.

ALTER TABLE mails ADD COLUMN user_id BIGINT;
