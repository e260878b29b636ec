-- Preroll completion: viewings in which a preroll started, and those that saw its end.
WITH prerolls AS (
    SELECT
        stream_id AS preroll,
        video_view_uuid,
        bool_or(event = 'preroll_started') AS started,
        bool_or(event = 'preroll_ended') AS completed
    FROM video_event
    WHERE event IN ('preroll_started', 'preroll_ended')
    GROUP BY ALL
)
SELECT
    preroll,
    count(*) FILTER (started) AS started,
    count(*) FILTER (started AND completed) AS completed,
    round(100.0 * count(*) FILTER (started AND completed) / nullif(count(*) FILTER (started), 0), 1) AS percent
FROM prerolls
GROUP BY preroll
ORDER BY started DESC, preroll;
