-- The views of all queries, for DuckDB. Set the lake's folder first, once per session:
--   SET VARIABLE lake = 'data/lake';           -- or 's3://bucket/prefix', after INSTALL httpfs
-- For one period, set its bounds too. The views, and so the queries, then read only files that may have rows of it.
-- Unsuitable for a first bound are churn, trial_conversion, retention_by_week, clips and buffering_by_country_device,
-- which count what began before:
--   SET VARIABLE since = TIMESTAMPTZ '2026-10-01 00:00:00Z';
--   SET VARIABLE until = TIMESTAMPTZ '2026-10-02 00:00:00Z';
-- lake_event(since, until), lake_session(since, until) and so on read other periods; NULL means unbounded.
-- All read the tables' logs, so that joined files and files of erased people are skipped, and keep one row per
-- event_id: an unanswered batch that its browser sent to another worker counts once. Run this again to see later
-- events. `at`, the sender's time, is called sender_at here, because `at` is an SQL keyword.

-- The last checkpoint of each table's log, and the commits since.
SET VARIABLE checkpoints = (
    SELECT list(replace(filename, '_last_checkpoint', lpad(CAST(version AS VARCHAR), 20, '0') || '.checkpoint.parquet'))
    FROM read_json(
        getvariable('lake') || '/*/_delta_log/_last_checkpoint', format = 'newline_delimited', filename = true,
        columns = {version: 'BIGINT'}
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
CREATE OR REPLACE TEMP TABLE log_lines AS
SELECT parse_filename(split_part(filename, '/_delta_log/', 1)) AS lake_table,
       split_part(filename, '/_delta_log/', 1) || '/' || coalesce(added, removed) AS file,
       left(split_part(filename, '/_delta_log/', 2), 20) AS version,
       added IS NOT NULL AS is_there, stats, columns
FROM (
    SELECT filename, add.path AS added, add.stats AS stats, remove.path AS removed, metaData.schemaString AS columns
    FROM read_parquet(getvariable('checkpoints'), filename = true)
    UNION ALL
    SELECT filename, add.path, add.stats, remove.path, metaData.schemaString
    FROM read_json(
        getvariable('commits'), format = 'newline_delimited', filename = true, maximum_object_size = 67108864,
        columns = {add: 'STRUCT(path VARCHAR, stats VARCHAR)', remove: 'STRUCT(path VARCHAR)',
                   metaData: 'STRUCT(schemaString VARCHAR)'}
    )
) AS lines;
-- The current files of each table, with the times in them. Delta rounds times down to milliseconds.
SET VARIABLE files = (
    SELECT coalesce(map_from_entries(list(entry)), MAP {}) FROM (
        SELECT (lake_table, list({
            file: file,
            earliest: CAST(stats ->> '$.minValues.occurred_at' AS TIMESTAMPTZ),
            latest: CAST(stats ->> '$.maxValues.occurred_at' AS TIMESTAMPTZ) + INTERVAL 1 MILLISECOND
        })) AS entry
        FROM (
            SELECT lake_table, file, arg_max(is_there, version) AS is_there, max(stats) AS stats
            FROM log_lines WHERE file IS NOT NULL GROUP BY lake_table, file
        ) AS latest
        WHERE is_there
        GROUP BY lake_table
    )
);
-- The columns of each table by its log, so that files of earlier versions need not be opened to find which they lack.
SET VARIABLE columns = (
    SELECT map_from_entries(list((lake_table, map_from_entries(list_transform(list_filter(
        from_json(columns -> '$.fields', '[{"name": "VARCHAR", "type": "VARCHAR"}]'),
        lambda field: field.name <> 'received_date'
    ), lambda field: (field.name, {
        name: field.name,
        type: CASE field.type WHEN 'string' THEN 'VARCHAR' WHEN 'timestamp' THEN 'TIMESTAMP WITH TIME ZONE'
              WHEN 'long' THEN 'BIGINT' ELSE upper(field.type) END,
        default_value: NULL
    }))))))
    FROM (
        SELECT lake_table, arg_max(columns, version) AS columns
        FROM log_lines WHERE columns IS NOT NULL GROUP BY lake_table
    ) AS newest
);
DROP TABLE log_lines;
-- The files of a table that may have rows from `since` on and before `before`. _columns has no rows, so that a table
-- without files can be queried.
CREATE OR REPLACE MACRO lake_files(name, since, before) AS
    [getvariable('lake') || '/' || name || '/_columns/received_date=1970-01-01/columns.parquet']
    || coalesce(list_transform(list_filter(getvariable('files')[name],
        lambda part: coalesce(part['latest'] >= since, true) AND coalesce(part['earliest'] < before, true)),
        lambda part: part['file']), []);

CREATE OR REPLACE MACRO lake_session(since, before) AS TABLE
SELECT * EXCLUDE ("at"), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('session', since, before), schema = getvariable('columns')['session'])
WHERE coalesce(occurred_at >= since, true) AND coalesce(occurred_at < before, true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;
CREATE OR REPLACE VIEW session AS FROM lake_session(getvariable('since'), getvariable('until'));

CREATE OR REPLACE MACRO lake_event(since, before) AS TABLE
SELECT * EXCLUDE ("at"), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('event', since, before), schema = getvariable('columns')['event'])
WHERE coalesce(occurred_at >= since, true) AND coalesce(occurred_at < before, true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;
CREATE OR REPLACE VIEW event AS FROM lake_event(getvariable('since'), getvariable('until'));

CREATE OR REPLACE MACRO lake_video_event(since, before) AS TABLE
SELECT * EXCLUDE ("at"), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('video_event', since, before), schema = getvariable('columns')['video_event'])
WHERE coalesce(occurred_at >= since, true) AND coalesce(occurred_at < before, true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;
CREATE OR REPLACE VIEW video_event AS FROM lake_video_event(getvariable('since'), getvariable('until'));

CREATE OR REPLACE MACRO lake_video_viewing(since, before) AS TABLE
SELECT * EXCLUDE ("at"), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('video_viewing', since, before), schema = getvariable('columns')['video_viewing'])
WHERE coalesce(occurred_at >= since, true) AND coalesce(occurred_at < before, true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;
CREATE OR REPLACE VIEW video_viewing AS FROM lake_video_viewing(getvariable('since'), getvariable('until'));

-- Heartbeats with the seconds that each counts for: at most the time since the previous one of its viewing, and a minute
-- for the first. The site sends one every 30 seconds of playback.
CREATE OR REPLACE VIEW watched AS
SELECT *, least(viewing_time, coalesce(epoch(occurred_at - lag(occurred_at) OVER (
    PARTITION BY channel, coalesce(video_view_uuid, event_id) ORDER BY occurred_at, event_id)), 60)) AS watched_time
FROM video_viewing;

CREATE OR REPLACE MACRO lake_cmcd(since, before) AS TABLE
SELECT * EXCLUDE ("at"), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('cmcd', since, before), schema = getvariable('columns')['cmcd'])
WHERE coalesce(occurred_at >= since, true) AND coalesce(occurred_at < before, true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;
CREATE OR REPLACE VIEW cmcd AS FROM lake_cmcd(getvariable('since'), getvariable('until'));

-- A viewing with late reports has a later row, which counts. watched_time and stalled_time are watch_time and
-- rebuffer_time, at most the time between the first report and the last.
CREATE OR REPLACE MACRO lake_viewing(since, before) AS TABLE
SELECT * EXCLUDE ("at"), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at,
       CASE WHEN watch_time IS NOT NULL THEN least(watch_time, epoch(occurred_at - began_at)) END AS watched_time,
       CASE WHEN rebuffer_time IS NOT NULL THEN least(rebuffer_time, epoch(occurred_at - began_at)) END AS stalled_time
FROM (
    -- The later row may be of the next period.
    FROM read_parquet(lake_files('viewing', since, NULL), schema = getvariable('columns')['viewing'])
    QUALIFY row_number() OVER (PARTITION BY viewing ORDER BY received_at DESC) = 1
)
WHERE coalesce(occurred_at >= since, true) AND coalesce(occurred_at < before, true);
CREATE OR REPLACE VIEW viewing AS FROM lake_viewing(getvariable('since'), getvariable('until'));

CREATE OR REPLACE MACRO lake_event_count(since, before) AS TABLE
SELECT * EXCLUDE ("at"), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('event_count', since, before), schema = getvariable('columns')['event_count'])
WHERE coalesce(occurred_at >= since, true) AND coalesce(occurred_at < before, true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;
CREATE OR REPLACE VIEW event_count AS FROM lake_event_count(getvariable('since'), getvariable('until'));

-- Rows of files before version 5 of the schema have amounts and days as DOUBLE only, other values as text.
CREATE OR REPLACE MACRO lake_order_event(since, before) AS TABLE
SELECT * EXCLUDE ("at") REPLACE (
           coalesce(renewal_number, CAST(renewal AS BIGINT)) AS renewal_number,
           coalesce(gross_minor, CAST(gross AS BIGINT)) AS gross_minor,
           coalesce(discount_minor, CAST(discount AS BIGINT)) AS discount_minor,
           coalesce(fee_minor, CAST(fee AS BIGINT)) AS fee_minor,
           coalesce(net_minor, CAST(net AS BIGINT)) AS net_minor
       ), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('order_event', since, before), schema = getvariable('columns')['order_event'])
WHERE coalesce(occurred_at >= since, true) AND coalesce(occurred_at < before, true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;
CREATE OR REPLACE VIEW order_event AS FROM lake_order_event(getvariable('since'), getvariable('until'));

CREATE OR REPLACE MACRO lake_subscription_event(since, before) AS TABLE
SELECT * EXCLUDE ("at") REPLACE (
           coalesce(renewal_number, CAST(renewal AS BIGINT)) AS renewal_number,
           coalesce(gross_minor, CAST(gross AS BIGINT)) AS gross_minor,
           coalesce(discount_minor, CAST(discount AS BIGINT)) AS discount_minor,
           coalesce(fee_minor, CAST(fee AS BIGINT)) AS fee_minor,
           coalesce(net_minor, CAST(net AS BIGINT)) AS net_minor
       ), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('subscription_event', since, before), schema = getvariable('columns')['subscription_event'])
WHERE coalesce(occurred_at >= since, true) AND coalesce(occurred_at < before, true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;
CREATE OR REPLACE VIEW subscription_event AS FROM lake_subscription_event(getvariable('since'), getvariable('until'));

-- The newest row of each id of a dimension counts, so that products no longer sold keep their names.
CREATE OR REPLACE VIEW package_dim AS
SELECT * EXCLUDE ("at") REPLACE (
           coalesce(team_pass, is_team_pass = 'true') AS team_pass,
           coalesce(valid_days, CAST(period_days AS BIGINT)) AS valid_days,
           coalesce(base_price_minor, CAST(base_price AS BIGINT)) AS base_price_minor,
           coalesce(service_fee_minor, CAST(service_fee AS BIGINT)) AS service_fee_minor,
           coalesce(is_removed, false) AS is_removed
       ), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('package_dim', NULL, NULL), schema = getvariable('columns')['package_dim'])
QUALIFY row_number() OVER (PARTITION BY channel, id ORDER BY occurred_at DESC, event_id) = 1;

CREATE OR REPLACE VIEW subscription_dim AS
SELECT * EXCLUDE ("at") REPLACE (
           coalesce(free_days, CAST(trial_days AS BIGINT)) AS free_days,
           coalesce(base_price_minor, CAST(base_price AS BIGINT)) AS base_price_minor,
           coalesce(service_fee_minor, CAST(service_fee AS BIGINT)) AS service_fee_minor,
           coalesce(is_removed, false) AS is_removed
       ), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('subscription_dim', NULL, NULL), schema = getvariable('columns')['subscription_dim'])
QUALIFY row_number() OVER (PARTITION BY channel, id ORDER BY occurred_at DESC, event_id) = 1;

CREATE OR REPLACE VIEW event_dim AS
SELECT * EXCLUDE ("at") REPLACE (
           coalesce(starts, TRY_CAST(starts_at AS TIMESTAMPTZ)) AS starts,
           coalesce(base_price_minor, CAST(base_price AS BIGINT)) AS base_price_minor,
           coalesce(service_fee_minor, CAST(service_fee AS BIGINT)) AS service_fee_minor,
           coalesce(is_removed, false) AS is_removed
       ), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('event_dim', NULL, NULL), schema = getvariable('columns')['event_dim'])
QUALIFY row_number() OVER (PARTITION BY channel, id ORDER BY occurred_at DESC, event_id) = 1;

CREATE OR REPLACE VIEW team_dim AS
SELECT * EXCLUDE ("at") REPLACE (
           coalesce(is_removed, false) AS is_removed
       ), CAST(received_at AT TIME ZONE 'UTC' AS DATE) AS received_date, "at" AS sender_at
FROM read_parquet(lake_files('team_dim', NULL, NULL), schema = getvariable('columns')['team_dim'])
QUALIFY row_number() OVER (PARTITION BY channel, id ORDER BY occurred_at DESC, event_id) = 1;
