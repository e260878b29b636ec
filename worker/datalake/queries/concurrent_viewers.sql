-- Concurrent viewers by minute: viewings in progress. A heartbeat covers the viewing_time seconds before it.
WITH covered AS (
    SELECT
        video_view_uuid,
        unnest(generate_series(
            date_trunc('minute', occurred_at - to_milliseconds(CAST(viewing_time * 1000 AS BIGINT))),
            date_trunc('minute', occurred_at),
            INTERVAL 1 MINUTE
        )) AS minute
    FROM video_viewing
    WHERE viewing_time > 0
)
SELECT minute, count(DISTINCT video_view_uuid) AS viewers
FROM covered
GROUP BY minute
ORDER BY minute;
