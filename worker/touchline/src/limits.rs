//! The limits table of `docs/security.md`, generated from the constants in the code (`LIM-6`).

use touchline_protocol::limits::Limit;

use crate::config::Limits;
use crate::{journal, serve};

fn limits() -> Vec<Limit> {
    let Limits {
        connections,
        connections_per_address,
        calls_per_minute,
        media_per_minute,
        body_timeout,
        analytics_bytes_per_hour,
        sockets_per_address,
        sockets_per_key,
    } = Limits::default();
    let queue = touchline_datalake::Limits::default();
    let mut rows = vec![
        Limit::count("limits.connections", connections as u64, "connections", "Connections in total."),
        Limit::count(
            "limits.connections_per_address",
            connections_per_address as u64,
            "connections",
            "Connections of one address that have sent a request; behind a trusted proxy, its requests in progress.",
        ),
        Limit::count(
            "limits.calls_per_minute",
            calls_per_minute.into(),
            "calls",
            "API and analytics calls per address and minute.",
        ),
        Limit::count(
            "limits.media_per_minute",
            media_per_minute.into(),
            "requests",
            "Requests below `/media/` per address and minute: playlists, segments and pictures.",
        ),
        Limit::time("limits.body_s", body_timeout, "Timeout for receiving the body of a call."),
        Limit::bytes(
            "limits.analytics_bytes_per_hour",
            analytics_bytes_per_hour,
            "Analytics per address and hour; more get 429, or `retry` for single events.",
        ),
        Limit::bytes(
            "disk.warn_bytes",
            crate::config::DISK_WARN_BYTES,
            "Size above which a folder (lake, clips, recordings, reports or emails) logs a warning.",
        ),
        Limit::bytes(
            "disk.reserve_bytes",
            touchline_disk::RESERVE_BYTES,
            "Disk space reserved for the store. Clips and reports stop at 1.5 times this, heartbeats at 1.25, other analytics at 1.125, sales, lake, queue and emails at 1.",
        ),
    ];
    rows.extend(serve::limits(connections));
    rows.extend(touchline_upstream::limits());
    rows.extend([
        Limit::count(
            "limits.sockets_per_address",
            sockets_per_address as u64,
            "sockets",
            "Status sockets per address.",
        ),
        Limit::count("limits.sockets_per_key", sockets_per_key as u64, "sockets", "Status sockets per API key."),
    ]);
    rows.extend_from_slice(journal::LIMITS);
    rows.extend(touchline_sync::limits());
    rows.extend(touchline_channel::limits());
    rows.extend([
        Limit::bytes(
            "datalake.queue_bytes",
            queue.queue_bytes,
            "Analytics waiting to be shipped: heartbeats are refused at 80 % of this, all but purchases at 90 %.",
        ),
        Limit::time("datalake.close_age_s", queue.close_age, "Age at which a batch ships."),
    ]);
    rows.extend(touchline_datalake::limits());
    rows
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write;

    use super::*;
    use crate::config::Setting;

    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/security.md");
    const HEADING: &str = "## Limits\n";

    /// The section of the page, from its heading to the end.
    fn section() -> String {
        let mut text = format!(
            "{HEADING}\nEvery limit on what a client can request, generated from the code. A name in bold is a \
             [setting](contracts/running.md#settings), with its default.\n\n| name | limit | what |\n|---|---|---|\n"
        );
        for limit in limits() {
            let mark = if Setting::of(limit.name).is_some() { "**" } else { "" };
            let _infallible = writeln!(text, "| {mark}`{}`{mark} | {} | {} |", limit.name, limit.amount(), limit.what);
        }
        text
    }

    #[test]
    fn the_documented_limits_match_the_code() {
        let page = std::fs::read_to_string(PAGE).unwrap();
        let (above, found) = page.split_at(page.find(HEADING).expect("the page has the heading"));
        let section = section();
        if std::env::var_os("TOUCHLINE_WRITE").is_some() {
            std::fs::write(PAGE, format!("{above}{section}")).unwrap();
            return;
        }
        let differs = section.lines().zip(found.lines()).find(|(code, page)| code != page);
        assert!(found == section, "docs/security.md is out of date, run `make generate`: {differs:?}");
    }

    #[test]
    fn limit_names_are_unique() {
        let mut names = BTreeSet::new();
        for limit in limits() {
            assert!(names.insert(limit.name), "{} names two limits", limit.name);
        }
    }
}
