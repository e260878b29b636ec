-- Renditions by height: minutes, and their share.
SELECT
    CAST(shown ->> 'height' AS DOUBLE) AS height,
    round(sum(CAST(shown ->> 's' AS DOUBLE)) / 60, 2) AS minutes,
    round(100.0 * sum(CAST(shown ->> 's' AS DOUBLE)) / sum(sum(CAST(shown ->> 's' AS DOUBLE))) OVER (), 1) AS percent,
    count(DISTINCT viewing) AS viewings
FROM (SELECT viewing, unnest(CAST(renditions AS JSON[])) AS shown FROM viewing WHERE renditions IS NOT NULL) AS stretches
GROUP BY height
ORDER BY height;
