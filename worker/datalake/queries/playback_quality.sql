-- Playback quality of each event, video and clip: startup time from the click to the first frame, exits before it,
-- rebuffering, viewings with errors, and live latency.
SELECT
    channel,
    content_type,
    content_id,
    count(*) AS viewings,
    round(median(startup_time), 3) AS startup,
    round(quantile_cont(startup_time, 0.95), 3) AS startup_95,
    round(100.0 * count(*) FILTER (ending = 'before_start') / count(*), 1) AS left_before_start_percent,
    sum(rebuffer_count) AS rebuffers,
    round(100.0 * sum(stalled_time) / nullif(sum(stalled_time) + sum(watched_time), 0), 2) AS rebuffering_percent,
    round(100.0 * count(*) FILTER (errors > 0) / count(*), 1) AS with_errors_percent,
    round(sum(bitrate * watched_time) / nullif(sum(watched_time) FILTER (bitrate IS NOT NULL), 0)) AS kbps,
    sum(dropped_frames) AS dropped_frames,
    round(median(live_latency), 1) AS live_latency,
    round(sum(watched_time) / 60, 2) AS minutes
FROM viewing
GROUP BY channel, content_type, content_id
ORDER BY viewings DESC, content_id;
