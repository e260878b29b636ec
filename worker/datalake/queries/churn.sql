-- Churn by channel and month, trials included: subscriptions running at the start of the month, new ones, and ended ones.
-- running + began - ended is the next month's running. churned are those that ended of the ones running at the start. The
-- month of the newest event is not complete. A refund that did not reach the card may reactivate a subscription.
WITH moments AS (
    SELECT channel, order_id, event, occurred_at,
           max(occurred_at) FILTER (event = 'reopened') OVER (PARTITION BY channel, order_id) AS reopened_at
    FROM subscription_event
), lives AS (
    -- Later refunds of an ended subscription do not move its end.
    SELECT channel, order_id,
           min(occurred_at) FILTER (event IN ('paid', 'granted', 'trial_started')) AS began_at,
           min(occurred_at) FILTER (event IN ('ended', 'refunded', 'disputed')
               AND (reopened_at IS NULL OR occurred_at > reopened_at)) AS ended_at
    FROM moments
    GROUP BY channel, order_id
    HAVING began_at IS NOT NULL
), months AS (
    SELECT unnest(generate_series(
        (SELECT date_trunc('month', min(began_at)) FROM lives),
        (SELECT date_trunc('month', max(occurred_at)) FROM subscription_event),
        INTERVAL 1 MONTH
    )) AS month
)
SELECT
    channel,
    month,
    count(*) FILTER (began_at < month AND (ended_at IS NULL OR ended_at >= month)) AS running,
    count(*) FILTER (began_at >= month AND began_at < month + INTERVAL 1 MONTH) AS began,
    count(*) FILTER (ended_at >= month AND ended_at < month + INTERVAL 1 MONTH) AS ended,
    count(*) FILTER (began_at < month AND ended_at >= month AND ended_at < month + INTERVAL 1 MONTH) AS churned,
    round(100.0 * count(*) FILTER (began_at < month AND ended_at >= month AND ended_at < month + INTERVAL 1 MONTH)
        / nullif(count(*) FILTER (began_at < month AND (ended_at IS NULL OR ended_at >= month)), 0), 1) AS churn_percent,
    month < (SELECT max(month) FROM months) AS is_complete
FROM months CROSS JOIN lives
GROUP BY channel, month
ORDER BY channel, month;
