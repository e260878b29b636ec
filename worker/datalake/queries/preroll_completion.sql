-- Preroll completion by channel: viewings in which a preroll started. Each of them is in one column: completed, skipped,
-- failed, or abandoned (the viewer went, or the events are still to come). not_started are those that failed before the
-- first frame.
WITH prerolls AS (
    SELECT
        channel,
        stream_id AS preroll,
        video_view_uuid,
        bool_or(event = 'preroll_started') AS started,
        bool_or(event = 'preroll_ended') AS completed,
        bool_or(event = 'preroll_skipped') AS skipped,
        bool_or(event = 'preroll_failed') AS failed
    FROM video_event
    WHERE starts_with(event, 'preroll_')
    GROUP BY channel, stream_id, video_view_uuid
)
SELECT
    channel,
    preroll,
    count(*) FILTER (started) AS started,
    count(*) FILTER (started AND completed) AS completed,
    count(*) FILTER (started AND NOT completed AND skipped) AS skipped,
    count(*) FILTER (started AND NOT completed AND NOT skipped AND failed) AS failed,
    count(*) FILTER (started AND NOT completed AND NOT skipped AND NOT failed) AS abandoned,
    round(100.0 * count(*) FILTER (started AND completed) / nullif(count(*) FILTER (started), 0), 1) AS percent,
    count(*) FILTER (NOT started AND failed) AS not_started
FROM prerolls
GROUP BY channel, preroll
ORDER BY started DESC, channel, preroll;
