//! `/playback`: current playback quality (`QOE-3`).

use std::fmt::Write;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use touchline_datalake::Quality;

use super::escaped;

/// The reload interval of the page, in seconds.
const REFRESH: HeaderValue = HeaderValue::from_static("5");

pub(crate) fn page(quality: &[Quality]) -> Response {
    let page = super::page("Touchline: playback", &body(quality), "no-store");
    ([(HeaderName::from_static("refresh"), REFRESH)], page).into_response()
}

/// The style sheet, for the admin listener.
pub(crate) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], super::STYLE)
}

fn body(quality: &[Quality]) -> String {
    let mut rows = String::new();
    for one in quality {
        let startup =
            |seconds: Option<f64>| seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.2} s"));
        // Writing to a String cannot fail.
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{} {}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2} %</td><td>{}</td><td>{}</td></tr>",
            escaped(&one.channel),
            escaped(&one.content),
            one.viewers,
            one.viewings,
            startup(one.startup_p50),
            startup(one.startup_p95),
            one.rebuffer_ratio * 100.0,
            one.exits_before_start,
            one.with_errors,
        );
    }
    let none = if quality.is_empty() { "<p>Nobody is watching.</p>" } else { "" };
    let viewers: u64 = quality.iter().map(|one| one.viewers).sum();
    format!(
        "<h1>Playback</h1><p>{viewers} viewers now. The figures cover current plays and those that ended in the last 15 \
         minutes. The page reloads every five seconds.</p>{none}<table><thead><tr><th>Content</th><th>Viewers</th>\
         <th>Plays</th><th>Startup, median</th><th>Startup, p95</th><th>Rebuffering</th><th>Exits before start</th>\
         <th>With errors</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_browsers_are_escaped() {
        let quality = Quality {
            channel: "<script>".to_owned(),
            content: "event 12".to_owned(),
            viewers: 3,
            ..Quality::default()
        };
        let body = body(&[quality]);
        assert!(body.contains("&lt;script&gt; event 12") && !body.contains("<script>"), "{body}");
        assert!(body.contains("3 viewers now"));
    }
}
