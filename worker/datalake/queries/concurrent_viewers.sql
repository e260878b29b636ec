-- Concurrent viewers by minute, channel and content (a game, a clip, a library video): viewings in progress. A
-- heartbeat covers the watched_time seconds before it. The sum over the contents is the channel's audience.
WITH covered AS (
    SELECT
        channel, content_type, content_id, video_view_uuid,
        unnest(generate_series(
            date_trunc('minute', occurred_at - to_microseconds(CAST(watched_time * 1000000 AS BIGINT))),
            date_trunc('minute', occurred_at - INTERVAL 1 MICROSECOND),
            INTERVAL 1 MINUTE
        )) AS minute
    FROM watched
    WHERE watched_time > 0
)
SELECT c.minute, c.channel, c.content_type, c.content_id, e.name AS game,
       count(DISTINCT c.video_view_uuid) AS viewers
FROM covered AS c
LEFT JOIN event_dim AS e ON c.content_type = 'event' AND e.channel = c.channel AND e.id = c.content_id
GROUP BY c.minute, c.channel, c.content_type, c.content_id, e.name
ORDER BY minute, channel, viewers DESC, content_type, content_id;
