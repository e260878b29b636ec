-- The payment funnel by channel: signed-in people who opened the checkout, as browsers report; then, by the books, people
-- who placed an order (entered). Each of them is in one column, by their best order: paid, free (a trial or complimentary
-- access), waiting for a payment, or declined. asked_by_bank and had_decline count those who met it on the way.
WITH opened AS (
    SELECT channel, count(DISTINCT user_id) AS opened FROM event
    WHERE event = 'visit' AND (extras ->> 'page') = '/buy' AND user_id IS NOT NULL
    GROUP BY channel
), orders AS (
    SELECT channel, user_id, order_id,
           bool_or(event = 'paid') AS is_paid,
           bool_or(event = 'failed') AS is_declined,
           bool_or(event = 'action_needed') AS is_asked,
           bool_or(event IN ('trial_started', 'granted')) AS is_free
    FROM order_event
    WHERE event IN ('placed', 'action_needed', 'paid', 'failed', 'trial_started', 'granted') AND user_id IS NOT NULL
    GROUP BY channel, user_id, order_id
), people AS (
    SELECT channel, user_id, bool_or(is_asked) AS was_asked, bool_or(is_declined) AS was_declined,
           CASE WHEN bool_or(is_paid) THEN 'paid' WHEN bool_or(is_free) THEN 'free'
                WHEN bool_or(NOT is_declined) THEN 'waiting' ELSE 'declined' END AS outcome
    FROM orders
    GROUP BY channel, user_id
), counted AS (
    SELECT
        channel,
        count(*) AS entered,
        count(*) FILTER (outcome = 'paid') AS paid,
        count(*) FILTER (outcome = 'free') AS free,
        count(*) FILTER (outcome = 'waiting') AS waiting,
        count(*) FILTER (outcome = 'declined') AS declined,
        count(*) FILTER (was_asked) AS asked_by_bank,
        count(*) FILTER (was_declined) AS had_decline
    FROM people
    GROUP BY channel
)
SELECT channel, coalesce(opened, 0) AS opened, coalesce(entered, 0) AS entered, coalesce(paid, 0) AS paid,
       coalesce(free, 0) AS free, coalesce(waiting, 0) AS waiting, coalesce(declined, 0) AS declined,
       coalesce(asked_by_bank, 0) AS asked_by_bank, coalesce(had_decline, 0) AS had_decline
FROM opened
FULL JOIN counted USING (channel)
ORDER BY channel;
