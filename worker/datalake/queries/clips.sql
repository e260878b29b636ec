-- Clips by channel and week: first seen, opened from a shared link (with the number of browsers), and watched (with
-- viewings and minutes). A clip is first seen when its player or its shared page is first opened. viewer_events.sql has
-- the numbers of clips created and shared.
WITH traces AS (
    SELECT channel, content_id AS clip, occurred_at, video_view_uuid AS viewing, NULL AS visitor, watched_time
    FROM watched WHERE content_type = 'clip'
    UNION ALL
    SELECT channel, content_id, occurred_at, NULL, NULL, 0
    FROM video_event WHERE content_type = 'clip'
    UNION ALL
    SELECT channel, split_part(extras ->> 'page', '/', 3), occurred_at, NULL, coalesce(profile, event_id), 0
    FROM event WHERE event = 'visit' AND starts_with(extras ->> 'page', '/share/')
), weeks AS (
    SELECT *, date_trunc('week', occurred_at) AS week,
           date_trunc('week', min(occurred_at) OVER (PARTITION BY channel, clip)) AS first_week
    FROM traces
)
SELECT
    channel,
    week,
    count(DISTINCT clip) FILTER (week = first_week) AS first_seen,
    count(DISTINCT clip) FILTER (visitor IS NOT NULL) AS opened_by_link,
    count(DISTINCT visitor) AS visitors,
    count(DISTINCT clip) FILTER (watched_time > 0) AS watched,
    count(DISTINCT viewing) FILTER (watched_time > 0) AS viewings,
    round(sum(watched_time) / 60, 2) AS minutes
FROM weeks
GROUP BY channel, week
ORDER BY channel, week;
