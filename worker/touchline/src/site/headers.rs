//! Security headers.

use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use touchline_channel::catalogue::MediaHosts;

use super::start;

/// Tells a browser to use only https for a year, optionally for subdomains too.
pub(crate) fn hsts(subdomains: bool) -> HeaderValue {
    HeaderValue::from_static(if subdomains { "max-age=31536000; includeSubDomains" } else { "max-age=31536000" })
}

/// For responses that are not pages: they may load and run nothing, wherever they are opened.
const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'");

const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");
const NO_DEVICES: HeaderValue = HeaderValue::from_static("camera=(), microphone=(), geolocation=(), payment=(self)");
const POPUPS_ALLOWED: HeaderValue = HeaderValue::from_static("same-origin-allow-popups");
const WALLETS: HeaderValue = HeaderValue::from_static(
    "camera=(), microphone=(), geolocation=(), payment=(self \"https://js.stripe.com\" \"https://pay.google.com\")",
);

// Names that are not constants of the library are parsed once.
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

/// Sources that an embedded third-party service needs.
#[derive(Debug, Clone, Copy)]
struct Service {
    scripts: &'static str,
    /// Hosts of its requests.
    sends: &'static str,
    /// Hosts of its pictures, including tracking pixels.
    pictures: &'static str,
    /// Hosts of its frames.
    frames: &'static str,
}

/// Tag manager and the analytics in a container, which send by request and by pixel, partly to regional hosts.
const TAG_MANAGER: Service = Service {
    scripts: " https://www.googletagmanager.com",
    sends: " https://www.googletagmanager.com https://*.google-analytics.com https://*.analytics.google.com",
    pictures: " https://www.googletagmanager.com https://*.google-analytics.com https://*.analytics.google.com",
    frames: "",
};

/// From Google's CSP guide for reCAPTCHA. Its script also makes requests to the host it came from.
const RECAPTCHA: Service = Service {
    scripts: " https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/",
    sends: " https://www.google.com/recaptcha/",
    pictures: "",
    frames: " https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/",
};

/// From Stripe's CSP guide for Stripe.js.
const STRIPE: Service = Service {
    scripts: " https://js.stripe.com",
    sends: " https://api.stripe.com",
    pictures: "",
    frames: " https://js.stripe.com https://hooks.stripe.com",
};

/// Requirements of a page beyond the default policy.
#[derive(Debug, Clone, Default)]
pub(crate) struct PolicyOptions {
    /// Other sites may frame it.
    pub(crate) embeddable: bool,
    pub(crate) tag_manager: bool,
    pub(crate) recaptcha: bool,
    pub(crate) stripe: bool,
    /// The inline style sheet.
    pub(crate) style: Option<String>,
    /// The origin of Stripe's stand-in in tests.
    pub(crate) stripe_stand_in: Option<String>,
}

impl PolicyOptions {
    /// The hash of the page's inline style sheet.
    fn style_hash(&self) -> String {
        let hash = self.style.as_ref().map(|style| BASE64_STANDARD.encode(Sha256::digest(style)));
        hash.map(|hash| format!(" 'sha256-{hash}'")).unwrap_or_default()
    }

    /// The hash of the inline start script, which is in every page; only pages have a style sheet.
    fn start_hash(&self) -> String {
        self.style.as_ref().map(|_| format!(" {}", *start::HASH)).unwrap_or_default()
    }

    /// Joins one kind of source from all services that the page uses.
    fn of_services(&self, part: impl Fn(Service) -> &'static str) -> String {
        let is_stripe = self.stripe && self.stripe_stand_in.is_none();
        let services = [(self.tag_manager, TAG_MANAGER), (self.recaptcha, RECAPTCHA), (is_stripe, STRIPE)];
        services.into_iter().filter(|(needed, _)| *needed).map(|(_, service)| part(service)).collect()
    }

    /// Lets wallets of the payment element open, in the provider's frame or in a pop-up.
    pub(crate) fn allow_wallets(&self, headers: &mut HeaderMap) {
        if self.stripe {
            headers.insert(OPENER_POLICY, POPUPS_ALLOWED);
            headers.insert(PERMISSIONS_POLICY, WALLETS);
        }
    }
}

/// The content security policy of a page. Its inline script and style sheet are allowed by hash. Sockets to the same
/// host are listed by name, because not every browser accepts `'self'` for `ws:`. Media and players are listed by
/// origin.
pub(crate) fn policy(host: &str, needs: &PolicyOptions, media: &MediaHosts) -> HeaderValue {
    let sockets = if is_plain(host) { format!(" ws://{host} wss://{host}") } else { String::new() };
    let ancestors = if needs.embeddable { "*" } else { "'self'" };
    let [scripts, sends] = [needs.of_services(|service| service.scripts), needs.of_services(|service| service.sends)];
    let [pictures, frames] =
        [needs.of_services(|service| service.pictures), needs.of_services(|service| service.frames)];
    let stand_in = origins(needs.stripe_stand_in.as_slice());
    let [scripts, sends, frames] = [scripts, sends, frames].map(|hosts| hosts + &stand_in);
    let [streams, players] = [origins(&media.streams), origins(&media.frames)];
    let (start, style) = (needs.start_hash(), needs.style_hash());
    let policy = format!(
        "default-src 'none'; script-src 'self'{start}{scripts}; style-src 'self'{style}; img-src 'self' data: blob:{pictures}; \
         font-src 'self'; connect-src 'self'{sockets}{sends}{streams}; media-src 'self' blob:{streams}; worker-src 'self' blob:; \
         manifest-src 'self'; frame-src 'self'{frames}{players}; base-uri 'none'; form-action 'self'; object-src 'none'; \
         frame-ancestors {ancestors}"
    );
    HeaderValue::from_str(&policy).unwrap_or(NOTHING)
}

/// Formats origins for a policy. Anything that is not a single origin is left out, whatever the channel's files
/// contain.
fn origins(list: &[String]) -> String {
    let is_one = |origin: &&String| {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        host.is_some_and(is_plain)
    };
    list.iter().filter(is_one).map(|origin| format!(" {origin}")).collect()
}

/// Whether a text is a host with an optional port, safe to include in a policy.
fn is_plain(host: &str) -> bool {
    !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte))
}

/// Adds the default headers to a response that does not set them; `hsts` if it is served by https.
pub(crate) fn guard(headers: &mut HeaderMap, hsts: Option<&HeaderValue>) {
    let mut default = |name: HeaderName, value: HeaderValue| {
        headers.entry(name).or_insert(value);
    };
    default(header::CONTENT_SECURITY_POLICY, NOTHING);
    default(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    default(header::REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"));
    default(OPENER_POLICY, SAME_ORIGIN);
    default(PERMISSIONS_POLICY, NO_DEVICES);
    if let Some(hsts) = hsts {
        default(header::STRICT_TRANSPORT_SECURITY, hsts.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_host_never_reaches_the_policy() {
        let policy =
            |host| policy(host, &PolicyOptions::default(), &MediaHosts::default()).to_str().unwrap().to_owned();
        assert!(policy("tv.example:8080").contains("connect-src 'self' ws://tv.example:8080 wss://tv.example:8080;"));
        assert!(policy("x; script-src *").contains("connect-src 'self';"));
        assert!(!policy("x").contains("unsafe"));
    }

    /// `LIVE-5`: a channel's media add exactly their origins to the policy.
    #[test]
    fn media_are_allowed_from_exactly_the_channels_hosts() {
        let of =
            |media: &MediaHosts| policy("tv.example", &PolicyOptions::default(), media).to_str().unwrap().to_owned();
        let plain = of(&MediaHosts::default());
        let list = |origins: &[&str]| origins.iter().map(|&origin| origin.to_owned()).collect::<Vec<_>>();
        let media = MediaHosts {
            streams: list(&["https://cdn.example:8443", "http://127.0.0.1:1935"]),
            frames: list(&["https://player.example"]),
        };
        let wanted = plain
            .replace("wss://tv.example;", "wss://tv.example https://cdn.example:8443 http://127.0.0.1:1935;")
            .replace(
                "media-src 'self' blob:;",
                "media-src 'self' blob: https://cdn.example:8443 http://127.0.0.1:1935;",
            )
            .replace("frame-src 'self';", "frame-src 'self' https://player.example;");
        assert_eq!(of(&media), wanted);
        for wide in
            ["*", "https:", "https://*", "https://*.example", "https://a.example/x", "https://a; script-src *", ""]
        {
            assert_eq!(of(&MediaHosts { streams: list(&[wide]), frames: list(&[wide]) }), plain, "{wide}");
        }
    }

    #[test]
    fn a_response_keeps_its_policy_and_gets_the_other_headers() {
        let mut headers = HeaderMap::from_iter([(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("own"))]);
        guard(&mut headers, None);
        assert_eq!(headers[header::CONTENT_SECURITY_POLICY], "own");
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert!(!headers.contains_key(header::STRICT_TRANSPORT_SECURITY));
        guard(&mut headers, Some(&hsts(true)));
        assert_eq!(headers[header::STRICT_TRANSPORT_SECURITY], "max-age=31536000; includeSubDomains");
    }
}
