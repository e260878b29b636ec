-- Watch time by channel and clip, minutes, with the number of viewings and the event of the clip.
SELECT
    channel,
    content_id AS clip,
    content_event_id AS event,
    round(sum(watched_time) / 60, 2) AS minutes,
    count(DISTINCT video_view_uuid) AS viewings
FROM watched
WHERE content_type = 'clip'
GROUP BY ALL
ORDER BY minutes DESC, channel, clip;
