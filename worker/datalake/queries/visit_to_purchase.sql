-- From a visit to a registration to a purchase, by channel: browsers (profiles) that saw a page, then the registration
-- form, then registered, and whose person then paid, by the books. Each step includes the later ones. Registrations
-- without consent have no profile: viewer_events.sql counts them.
WITH visited AS (
    SELECT channel, profile, bool_or((extras ->> 'page') = '/registration') AS opened
    FROM event
    WHERE profile IS NOT NULL AND event = 'visit'
    GROUP BY channel, profile
), registered AS (
    SELECT channel, profile, user_id, min(occurred_at) AS registered_at
    FROM event
    WHERE event = 'registered'
    GROUP BY channel, profile, user_id
), buyers AS (
    SELECT r.channel, r.profile, bool_or(b.order_id IS NOT NULL) AS bought
    FROM registered AS r
    LEFT JOIN order_event AS b ON b.user_id = r.user_id AND b.channel IS NOT DISTINCT FROM r.channel
        AND b.event = 'paid' AND b.occurred_at >= r.registered_at
    GROUP BY r.channel, r.profile
)
SELECT v.channel, count(*) AS visited, count(*) FILTER (v.opened OR b.profile IS NOT NULL) AS opened_registration,
       count(b.profile) AS registered, count(*) FILTER (b.bought) AS bought
FROM visited AS v
LEFT JOIN buyers AS b ON b.profile = v.profile AND b.channel IS NOT DISTINCT FROM v.channel
GROUP BY v.channel
ORDER BY v.channel;
