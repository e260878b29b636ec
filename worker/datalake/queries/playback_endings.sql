-- Endings of viewings by CDN, and the quartiles of their prerolls.
SELECT
    coalesce(cdn, '') AS cdn,
    ending,
    count(*) AS viewings,
    round(avg(watch_time) / 60, 2) AS minutes,
    count(*) FILTER (spot_quartile IS NOT NULL) AS spots_begun,
    count(*) FILTER (spot_quartile = 100) AS spots_completed
FROM viewing
GROUP BY cdn, ending
ORDER BY viewings DESC, cdn, ending;
