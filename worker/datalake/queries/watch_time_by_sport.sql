-- Watch time by channel and sport, in hours, with the number of viewings.
SELECT
    channel,
    coalesce(sport, 'unknown') AS sport,
    round(sum(watched_time) / 3600, 3) AS hours,
    count(DISTINCT video_view_uuid) AS viewings
FROM watched
GROUP BY ALL
ORDER BY hours DESC, channel, sport;
