-- Conversion by channel and tracking value: browsers (profiles) that visited with it, those that opened the checkout and
-- those that bought within its three hours, and their orders. A purchase in `event` is a browser's claim, so it counts
-- only if the books have the order as paid, and only the first claim of an order. An empty trk is a visit without one.
-- A row without visitors: they came before the period, or their visits did not arrive.
WITH visits AS (
    SELECT channel, coalesce(trk, '') AS trk, profile, bool_or((extras ->> 'page') = '/buy') AS opened
    FROM event
    WHERE event = 'visit' AND profile IS NOT NULL
    GROUP BY ALL
), paid AS (
    SELECT DISTINCT channel, order_id FROM order_event WHERE event = 'paid'
), claims AS (
    SELECT channel, coalesce(trk, '') AS trk, profile, extras ->> 'transaction_id' AS order_id,
           row_number() OVER (PARTITION BY channel, extras ->> 'transaction_id' ORDER BY occurred_at, event_id) AS nth
    FROM event
    WHERE event = 'purchase'
), sales AS (
    SELECT c.channel, c.trk, count(*) AS orders, count(DISTINCT c.profile) AS buyers
    FROM claims AS c
    JOIN paid AS p ON p.order_id = c.order_id AND p.channel IS NOT DISTINCT FROM c.channel
    WHERE c.nth = 1
    GROUP BY c.channel, c.trk
), visitors AS (
    SELECT channel, trk, count(*) AS visitors, count(*) FILTER (opened) AS checkouts FROM visits GROUP BY channel, trk
)
SELECT coalesce(v.channel, s.channel) AS channel, coalesce(v.trk, s.trk) AS trk, coalesce(v.visitors, 0) AS visitors,
       coalesce(v.checkouts, 0) AS checkouts, coalesce(s.buyers, 0) AS buyers, coalesce(s.orders, 0) AS orders,
       round(100.0 * coalesce(s.buyers, 0) / v.visitors, 1) AS buyers_percent
FROM visitors AS v
FULL JOIN sales AS s ON s.trk = v.trk AND s.channel IS NOT DISTINCT FROM v.channel
ORDER BY channel, visitors DESC, trk;
