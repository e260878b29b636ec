-- The purchase funnel: browsers (profiles) that saw a page, then the buying page, then paid, each step after the one
-- before it.
WITH steps AS (
    SELECT
        profile,
        min(occurred_at) FILTER (event = 'visit' AND extras ->> 'page' <> '/buy') AS viewed_at,
        max(occurred_at) FILTER (event = 'visit' AND extras ->> 'page' = '/buy') AS began_at,
        max(occurred_at) FILTER (event = 'purchase') AS bought_at
    FROM event
    WHERE profile IS NOT NULL
    GROUP BY profile
)
SELECT
    count(viewed_at) AS viewed,
    count(*) FILTER (began_at >= viewed_at) AS began,
    count(*) FILTER (began_at >= viewed_at AND bought_at >= began_at) AS bought
FROM steps;
