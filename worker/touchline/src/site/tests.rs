use axum::http::Request;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use tower::ServiceExt;

use super::*;

/// A channel with a name that needs escaping.
pub(crate) fn branding() -> Branding {
    let settings = serde_json::json!({
        "name": "North & South", "short_name": "North", "language": "en", "currency": "USD", "auth": { "remote_auth": 1 },
    });
    let colors = serde_json::json!({
        "scheme": "dark", "header-background": "#091222", "header-text-color": "#f5f0e6", "body-background": "#0c172a",
        "body-text-color": "#f5f0e6", "footer-background": "#070e1a", "accent": "#ff6b2c",
    });
    Branding {
        key: "north".into(),
        settings: serde_json::from_value(settings).unwrap(),
        colors: serde_json::from_value(colors).unwrap(),
        media_hosts: MediaHosts::default(),
        screenshots: Vec::new(),
        switched_off: Vec::new(),
        pages: vec!["/partners".into()],
        drawings: std::collections::BTreeMap::default(),
    }
}

struct OneChannel(Arc<Branding>);

impl BrandingSource for OneChannel {
    fn of_host(&self, host: &str) -> Option<Arc<Branding>> {
        (host == "north.example").then(|| Arc::clone(&self.0))
    }
}

const INDEX: &str = "<!doctype html><html lang=\"en\" data-scheme=\"dark\"><head><title>Touchline</title><!--touchline-head--></head><body><div id=\"root\"></div></body></html>";

const BUILT: &[(&str, &str)] = &[
    ("index.html", INDEX),
    ("sw.js", "self.precache();"),
    ("assets/main-abc.js", "main();"),
    ("assets/main-abc.js.br", "compressed at build time"),
    ("licences.txt", "OFL"),
    (".vite/manifest.json", "{}"),
];

/// The scripts of every page: the site's, and the inline one.
fn scripts() -> String {
    format!("script-src 'self' {}", *start::HASH)
}

type Answered = (StatusCode, HeaderMap, String);

async fn send(
    built: &'static [(&'static str, &'static str)],
    branding: Branding,
    method: Method,
    path: &str,
) -> Answered {
    let branding = Arc::new(branding);
    let public = Public { analytics_allow_localhost: false, build: "test", tls: false };
    let site = Site::of(Assets::with_files(built), Arc::new(OneChannel(Arc::clone(&branding))), public);
    let request = Request::builder().method(method).uri(path).header(header::HOST, "north.example");
    let request = request.body(Body::empty()).unwrap();
    let response = site.router().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    (parts.status, parts.headers, String::from_utf8_lossy(&body).into_owned())
}

async fn get_text(path: &str) -> Answered {
    send(BUILT, branding(), Method::GET, path).await
}

#[tokio::test]
async fn every_page_gets_the_shell_and_an_unknown_path_gets_it_with_404() {
    for (path, status) in [
        ("/", StatusCode::OK),
        ("/watch/12?trk=a", StatusCode::OK),
        ("/partners", StatusCode::OK),
        ("/nowhere", StatusCode::NOT_FOUND),
        ("/index.html", StatusCode::NOT_FOUND),
        ("/.vite/manifest.json", StatusCode::NOT_FOUND),
    ] {
        let (actual, headers, body) = get_text(path).await;
        assert_eq!(actual, status, "{path}");
        assert!(
            body.contains("touchline-config") && body.contains("<title>North &amp; South</title>"),
            "{path}: {body}"
        );
        assert_eq!(headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
        assert_eq!(headers[header::CACHE_CONTROL], REVALIDATE);
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.contains(&format!("{};", scripts())) && policy.contains("frame-ancestors 'self'"), "{policy}");
    }
    let (_, headers, _) = get_text("/watch_embed/12").await;
    assert!(headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap().ends_with("frame-ancestors *"));
}

#[tokio::test]
async fn assets_are_cached_forever_and_other_files_are_revalidated() {
    let (status, headers, body) = get_text("/assets/main-abc.js").await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "main();"));
    assert_eq!(headers[header::CACHE_CONTROL], FOREVER);
    assert_eq!(headers[header::CONTENT_TYPE], "text/javascript; charset=utf-8");
    let (status, headers, _) = get_text("/licences.txt").await;
    assert_eq!((status, &headers[header::CACHE_CONTROL]), (StatusCode::OK, &REVALIDATE));
}

#[tokio::test]
async fn precompressed_files_are_not_served_directly() {
    let (status, _, _) = get_text("/assets/main-abc.js.br").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_missing_asset_is_an_error_instead_of_a_page() {
    let (status, headers, body) = get_text("/assets/old-000.js").await;
    assert_eq!((status, &headers[header::CONTENT_TYPE]), (StatusCode::NOT_FOUND, &"application/json".parse().unwrap()));
    assert!(body.contains("not_found"), "{body}");
}

#[tokio::test]
async fn a_changed_shell_changes_the_service_worker() {
    let (_, headers, first) = get_text("/sw.js").await;
    assert!(first.starts_with("self.precache();\n// shell "), "{first}");
    assert_eq!(headers[header::CACHE_CONTROL], REVALIDATE);
    let mut renamed = branding();
    renamed.settings.name = "South".into();
    let (_, _, second) = send(BUILT, renamed, Method::GET, "/sw.js").await;
    assert_ne!(first, second);
    let (_, _, again) = get_text("/sw.js").await;
    assert_eq!(first, again);
}

#[tokio::test]
async fn the_tag_manager_is_only_allowed_on_pages_of_channels_that_use_it() {
    let mut tagged = branding();
    tagged.settings.google_analytics = Some("GTM-ABC123".into());
    let policy = |answered: Answered| answered.1[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
    let page = policy(send(BUILT, tagged.clone(), Method::GET, "/").await);
    for part in [
        &*format!("{} https://www.googletagmanager.com;", scripts()),
        "img-src 'self' data: blob: https://www.googletagmanager.com https://*.google-analytics.com https://*.analytics.google.com;",
        "https://www.googletagmanager.com https://*.google-analytics.com https://*.analytics.google.com; media-src",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("unsafe") && page.contains("style-src 'self' 'sha256-"), "{page}");
    for (branding, path) in [(branding(), "/"), (tagged.clone(), "/sw.js"), (tagged.clone(), "/assets/main-abc.js")] {
        let other = policy(send(BUILT, branding, Method::GET, path).await);
        assert!(!other.contains("google"), "{path}: {other}");
    }
    // A browser with a cached page must fetch it again with its policy.
    let (_, _, before) = get_text("/sw.js").await;
    let (_, _, after) = send(BUILT, tagged, Method::GET, "/sw.js").await;
    assert_ne!(before, after);
}

/// `LIVE-5`.
#[tokio::test]
async fn media_hosts_are_allowed_on_pages_and_change_the_service_worker() {
    let mut direct = branding();
    direct.media_hosts.streams = vec!["https://cdn.example".into()];
    let (_, headers, _) = send(BUILT, direct.clone(), Method::GET, "/watch/1").await;
    assert!(headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap().contains(" https://cdn.example; media-src"));
    for (branding, path) in [(branding(), "/"), (direct.clone(), "/sw.js"), (direct.clone(), "/assets/main-abc.js")] {
        let (_, headers, _) = send(BUILT, branding, Method::GET, path).await;
        assert!(!headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap().contains("cdn"), "{path}");
    }
    assert_ne!(send(BUILT, direct, Method::GET, "/sw.js").await.2, get_text("/sw.js").await.2);
}

#[tokio::test]
async fn third_party_hosts_are_only_allowed_where_the_channel_uses_them() {
    let policy = async |branding: Branding, path: &str| {
        let (_, headers, _) = send(BUILT, branding, Method::GET, path).await;
        headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned()
    };
    let plain = policy(branding(), "/login").await;
    let scripts = scripts();
    let with = |settings: fn(&mut touchline_protocol::catalogue::Settings)| {
        let mut branding = branding();
        settings(&mut branding.settings);
        branding
    };
    let guarded = with(|settings| settings.recaptcha_site_key = Some("site".into()));
    let paid = with(|settings| settings.stripe_publishable_key = Some("pk_1".into()));
    let rehearsed = with(|settings| {
        settings.stripe_publishable_key = Some("pk_1".into());
        settings.stripe_script_url = Some("http://127.0.0.1:9/stripe.js".into());
    });
    for (branding, changes) in [
        (
            guarded,
            [
                (&*scripts, " https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/"),
                ("frame-src 'self'", " https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/"),
                ("wss://north.example", " https://www.google.com/recaptcha/"),
            ],
        ),
        (
            paid,
            [
                (&*scripts, " https://js.stripe.com"),
                ("frame-src 'self'", " https://js.stripe.com https://hooks.stripe.com"),
                ("wss://north.example", " https://api.stripe.com"),
            ],
        ),
        (
            rehearsed,
            [
                (&*scripts, " http://127.0.0.1:9"),
                ("frame-src 'self'", " http://127.0.0.1:9"),
                ("wss://north.example", " http://127.0.0.1:9"),
            ],
        ),
    ] {
        let wanted = changes.iter().fold(plain.clone(), |policy, (part, more)| {
            assert_eq!(policy.matches(&format!("{part};")).count(), 1, "{part}");
            policy.replace(&format!("{part};"), &format!("{part}{more};"))
        });
        assert_eq!(policy(branding.clone(), "/login").await, wanted);
        // A browser with a cached page must fetch it again with its policy.
        assert_ne!(send(BUILT, branding.clone(), Method::GET, "/sw.js").await.2, get_text("/sw.js").await.2);
        assert!(!policy(branding, "/assets/main-abc.js").await.contains("https:"));
    }
}

#[tokio::test]
async fn a_missing_build_says_how_to_build() {
    let (status, _, body) = send(&[], branding(), Method::GET, "/").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(body.contains("npm --prefix web run build"), "{body}");
}

#[tokio::test]
async fn pages_refuse_post() {
    let (status, headers, body) = send(BUILT, branding(), Method::POST, "/login").await;
    assert_eq!((status, &headers[header::ALLOW]), (StatusCode::METHOD_NOT_ALLOWED, &"GET, HEAD".parse().unwrap()));
    assert!(body.contains("\"code\":\"method_not_allowed\""), "{body}");
}

#[tokio::test]
async fn the_configuration_is_also_in_the_shell() {
    let (_, _, body) = get_text("/config.json").await;
    let (_, _, shell) = get_text("/").await;
    assert!(shell.contains(&body.replace('<', "\\u003c")), "{body}");
}

#[test]
fn the_pages_match_the_web_clients_routes() {
    let table = include_str!("../../../../web/src/navigation/routes.ts");
    let quoted = |text: &'static str| text.split('"').skip(1).step_by(2).filter(|text| text.starts_with('/'));
    let mut web: Vec<String> = Vec::new();
    for line in table.lines().filter(|line| line.contains("path: \"/") || line.contains("aliases: [")) {
        let numeric = |name: &str| line.contains(&format!("numeric: [\"{name}\"]"));
        web.extend(quoted(line).map(|path| {
            let segment = |segment: &str| match segment.strip_prefix(':') {
                Some(name) if numeric(name) => "#".to_owned(),
                Some(_) => "*".to_owned(),
                None => segment.to_owned(),
            };
            path.split('/').map(segment).collect::<Vec<_>>().join("/")
        }));
    }
    // The "lost" page is the one that answers with 404.
    web.retain(|path| path != "/404");
    web.sort();
    let mut pages: Vec<_> = routes::PAGES.to_vec();
    pages.sort_unstable();
    assert_eq!(web, pages);
}

#[tokio::test]
async fn the_manifest_is_the_channels_and_its_icons_exist() {
    let (status, headers, body) = get_text("/manifest.webmanifest").await;
    assert_eq!(
        (status, &headers[header::CONTENT_TYPE]),
        (StatusCode::OK, &"application/manifest+json".parse().unwrap())
    );
    let manifest: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&manifest["name"], &manifest["theme_color"]), (&"North & South".into(), &"#091222".into()));
    for icon in manifest["icons"].as_array().unwrap() {
        let (status, headers, body) = get_text(icon["src"].as_str().unwrap()).await;
        assert_eq!((status, &headers[header::CONTENT_TYPE]), (StatusCode::OK, &"image/png".parse().unwrap()));
        assert!(body.contains("PNG") && body.contains("IEND"));
    }
    assert_eq!(get_text("/icons/64.png").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn paths_that_browsers_request_unasked_have_an_answer() {
    for path in ["/favicon.ico", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png"] {
        let (status, headers, body) = get_text(path).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        assert_eq!(headers[header::CONTENT_TYPE], "image/png", "{path}");
        assert!(body.contains("PNG"), "{path}");
    }
    let (status, headers, _) = get_text("/.well-known/change-password").await;
    assert_eq!(status, StatusCode::TEMPORARY_REDIRECT);
    assert_eq!(headers[header::LOCATION], "/profile/edit");
}

#[tokio::test]
async fn the_keys_file_has_the_channel_of_the_host_in_its_path() {
    let (status, _, body) = get_text("/keys/north.example.json").await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "{\"channel_key\":\"north\"}"));
    assert_eq!(get_text("/keys/elsewhere.example.json").await.0, StatusCode::NOT_FOUND);
    assert_eq!(get_text("/keys/north.example").await.0, StatusCode::NOT_FOUND);
}

/// `FAST-7`: the policy allows exactly what is in the page.
#[tokio::test]
async fn the_policy_allows_exactly_the_inline_style_and_script() {
    for path in ["/", "/watch/1", "/shell.html", "/none"] {
        let (_, headers, page) = get_text(path).await;
        let styles: Vec<_> = page.split("<style>").skip(1).map(|rest| rest.split("</style>").next().unwrap()).collect();
        assert_eq!(styles, [branding().style_sheet()], "{path}");
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        let allowed = format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(styles[0])));
        assert!(policy.contains(&format!("style-src 'self' {allowed};")), "{path}: {policy}");
        let scripts: Vec<_> =
            page.split("<script>").skip(1).map(|rest| rest.split("</script>").next().unwrap()).collect();
        assert_eq!(scripts.len(), 1, "{path}: {page}");
        let allowed = format!("script-src 'self' 'sha256-{}';", BASE64_STANDARD.encode(Sha256::digest(scripts[0])));
        assert!(policy.contains(&allowed) && !policy.contains("unsafe"), "{path}: {policy}");
        assert!(!page.contains("channel.css"), "{path}");
    }
    // A page in other colours has another policy; a built file may use no inline styles.
    let mut other = branding();
    other.colors.accent = "#00ff00".into();
    let policy = |answered: Answered| answered.1[header::CONTENT_SECURITY_POLICY].clone();
    let mine = policy(send(BUILT, branding(), Method::GET, "/").await);
    assert_ne!(mine, policy(send(BUILT, other, Method::GET, "/").await));
    assert!(!policy(get_text("/assets/main-abc.js").await).to_str().unwrap().contains("sha256"));
}
