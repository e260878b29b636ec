-- Answers to the question about analytics, by channel and day (UTC), and the share that refuses. Who changes their mind
-- answers again. A day's refusals are known once it is over, so the newest day has none.
WITH answers AS (
    SELECT channel, CAST(occurred_at AT TIME ZONE 'UTC' AS DATE) AS day, 1 AS given, 0 AS refused
    FROM event
    WHERE event = 'consent_given'
    UNION ALL
    SELECT channel, CAST(occurred_at AT TIME ZONE 'UTC' AS DATE),
           CASE event WHEN 'consent_given' THEN count ELSE 0 END, CASE event WHEN 'consent_refused' THEN count ELSE 0 END
    FROM event_count
    WHERE event IN ('consent_given', 'consent_refused')
)
SELECT channel, day, CAST(sum(given) AS BIGINT) AS given, CAST(sum(refused) AS BIGINT) AS refused,
       round(100.0 * sum(refused) / sum(given + refused), 1) AS refused_percent
FROM answers
GROUP BY channel, day
ORDER BY channel, day;
