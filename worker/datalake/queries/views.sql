-- The views of all queries, for DuckDB. Set the lake's folder first, once per session:
--   SET VARIABLE lake = 'data/lake';           -- or 's3://bucket/prefix', after INSTALL httpfs
-- They read the tables' logs, so that joined files and files of erased people are skipped, and keep one row per
-- event_id: an unanswered batch that its browser sent to another worker counts once. Run this again to see later
-- events. `at`, the sender's time, is called sender_at here, because `at` is an SQL keyword.

-- The newest checkpoint of each table's log, and the commits since.
SET VARIABLE checkpoints = (
    SELECT list(file) FROM (
        SELECT max(file) AS file FROM glob(getvariable('lake') || '/*/_delta_log/*.checkpoint.parquet')
        GROUP BY split_part(file, '/_delta_log/', 1)
    )
);
SET VARIABLE commits = (
    SELECT list(file) FROM (
        SELECT file
        FROM (
            SELECT file, split_part(file, '/_delta_log/', 1) AS root,
                   TRY_CAST(left(split_part(file, '/_delta_log/', 2), 20) AS BIGINT) AS version
            FROM glob(getvariable('lake') || '/*/_delta_log/*.json')
        ) AS commits
        JOIN (
            SELECT split_part(file, '/_delta_log/', 1) AS root,
                   CAST(left(split_part(file, '/_delta_log/', 2), 20) AS BIGINT) AS first
            FROM (SELECT unnest(getvariable('checkpoints')) AS file)
        ) AS checkpoints USING (root)
        WHERE version >= first
        -- A folder that is listed while it is written may show a commit and not the one before it: up to that one.
        QUALIFY version - row_number() OVER (PARTITION BY root ORDER BY version) = first - 1
    )
);
-- The current files of each table. _columns has all columns and no rows, so that a table without files can be queried.
SET VARIABLE files = (
    WITH lines AS (
        SELECT filename, add.path AS added, remove.path AS removed
        FROM read_parquet(getvariable('checkpoints'), filename = true)
        UNION ALL
        SELECT filename, add.path, remove.path
        FROM read_json(
            getvariable('commits'), format = 'newline_delimited', filename = true,
            columns = {add: 'STRUCT(path VARCHAR)', remove: 'STRUCT(path VARCHAR)'}
        )
    ),
    changes AS (
        SELECT split_part(filename, '/_delta_log/', 1) AS root,
               left(split_part(filename, '/_delta_log/', 2), 20) AS version,
               coalesce(added, removed) AS path,
               added IS NOT NULL AS is_there
        FROM lines
        WHERE coalesce(added, removed) IS NOT NULL
    ),
    latest AS (SELECT root, path, arg_max(is_there, version) AS is_there FROM changes GROUP BY root, path)
    SELECT coalesce(map_from_entries(list(entry)), MAP {}) FROM (
        SELECT (parse_filename(root), list(root || '/' || path)) AS entry FROM latest WHERE is_there GROUP BY root
    )
);

CREATE OR REPLACE VIEW session AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/session/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['session'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;

CREATE OR REPLACE VIEW event AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/event/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['event'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;

CREATE OR REPLACE VIEW video_event AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/video_event/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['video_event'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;

CREATE OR REPLACE VIEW video_viewing AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/video_viewing/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['video_viewing'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;

-- Heartbeats with the seconds that each counts for: at most the time since the previous one of its viewing, and a minute
-- for the first. The site sends one every 30 seconds of playback.
CREATE OR REPLACE VIEW watched AS
SELECT *, least(viewing_time, coalesce(epoch(occurred_at - lag(occurred_at) OVER (
    PARTITION BY channel, coalesce(video_view_uuid, event_id) ORDER BY occurred_at, event_id)), 60)) AS watched_time
FROM video_viewing;

CREATE OR REPLACE VIEW cmcd AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/cmcd/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['cmcd'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;

-- A viewing with late reports has a later row, which counts. watched_time and stalled_time are watch_time and
-- rebuffer_time, at most the time between the first report and the last.
CREATE OR REPLACE VIEW viewing AS
SELECT * EXCLUDE ("at"), "at" AS sender_at,
       CASE WHEN watch_time IS NOT NULL THEN least(watch_time, epoch(occurred_at - began_at)) END AS watched_time,
       CASE WHEN rebuffer_time IS NOT NULL THEN least(rebuffer_time, epoch(occurred_at - began_at)) END AS stalled_time
FROM read_parquet(
    [getvariable('lake') || '/viewing/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['viewing'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY viewing ORDER BY received_at DESC) = 1;

CREATE OR REPLACE VIEW order_event AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/order_event/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['order_event'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;

CREATE OR REPLACE VIEW subscription_event AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/subscription_event/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['subscription_event'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;

-- The newest row of each id of a dimension counts, so that products no longer sold keep their names.
CREATE OR REPLACE VIEW package_dim AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/package_dim/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['package_dim'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY channel, id ORDER BY occurred_at DESC, event_id) = 1;

CREATE OR REPLACE VIEW subscription_dim AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/subscription_dim/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['subscription_dim'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY channel, id ORDER BY occurred_at DESC, event_id) = 1;

CREATE OR REPLACE VIEW event_dim AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/event_dim/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['event_dim'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY channel, id ORDER BY occurred_at DESC, event_id) = 1;

CREATE OR REPLACE VIEW team_dim AS
SELECT * EXCLUDE ("at"), "at" AS sender_at
FROM read_parquet(
    [getvariable('lake') || '/team_dim/_columns/received_date=1970-01-01/columns.parquet']
        || coalesce(getvariable('files')['team_dim'], []),
    hive_partitioning = true, union_by_name = true
)
QUALIFY row_number() OVER (PARTITION BY channel, id ORDER BY occurred_at DESC, event_id) = 1;
