-- The views that every query stands on. Set the lake's folder first, once a session:
--   SET VARIABLE lake = 'data/lake';           -- or 's3://bucket/prefix', after INSTALL httpfs
-- They keep one row of an event_id: a retry that reached another worker, and a joined file beside its parts, count once.
-- A table has no files before its first event: then its view cannot be made yet.

CREATE OR REPLACE VIEW session AS
SELECT * FROM read_parquet(getvariable('lake') || '/session/*/*.parquet', hive_partitioning = true, union_by_name = true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;

CREATE OR REPLACE VIEW event AS
SELECT * FROM read_parquet(getvariable('lake') || '/event/*/*.parquet', hive_partitioning = true, union_by_name = true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;

CREATE OR REPLACE VIEW video_event AS
SELECT * FROM read_parquet(getvariable('lake') || '/video_event/*/*.parquet', hive_partitioning = true, union_by_name = true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;

CREATE OR REPLACE VIEW video_viewing AS
SELECT * FROM read_parquet(getvariable('lake') || '/video_viewing/*/*.parquet', hive_partitioning = true, union_by_name = true)
QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY received_at) = 1;
