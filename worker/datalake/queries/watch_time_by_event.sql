-- Watch time by channel and event, minutes: of the event and of its clips. Library videos belong to no event.
SELECT
    channel,
    content_event_id AS event,
    round(coalesce(sum(watched_time) FILTER (content_type = 'event'), 0) / 60, 2) AS minutes,
    round(coalesce(sum(watched_time) FILTER (content_type = 'clip'), 0) / 60, 2) AS minutes_of_clips,
    count(DISTINCT content_id) FILTER (content_type = 'clip') AS clips
FROM watched
WHERE content_event_id IS NOT NULL
GROUP BY channel, event
ORDER BY minutes + minutes_of_clips DESC, channel, event;
