-- From a visit to a registration to a purchase, by channel: browsers (profiles) that saw a page, then the registration
-- form, then recorded something while signed in, and whose person then paid, by the books. Each step includes the later
-- ones. Registration is not an event of its own: the first signed-in event after the form stands for it.
WITH visited AS (
    SELECT channel, profile, min(occurred_at) AS visited_at
    FROM event
    WHERE profile IS NOT NULL AND event = 'visit'
    GROUP BY channel, profile
), opened AS (
    SELECT v.channel, v.profile, min(e.occurred_at) AS opened_at
    FROM event AS e
    JOIN visited AS v ON e.profile = v.profile AND e.channel IS NOT DISTINCT FROM v.channel
    WHERE e.event = 'visit' AND (e.extras ->> 'page') = '/registration'
    GROUP BY v.channel, v.profile
), registered AS (
    SELECT o.channel, o.profile, e.user_id, min(e.occurred_at) AS registered_at
    FROM event AS e
    JOIN opened AS o ON e.profile = o.profile AND e.channel IS NOT DISTINCT FROM o.channel
    WHERE e.user_id IS NOT NULL AND e.occurred_at >= o.opened_at
    GROUP BY o.channel, o.profile, e.user_id
), bought AS (
    SELECT DISTINCT r.channel, r.profile
    FROM order_event AS b
    JOIN registered AS r ON b.user_id = r.user_id AND b.channel IS NOT DISTINCT FROM r.channel
    WHERE b.event = 'paid' AND b.occurred_at >= r.registered_at
), registered_profiles AS (
    SELECT DISTINCT channel, profile FROM registered
)
SELECT v.channel, count(*) AS visited, count(o.profile) AS opened_registration, count(r.profile) AS registered,
       count(b.profile) AS bought
FROM visited AS v
LEFT JOIN opened AS o ON o.profile = v.profile AND o.channel IS NOT DISTINCT FROM v.channel
LEFT JOIN registered_profiles AS r ON r.profile = v.profile AND r.channel IS NOT DISTINCT FROM v.channel
LEFT JOIN bought AS b ON b.profile = v.profile AND b.channel IS NOT DISTINCT FROM v.channel
GROUP BY v.channel
ORDER BY v.channel;
