//! Schema.org objects used by several pages.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use touchline_protocol::money::in_units;

/// Breadcrumbs as names and addresses, with the page itself last.
pub(super) fn breadcrumbs(trail: &[(String, String)]) -> Value {
    let items: Vec<_> = trail
        .iter()
        .enumerate()
        .map(|(index, (name, url))| json!({ "@type": "ListItem", "position": index + 1, "name": name, "item": url }))
        .collect();
    json!({ "@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": items })
}

/// A list of addresses and names.
pub(super) fn list(items: &[(String, String)]) -> Value {
    let items: Vec<_> = items
        .iter()
        .enumerate()
        .map(|(index, (url, name))| json!({ "@type": "ListItem", "position": index + 1, "url": url, "name": name }))
        .collect();
    json!({ "@context": "https://schema.org", "@type": "ItemList", "itemListElement": items })
}

/// An offer with a price in minor units and an ISO 4217 currency.
pub(super) fn offer(name: Option<&str>, minor: i64, currency: &str, url: &str) -> Value {
    let mut offer = json!({
        "@type": "Offer", "price": in_units(minor, currency, '.'), "priceCurrency": currency, "url": url,
        "availability": "https://schema.org/InStock",
    });
    if let Some(name) = name {
        offer["name"] = json!(name);
    }
    offer
}

/// Unix seconds as local time, such as `2026-11-25T19:05:00-06:00`.
pub(super) fn moment(at_s: i64, time_zone: &str) -> String {
    let at = Timestamp::from_second(at_s).unwrap_or_default();
    let zone = TimeZone::get(time_zone).unwrap_or(TimeZone::UTC);
    at.to_zoned(zone).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// An ISO 8601 duration, such as `PT1H5M2S`.
pub(super) fn length(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "a length of a video, which is checked when it is read")]
    let whole = seconds.round().max(0.0) as i64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    let part = |count: i64, unit: char| if count > 0 { format!("{count}{unit}") } else { String::new() };
    let text = [part(hours, 'H'), part(minutes, 'M'), part(seconds, 'S')].concat();
    if text.is_empty() { "PT0S".to_owned() } else { format!("PT{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_lengths_follow_schema_org() {
        assert_eq!(moment(1_795_112_700, "America/Chicago"), "2026-11-19T12:25:00-06:00");
        assert_eq!(moment(0, "Nowhere/None"), "1970-01-01T00:00:00+00:00");
        assert_eq!(
            [length(40.2), length(3_905.0), length(0.0), length(7_200.0)],
            ["PT40S", "PT1H5M5S", "PT0S", "PT2H"]
        );
    }
}
