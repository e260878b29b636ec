-- The purchase funnel: browsers (profiles) that saw a page, then the checkout, then paid, each step after the first
-- occurrence of the previous one.
WITH viewed AS (
    SELECT profile, min(occurred_at) AS viewed_at
    FROM event
    WHERE profile IS NOT NULL AND event = 'visit' AND (extras ->> 'page') <> '/buy'
    GROUP BY profile
), began AS (
    SELECT profile, min(occurred_at) AS began_at
    FROM event
    JOIN viewed USING (profile)
    WHERE event = 'visit' AND (extras ->> 'page') = '/buy' AND occurred_at >= viewed_at
    GROUP BY profile
), bought AS (
    SELECT DISTINCT profile
    FROM event
    JOIN began USING (profile)
    WHERE event = 'purchase' AND occurred_at >= began_at
)
SELECT
    (SELECT count(*) FROM viewed) AS viewed,
    (SELECT count(*) FROM began) AS began,
    (SELECT count(*) FROM bought) AS bought;
