-- What is still to be cut, and which files belong to a clip.

CREATE INDEX clips_waiting ON clips (id) WHERE status IN ('queued', 'processing');
CREATE UNIQUE INDEX clips_by_uuid ON clips (uuid);
CREATE INDEX clips_by_channel ON clips (channel_key);
