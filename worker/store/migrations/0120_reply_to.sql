-- The address that a reply to the email goes to, if it is not the sender's.
ALTER TABLE mails ADD COLUMN reply_to TEXT;
