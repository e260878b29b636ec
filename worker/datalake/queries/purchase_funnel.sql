-- The purchase funnel: browsers (profiles) that went from a page view to the buying page to an order, each step after
-- the one before it.
WITH steps AS (
    SELECT
        profile,
        min(occurred_at) FILTER (event = 'page_view') AS viewed_at,
        min(occurred_at) FILTER (event = 'begin_checkout') AS began_at,
        min(occurred_at) FILTER (event = 'purchase') AS bought_at
    FROM event
    WHERE profile IS NOT NULL
    GROUP BY profile
)
SELECT
    count(viewed_at) AS viewed,
    count(*) FILTER (began_at >= viewed_at) AS began,
    count(*) FILTER (began_at >= viewed_at AND bought_at >= began_at) AS bought
FROM steps;
