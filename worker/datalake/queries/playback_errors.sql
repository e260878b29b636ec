-- Error codes by number of viewings.
SELECT code, count(*) AS viewings, count(*) FILTER (ending = 'failed') AS failed
FROM (SELECT ending, unnest(CAST(error_codes AS VARCHAR[])) AS code FROM viewing WHERE error_codes IS NOT NULL) AS met
GROUP BY code
ORDER BY viewings DESC, code;
