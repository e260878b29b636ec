-- One sequence of ids per table, so that its ids are consecutive in an empty database. In a database with rows, new ids
-- start above those that workers of an earlier release may still take from `ids`.
CREATE SEQUENCE ids_orders;
CREATE SEQUENCE ids_charges;
CREATE SEQUENCE ids_users;
CREATE SEQUENCE ids_clips;
CREATE SEQUENCE ids_mails;
CREATE SEQUENCE ids_api_keys;
CREATE SEQUENCE ids_audit_log;
CREATE SEQUENCE ids_form_submissions;
CREATE SEQUENCE ids_lake_rows;
CREATE SEQUENCE ids_favorites;
SELECT setval('ids_orders', CASE WHEN is_called THEN last_value + 100000 ELSE 1 END, is_called) FROM ids;
SELECT setval('ids_charges', CASE WHEN is_called THEN last_value + 100000 ELSE 1 END, is_called) FROM ids;
SELECT setval('ids_users', CASE WHEN is_called THEN last_value + 100000 ELSE 1 END, is_called) FROM ids;
SELECT setval('ids_clips', CASE WHEN is_called THEN last_value + 100000 ELSE 1 END, is_called) FROM ids;
SELECT setval('ids_mails', CASE WHEN is_called THEN last_value + 100000 ELSE 1 END, is_called) FROM ids;
SELECT setval('ids_api_keys', CASE WHEN is_called THEN last_value + 100000 ELSE 1 END, is_called) FROM ids;
SELECT setval('ids_audit_log', CASE WHEN is_called THEN last_value + 100000 ELSE 1 END, is_called) FROM ids;
SELECT setval('ids_form_submissions', CASE WHEN is_called THEN last_value + 100000 ELSE 1 END, is_called) FROM ids;
SELECT setval('ids_lake_rows', CASE WHEN is_called THEN last_value + 100000 ELSE 1 END, is_called) FROM ids;
SELECT setval('ids_favorites', CASE WHEN is_called THEN last_value + 100000 ELSE 1 END, is_called) FROM ids;
