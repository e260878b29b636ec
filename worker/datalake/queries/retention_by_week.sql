-- Retention by channel and week: browsers (profiles) by the week of their first visit, and those of them that visited or
-- watched in a later week. A week that is not over at the newest event is not complete.
WITH active AS (
    SELECT DISTINCT channel, profile, date_trunc('week', occurred_at) AS week
    FROM (
        SELECT channel, profile, occurred_at FROM event WHERE event = 'visit' AND profile IS NOT NULL
        UNION ALL
        SELECT channel, profile, occurred_at FROM video_viewing WHERE profile IS NOT NULL
    ) AS traces
), newest AS (
    SELECT max(occurred_at) AS newest_at FROM event
), cohorts AS (
    SELECT channel, profile, week, min(week) OVER (PARTITION BY channel, profile) AS first_week FROM active
), counted AS (
    SELECT channel, first_week, week, count(*) AS profiles FROM cohorts GROUP BY ALL
)
SELECT
    channel,
    first_week,
    CAST(date_diff('day', first_week, week) / 7 AS BIGINT) AS weeks_later,
    profiles,
    round(100.0 * profiles / max(profiles) FILTER (week = first_week) OVER (PARTITION BY channel, first_week), 1)
        AS percent,
    week + INTERVAL 7 DAY <= (SELECT newest_at FROM newest) AS is_complete
FROM counted
ORDER BY channel, first_week, weeks_later;
