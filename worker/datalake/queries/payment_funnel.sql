-- The payment funnel: signed-in people who opened the checkout, as browsers report; then, by the books, people whose
-- order was placed, needed a bank confirmation, was declined at least once, is pending, was paid, or cost nothing (a
-- trial or complimentary access).
WITH opened AS (
    SELECT DISTINCT channel, user_id FROM event
    WHERE event = 'visit' AND (extras ->> 'page') = '/buy' AND user_id IS NOT NULL
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
           bool_or(NOT is_paid AND NOT is_declined AND NOT is_free) AS waits,
           bool_or(is_paid) AS has_paid, bool_or(is_free) AS had_free
    FROM orders
    GROUP BY channel, user_id
)
SELECT
    (SELECT count(*) FROM opened) AS opened,
    count(*) AS entered,
    count(*) FILTER (was_asked) AS asked_by_bank,
    count(*) FILTER (was_declined) AS declined,
    count(*) FILTER (waits) AS waiting,
    count(*) FILTER (has_paid) AS paid,
    count(*) FILTER (had_free) AS free
FROM people;
