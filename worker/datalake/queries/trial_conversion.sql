-- Trials by the month of their start: paid at their end, cancelled, or ended unpaid.
WITH trials AS (
    SELECT channel, order_id, any_value(product_id) AS product_id,
           min(occurred_at) FILTER (event = 'trial_started') AS began_at,
           bool_or(event = 'renewed') AS is_converted,
           bool_or(event = 'cancelled') AND NOT bool_or(event = 'renewed') AS is_cancelled,
           bool_or(event = 'ended') AND NOT bool_or(event = 'renewed') AS is_ended
    FROM subscription_event
    GROUP BY channel, order_id
    HAVING bool_or(event = 'trial_started')
)
SELECT
    date_trunc('month', began_at) AS month,
    coalesce(s.name, t.product_id) AS subscription,
    count(*) AS trials,
    count(*) FILTER (is_converted) AS converted,
    count(*) FILTER (is_cancelled) AS cancelled,
    count(*) FILTER (is_ended) AS ended,
    round(100.0 * count(*) FILTER (is_converted) / count(*), 1) AS converted_percent
FROM trials AS t
LEFT JOIN subscription_dim AS s ON s.channel = t.channel AND s.id = t.product_id
GROUP BY month, subscription
ORDER BY month, subscription;
