-- Written from worker/datalake/src/schema.rs, as docs/datalake.md is. The views in standard SQL, over the Delta tables
-- registered as lake.session, lake.event, lake.video_event and lake.video_viewing. They keep one row of an event_id.

CREATE VIEW session AS
SELECT
    event_id, sender_at, received_at, occurred_at, profile, session, device_type, user_agent, resolution, platform, origin_url, trk, other, channel, analytics_key, country, language, referrer, app_version, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, profile, session, device_type, user_agent, resolution, platform, origin_url, trk, other, channel, analytics_key, country, language, referrer, app_version, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.session AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW event AS
SELECT
    event_id, sender_at, received_at, occurred_at, event, profile, session_uuid, user_id, user_email, extras, origin_url, trk, other, channel, analytics_key, country, language, referrer, app_version, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, event, profile, session_uuid, user_id, user_email, extras, origin_url, trk, other, channel, analytics_key, country, language, referrer, app_version, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.event AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW video_event AS
SELECT
    event_id, sender_at, received_at, occurred_at, event, video_view_uuid, stream_id, stream_type, profile, session_uuid, user_id, user_email, extras, origin_url, trk, other, content_type, content_id, content_event_id, channel, analytics_key, country, language, referrer, app_version, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, event, video_view_uuid, stream_id, stream_type, profile, session_uuid, user_id, user_email, extras, origin_url, trk, other, content_type, content_id, content_event_id, channel, analytics_key, country, language, referrer, app_version, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.video_event AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW video_viewing AS
SELECT
    event_id, sender_at, received_at, occurred_at, viewing_time, category, sport, gender, school, league, video_view_uuid, stream_id, stream_type, profile, session_uuid, user_id, user_email, origin_url, trk, other, content_type, content_id, content_event_id, channel, analytics_key, country, language, referrer, app_version, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, viewing_time, category, sport, gender, school, league, video_view_uuid, stream_id, stream_type, profile, session_uuid, user_id, user_email, origin_url, trk, other, content_type, content_id, content_event_id, channel, analytics_key, country, language, referrer, app_version, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.video_viewing AS r
) AS numbered
WHERE nth = 1;
