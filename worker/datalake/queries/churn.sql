-- Churn by month: subscriptions active at the start of the month, those of them that ended in it, and new ones.
-- A refund that did not reach the card may reactivate a subscription until its end.
WITH moments AS (
    SELECT channel, order_id,
           min(occurred_at) FILTER (event IN ('paid', 'granted', 'trial_started')) AS began_at,
           max(occurred_at) FILTER (event IN ('ended', 'refunded', 'disputed')) AS closed_at,
           max(occurred_at) FILTER (event = 'reopened') AS reopened_at
    FROM subscription_event
    GROUP BY channel, order_id
    HAVING began_at IS NOT NULL
), lives AS (
    SELECT began_at, CASE WHEN closed_at < reopened_at THEN NULL ELSE closed_at END AS ended_at
    FROM moments
), months AS (
    SELECT unnest(generate_series(
        (SELECT date_trunc('month', min(began_at)) FROM lives),
        (SELECT date_trunc('month', max(coalesce(ended_at, began_at))) FROM lives),
        INTERVAL 1 MONTH
    )) AS month
)
SELECT
    month,
    count(*) FILTER (began_at < month AND (ended_at IS NULL OR ended_at >= month)) AS running,
    count(*) FILTER (began_at >= month AND began_at < month + INTERVAL 1 MONTH) AS began,
    count(*) FILTER (ended_at >= month AND ended_at < month + INTERVAL 1 MONTH) AS ended,
    round(100.0 * count(*) FILTER (began_at < month AND ended_at >= month AND ended_at < month + INTERVAL 1 MONTH)
        / nullif(count(*) FILTER (began_at < month AND (ended_at IS NULL OR ended_at >= month)), 0), 1) AS churn_percent
FROM months CROSS JOIN lives
GROUP BY month
ORDER BY month;
