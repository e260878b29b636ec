-- What is read once: who a provider says somebody is, until they accept the terms at whichever worker.
ALTER TABLE tokens ADD COLUMN text TEXT;
