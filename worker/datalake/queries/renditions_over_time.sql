-- Renditions by channel and height: minutes, and their share of the channel's. The renditions of a viewing count for no
-- more than its watched_time.
WITH stretches AS (
    SELECT channel, viewing, watched_time, unnest(CAST(renditions AS JSON[])) AS shown
    FROM viewing WHERE renditions IS NOT NULL
), counted AS (
    SELECT channel, viewing, CAST(shown ->> 'height' AS DOUBLE) AS height,
           CAST(shown ->> 's' AS DOUBLE) * least(1, watched_time
               / nullif(sum(CAST(shown ->> 's' AS DOUBLE)) OVER (PARTITION BY viewing), 0)) AS seconds
    FROM stretches
)
SELECT
    channel,
    height,
    round(sum(seconds) / 60, 2) AS minutes,
    round(100.0 * sum(seconds) / sum(sum(seconds)) OVER (PARTITION BY channel), 1) AS percent,
    count(DISTINCT viewing) AS viewings
FROM counted
GROUP BY channel, height
ORDER BY channel, height;
