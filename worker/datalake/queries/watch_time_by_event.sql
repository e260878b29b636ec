-- Watch time by event, minutes: of the event and of its clips. Library videos belong to no event.
SELECT
    content_event_id AS event,
    round(coalesce(sum(viewing_time) FILTER (content_type = 'event'), 0) / 60, 2) AS minutes,
    round(coalesce(sum(viewing_time) FILTER (content_type = 'clip'), 0) / 60, 2) AS minutes_of_clips,
    count(DISTINCT content_id) FILTER (content_type = 'clip') AS clips
FROM video_viewing
WHERE content_event_id IS NOT NULL
GROUP BY event
ORDER BY minutes + minutes_of_clips DESC, event;
