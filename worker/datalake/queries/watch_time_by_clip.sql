-- Watch time by clip, minutes, with the number of viewings and the event of the clip.
SELECT
    content_id AS clip,
    content_event_id AS event,
    round(sum(viewing_time) / 60, 2) AS minutes,
    count(DISTINCT video_view_uuid) AS viewings
FROM video_viewing
WHERE content_type = 'clip'
GROUP BY ALL
ORDER BY minutes DESC, clip;
