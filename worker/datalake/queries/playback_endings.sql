-- Endings of viewings by channel and CDN, with the mean minutes of a viewing, and the quartiles of their prerolls.
SELECT
    channel,
    coalesce(cdn, '') AS cdn,
    ending,
    count(*) AS viewings,
    round(avg(watched_time) / 60, 2) AS minutes,
    count(*) FILTER (spot_quartile IS NOT NULL) AS spots_begun,
    count(*) FILTER (spot_quartile = 100) AS spots_completed
FROM viewing
GROUP BY channel, cdn, ending
ORDER BY viewings DESC, channel, cdn, ending;
