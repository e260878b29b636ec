-- Error codes by channel and number of viewings.
SELECT channel, code, count(*) AS viewings, count(*) FILTER (ending = 'failed') AS failed
FROM (
    SELECT DISTINCT channel, viewing, ending, unnest(CAST(error_codes AS VARCHAR[])) AS code
    FROM viewing WHERE error_codes IS NOT NULL
) AS met
GROUP BY channel, code
ORDER BY viewings DESC, channel, code;
