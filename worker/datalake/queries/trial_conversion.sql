-- Trials by channel, month of their start and subscription. Each trial is in one column: converted (paid afterwards),
-- cancelled (before it was paid, whether it has ended or not), ended (neither paid nor cancelled), or open (its free days
-- last, or its payment is retried). The percentage leaves open trials out.
WITH trials AS (
    SELECT channel, order_id, any_value(product_id) AS product_id,
           min(occurred_at) FILTER (event = 'trial_started') AS began_at,
           bool_or(event = 'renewed') AS is_paid,
           max(occurred_at) FILTER (event = 'cancelled') AS cancelled_at,
           max(occurred_at) FILTER (event = 'resumed') AS resumed_at,
           bool_or(event = 'ended') AS has_ended
    FROM subscription_event
    GROUP BY channel, order_id
    HAVING bool_or(event = 'trial_started')
), outcomes AS (
    SELECT *, CASE WHEN is_paid THEN 'converted'
                   WHEN cancelled_at > resumed_at OR cancelled_at IS NOT NULL AND resumed_at IS NULL THEN 'cancelled'
                   WHEN has_ended THEN 'ended'
                   ELSE 'open' END AS outcome
    FROM trials
)
SELECT
    t.channel,
    date_trunc('month', began_at) AS month,
    coalesce(s.name, t.product_id) AS subscription,
    count(*) AS trials,
    count(*) FILTER (outcome = 'converted') AS converted,
    count(*) FILTER (outcome = 'cancelled') AS cancelled,
    count(*) FILTER (outcome = 'ended') AS ended,
    count(*) FILTER (outcome = 'open') AS open,
    round(100.0 * count(*) FILTER (outcome = 'converted') / nullif(count(*) FILTER (outcome <> 'open'), 0), 1)
        AS converted_percent
FROM outcomes AS t
LEFT JOIN subscription_dim AS s ON s.channel = t.channel AND s.id = t.product_id
GROUP BY t.channel, month, t.product_id, s.name
ORDER BY t.channel, month, subscription;
