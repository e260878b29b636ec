-- Who may find a clip, which the operator hid, and clips of the library's videos (their event_id is 0).

ALTER TABLE clips ADD COLUMN visibility TEXT NOT NULL DEFAULT 'link';
ALTER TABLE clips ADD COLUMN hidden_at BIGINT;
ALTER TABLE clips ADD COLUMN vod_id BIGINT;
CREATE INDEX clips_public ON clips (channel_key, id) WHERE visibility = 'public';
