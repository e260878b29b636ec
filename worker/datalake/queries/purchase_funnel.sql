-- The purchase funnel by channel: browsers (profiles) that saw a page, then the checkout, then paid, each step after
-- the first occurrence of the previous one. Each step includes the later ones; the payment is the browser's claim.
WITH viewed AS (
    SELECT channel, profile, min(occurred_at) AS viewed_at
    FROM event
    WHERE profile IS NOT NULL AND event = 'visit' AND (extras ->> 'page') <> '/buy'
    GROUP BY channel, profile
), began AS (
    SELECT v.channel, v.profile, min(e.occurred_at) AS began_at
    FROM event AS e
    JOIN viewed AS v ON e.profile = v.profile AND e.channel IS NOT DISTINCT FROM v.channel
    WHERE e.event = 'visit' AND (e.extras ->> 'page') = '/buy' AND e.occurred_at >= v.viewed_at
    GROUP BY v.channel, v.profile
), bought AS (
    SELECT DISTINCT b.channel, b.profile
    FROM event AS e
    JOIN began AS b ON e.profile = b.profile AND e.channel IS NOT DISTINCT FROM b.channel
    WHERE e.event = 'purchase' AND e.occurred_at >= b.began_at
)
SELECT v.channel, count(*) AS viewed, count(b.profile) AS began, count(p.profile) AS bought
FROM viewed AS v
LEFT JOIN began AS b ON b.profile = v.profile AND b.channel IS NOT DISTINCT FROM v.channel
LEFT JOIN bought AS p ON p.profile = v.profile AND p.channel IS NOT DISTINCT FROM v.channel
GROUP BY v.channel
ORDER BY v.channel;
