-- Watch time by sport, in hours, with the number of viewings.
SELECT
    coalesce(sport, 'unknown') AS sport,
    round(sum(viewing_time) / 3600, 3) AS hours,
    count(DISTINCT video_view_uuid) AS viewings
FROM video_viewing
GROUP BY ALL
ORDER BY hours DESC, sport;
