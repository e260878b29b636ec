-- The address that the email comes from, if it is not the deployment's.
ALTER TABLE mails ADD COLUMN sender_address TEXT;
