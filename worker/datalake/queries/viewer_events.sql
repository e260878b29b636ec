-- What viewers did, by channel, day (UTC) and kind: registrations, log-ins, searches and so on. Recorded with a profile
-- if the viewer allows analytics, otherwise only counted, once the day is over.
WITH actions AS (
    SELECT channel, CAST(occurred_at AT TIME ZONE 'UTC' AS DATE) AS day, event, 1 AS recorded, 0 AS counted
    FROM event
    WHERE event NOT IN ('visit', 'purchase')
    UNION ALL
    SELECT channel, CAST(occurred_at AT TIME ZONE 'UTC' AS DATE), event, 0, count
    FROM event_count
)
SELECT channel, day, event, CAST(sum(recorded) AS BIGINT) AS recorded, CAST(sum(counted) AS BIGINT) AS counted,
       CAST(sum(recorded + counted) AS BIGINT) AS total
FROM actions
GROUP BY channel, day, event
ORDER BY channel, day, event;
