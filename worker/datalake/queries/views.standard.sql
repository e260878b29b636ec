-- Generated from worker/datalake/src/schema.rs. The views in standard SQL, over the Delta tables registered in lake
-- under their names. They keep one row per event_id, the last row of a viewing, and the newest row per id of a dimension.

CREATE VIEW session AS
SELECT
    event_id, sender_at, received_at, occurred_at, profile, session, device_type, user_agent, resolution, platform, origin_url, trk, other, channel, analytics_key, country, language, referrer, app_version, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, profile, session, device_type, user_agent, resolution, platform, origin_url, trk, other, channel, analytics_key, country, language, referrer, app_version, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.session AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW event AS
SELECT
    event_id, sender_at, received_at, occurred_at, event, profile, session_uuid, user_id, user_email, extras, origin_url, trk, other, channel, analytics_key, country, language, referrer, app_version, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, event, profile, session_uuid, user_id, user_email, extras, origin_url, trk, other, channel, analytics_key, country, language, referrer, app_version, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.event AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW video_event AS
SELECT
    event_id, sender_at, received_at, occurred_at, event, video_view_uuid, stream_id, stream_type, profile, session_uuid, user_id, user_email, extras, origin_url, trk, other, content_type, content_id, content_event_id, channel, analytics_key, country, language, referrer, app_version, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, event, video_view_uuid, stream_id, stream_type, profile, session_uuid, user_id, user_email, extras, origin_url, trk, other, content_type, content_id, content_event_id, channel, analytics_key, country, language, referrer, app_version, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.video_event AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW video_viewing AS
SELECT
    event_id, sender_at, received_at, occurred_at, viewing_time, category, sport, gender, school, league, video_view_uuid, stream_id, stream_type, profile, session_uuid, user_id, user_email, origin_url, trk, other, content_type, content_id, content_event_id, channel, analytics_key, country, language, referrer, app_version, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, viewing_time, category, sport, gender, school, league, video_view_uuid, stream_id, stream_type, profile, session_uuid, user_id, user_email, origin_url, trk, other, content_type, content_id, content_event_id, channel, analytics_key, country, language, referrer, app_version, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.video_viewing AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW cmcd AS
SELECT
    event_id, sender_at, received_at, occurred_at, sid, sn, e, sta, keys, stream_id, stream_type, profile, session_uuid, user_id, user_email, origin_url, trk, other, content_type, content_id, content_event_id, channel, analytics_key, country, language, referrer, app_version, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, sid, sn, e, sta, keys, stream_id, stream_type, profile, session_uuid, user_id, user_email, origin_url, trk, other, content_type, content_id, content_event_id, channel, analytics_key, country, language, referrer, app_version, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.cmcd AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW viewing AS
SELECT
    event_id, sender_at, received_at, occurred_at, viewing, began_at, ending, startup_time, watch_time, rebuffer_count, rebuffer_time, rebuffer_ratio, bitrate, height, renditions, dropped_frames, live_latency, errors, error_codes, cdn, spot_quartile, stream_id, stream_type, profile, session_uuid, content_type, content_id, content_event_id, channel, country, language, app_version, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, viewing, began_at, ending, startup_time, watch_time, rebuffer_count, rebuffer_time, rebuffer_ratio, bitrate, height, renditions, dropped_frames, live_latency, errors, error_codes, cdn, spot_quartile, stream_id, stream_type, profile, session_uuid, content_type, content_id, content_event_id, channel, country, language, app_version, received_date,
        ROW_NUMBER() OVER (PARTITION BY viewing ORDER BY received_at DESC) AS nth
    FROM lake.viewing AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW order_event AS
SELECT
    event_id, sender_at, received_at, occurred_at, event, channel, order_id, user_id, product_type, product_id, product_name, participant_id, promo_code, renewal, gross, discount, fee, net, currency, renewal_number, gross_minor, discount_minor, fee_minor, net_minor, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, event, channel, order_id, user_id, product_type, product_id, product_name, participant_id, promo_code, renewal, gross, discount, fee, net, currency, COALESCE(r.renewal_number, CAST(r.renewal AS BIGINT)) AS renewal_number, COALESCE(r.gross_minor, CAST(r.gross AS BIGINT)) AS gross_minor, COALESCE(r.discount_minor, CAST(r.discount AS BIGINT)) AS discount_minor, COALESCE(r.fee_minor, CAST(r.fee AS BIGINT)) AS fee_minor, COALESCE(r.net_minor, CAST(r.net AS BIGINT)) AS net_minor, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.order_event AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW subscription_event AS
SELECT
    event_id, sender_at, received_at, occurred_at, event, channel, order_id, user_id, product_type, product_id, product_name, participant_id, promo_code, renewal, gross, discount, fee, net, currency, renewal_number, gross_minor, discount_minor, fee_minor, net_minor, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, event, channel, order_id, user_id, product_type, product_id, product_name, participant_id, promo_code, renewal, gross, discount, fee, net, currency, COALESCE(r.renewal_number, CAST(r.renewal AS BIGINT)) AS renewal_number, COALESCE(r.gross_minor, CAST(r.gross AS BIGINT)) AS gross_minor, COALESCE(r.discount_minor, CAST(r.discount AS BIGINT)) AS discount_minor, COALESCE(r.fee_minor, CAST(r.fee AS BIGINT)) AS fee_minor, COALESCE(r.net_minor, CAST(r.net AS BIGINT)) AS net_minor, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.subscription_event AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW package_dim AS
SELECT
    event_id, sender_at, received_at, occurred_at, channel, id, name, kind, is_team_pass, period_days, base_price, service_fee, currency, team_pass, valid_days, base_price_minor, service_fee_minor, is_removed, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, channel, id, name, kind, is_team_pass, period_days, base_price, service_fee, currency, COALESCE(r.team_pass, CAST(r.is_team_pass AS BOOLEAN)) AS team_pass, COALESCE(r.valid_days, CAST(r.period_days AS BIGINT)) AS valid_days, COALESCE(r.base_price_minor, CAST(r.base_price AS BIGINT)) AS base_price_minor, COALESCE(r.service_fee_minor, CAST(r.service_fee AS BIGINT)) AS service_fee_minor, is_removed, received_date,
        ROW_NUMBER() OVER (PARTITION BY r.channel, r.id ORDER BY occurred_at DESC, event_id) AS nth
    FROM lake.package_dim AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW subscription_dim AS
SELECT
    event_id, sender_at, received_at, occurred_at, channel, id, name, offer, trial_days, base_price, service_fee, currency, free_days, base_price_minor, service_fee_minor, is_removed, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, channel, id, name, offer, trial_days, base_price, service_fee, currency, COALESCE(r.free_days, CAST(r.trial_days AS BIGINT)) AS free_days, COALESCE(r.base_price_minor, CAST(r.base_price AS BIGINT)) AS base_price_minor, COALESCE(r.service_fee_minor, CAST(r.service_fee AS BIGINT)) AS service_fee_minor, is_removed, received_date,
        ROW_NUMBER() OVER (PARTITION BY r.channel, r.id ORDER BY occurred_at DESC, event_id) AS nth
    FROM lake.subscription_dim AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW event_dim AS
SELECT
    event_id, sender_at, received_at, occurred_at, channel, id, name, access, category_id, category, starts_at, home_team_id, away_team_id, base_price, service_fee, currency, starts, base_price_minor, service_fee_minor, is_removed, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, channel, id, name, access, category_id, category, starts_at, home_team_id, away_team_id, base_price, service_fee, currency, starts, COALESCE(r.base_price_minor, CAST(r.base_price AS BIGINT)) AS base_price_minor, COALESCE(r.service_fee_minor, CAST(r.service_fee AS BIGINT)) AS service_fee_minor, is_removed, received_date,
        ROW_NUMBER() OVER (PARTITION BY r.channel, r.id ORDER BY occurred_at DESC, event_id) AS nth
    FROM lake.event_dim AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW team_dim AS
SELECT
    event_id, sender_at, received_at, occurred_at, channel, id, name, short_name, is_removed, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, channel, id, name, short_name, is_removed, received_date,
        ROW_NUMBER() OVER (PARTITION BY r.channel, r.id ORDER BY occurred_at DESC, event_id) AS nth
    FROM lake.team_dim AS r
) AS numbered
WHERE nth = 1;

CREATE VIEW event_count AS
SELECT
    event_id, sender_at, received_at, occurred_at, event, channel, count, received_date
FROM (
    SELECT
        event_id, r.at AS sender_at, received_at, occurred_at, event, channel, count, received_date,
        ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY received_at) AS nth
    FROM lake.event_count AS r
) AS numbered
WHERE nth = 1;
