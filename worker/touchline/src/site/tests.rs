use axum::http::Request;
use tower::ServiceExt;

use super::*;

/// A channel with a name that wants escaping.
pub(crate) fn face() -> Face {
    let settings = serde_json::json!({
        "name": "North & South", "short_name": "North", "language": "en", "currency": "USD", "auth": { "remote_auth": 1 },
    });
    let colors = serde_json::json!({
        "scheme": "dark", "header-background": "#091222", "header-text-color": "#f5f0e6", "body-background": "#0c172a",
        "body-text-color": "#f5f0e6", "footer-background": "#070e1a", "accent": "#ff6b2c",
    });
    Face {
        key: "north".into(),
        settings: serde_json::from_value(settings).unwrap(),
        colors: serde_json::from_value(colors).unwrap(),
        pages: vec!["/partners".into()],
    }
}

struct OneChannel(Arc<Face>);

impl Faces for OneChannel {
    fn of_host(&self, host: &str) -> Option<Arc<Face>> {
        (host == "north.example").then(|| Arc::clone(&self.0))
    }
}

async fn get_text(path: &str) -> (StatusCode, HeaderMap, String) {
    let face = Arc::new(face());
    let public = Public { analytics_allow_localhost: false, build: "test" };
    let site = Site::new(Arc::new(OneChannel(Arc::clone(&face))), public);
    let visit = Visit { host: "north.example".into(), face };
    let request = Request::get(path).extension(visit).body(Body::empty()).unwrap();
    let response = site.router().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    (parts.status, parts.headers, String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn the_manifest_is_the_channels_and_names_icons_that_are_there() {
    let (status, headers, body) = get_text("/manifest.webmanifest").await;
    assert_eq!(
        (status, &headers[header::CONTENT_TYPE]),
        (StatusCode::OK, &"application/manifest+json".parse().unwrap())
    );
    let manifest: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&manifest["name"], &manifest["theme_color"]), (&"North & South".into(), &"#091222".into()));
    for icon in manifest["icons"].as_array().unwrap() {
        let (status, headers, body) = get_text(icon["src"].as_str().unwrap()).await;
        assert_eq!((status, &headers[header::CONTENT_TYPE]), (StatusCode::OK, &"image/png".parse().unwrap()));
        assert!(body.contains("PNG") && body.contains("IEND"));
    }
    assert_eq!(get_text("/icons/64.png").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_keys_file_names_the_channel_of_the_host_in_its_path() {
    let (status, _, body) = get_text("/keys/north.example.json").await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "{\"channel_key\":\"north\"}"));
    assert_eq!(get_text("/keys/elsewhere.example.json").await.0, StatusCode::NOT_FOUND);
    assert_eq!(get_text("/keys/north.example").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_style_sheet_is_kept_for_ever_under_its_own_hash_alone() {
    let (_, headers, body) = get_text("/channel.css").await;
    assert!(body.starts_with(":root{color-scheme:dark;--header-background:#091222;"), "{body}");
    assert_eq!(headers[header::CACHE_CONTROL], ASK_AGAIN);
    let hash = hash_of(body.as_bytes());
    let kept = |headers: HeaderMap| headers[header::CACHE_CONTROL].clone();
    assert_eq!(kept(get_text(&format!("/channel.css?v={}", &hash[..12])).await.1), FOREVER);
    assert_eq!(kept(get_text("/channel.css?v=").await.1), ASK_AGAIN);
}
