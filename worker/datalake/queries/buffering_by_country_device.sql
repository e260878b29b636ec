-- Buffering by channel, country and device: startup time, exits before the first frame, stalls, and their share of the
-- time at the player.
WITH devices AS (
    SELECT session, max(device_type) AS device FROM session GROUP BY session
)
SELECT
    v.channel,
    coalesce(v.country, 'unknown') AS country,
    coalesce(d.device, 'unknown') AS device,
    count(*) AS viewings,
    round(median(v.startup_time), 3) AS startup,
    count(*) FILTER (v.ending = 'before_start') AS left_before_start,
    count(*) FILTER (v.rebuffer_count > 0) AS with_stalls,
    CAST(coalesce(sum(v.rebuffer_count), 0) AS BIGINT) AS stalls,
    round(coalesce(sum(v.stalled_time), 0), 1) AS stalled_seconds,
    round(100.0 * sum(v.stalled_time) / nullif(sum(v.stalled_time) + sum(v.watched_time), 0), 2) AS stalled_percent,
    round(coalesce(sum(v.watched_time), 0) / 60, 2) AS minutes
FROM viewing AS v
LEFT JOIN devices AS d ON d.session = v.session_uuid
GROUP BY ALL
ORDER BY viewings DESC, v.channel, country, device;
