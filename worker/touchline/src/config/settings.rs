//! The one table of settings; flags, variables and the file all derive from it.

#[derive(Debug)]
pub(crate) struct Setting {
    /// The key in the file, such as `analytics.allow_localhost`; flag and variable derive from it.
    pub(crate) key: &'static str,
    /// The placeholder in the help.
    pub(crate) value: &'static str,
    /// The help text, with the default.
    pub(crate) help: &'static str,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    One,
    /// A value that no message may repeat.
    Secret,
    /// An array in the file, separated by commas elsewhere.
    Many,
    /// `true` or `false`; the bare flag means `true`.
    Switch,
}

impl Setting {
    /// `analytics-allow-localhost`
    pub(crate) fn flag(&self) -> String {
        self.key.replace(['.', '_'], "-")
    }

    /// `TOUCHLINE_ANALYTICS_ALLOW_LOCALHOST`
    pub(crate) fn variable(&self) -> String {
        format!("{PREFIX}{}", self.key.replace('.', "_").to_uppercase())
    }

    pub(crate) fn of(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }
}

pub(crate) const PREFIX: &str = "TOUCHLINE_";

const fn one(key: &'static str, value: &'static str, help: &'static str) -> Setting {
    Setting { key, value, help, kind: Kind::One }
}

const fn secret(key: &'static str, value: &'static str, help: &'static str) -> Setting {
    Setting { key, value, help, kind: Kind::Secret }
}

pub(crate) const SETTINGS: &[Setting] = &[
    one("listen", "ADDR", "Where the site is served; port 0 picks one [default: 127.0.0.1:8080]"),
    one("admin_listen", "ADDR", "Where /metrics and the other verbs are served [default: 127.0.0.1:0]"),
    one("data", "DIR", "The data folder, made when it is missing [default: ./data]"),
    one("channels", "DIR", "The folder of channel folders [default: the demo channels in the binary]"),
    one(
        "live.folder",
        "DIR",
        "Where encoders write: DIR/CHANNEL/FOLDER, as the path of a live medium names it [default: live in the data folder]",
    ),
    one("live.recordings_bytes", "BYTES", "How much all recordings of broadcasts may take [default: 107374182400]"),
    one("pull.disk_bytes", "BYTES", "How much of pulled media is kept on the disk for a while [default: 1073741824]"),
    Setting {
        key: "media.private_networks",
        value: "true|false",
        help: "Whether media of channels may be on private networks and this machine, by http too [default: false]",
        kind: Kind::Switch,
    },
    one(
        "origin",
        "embedded|URL",
        "Where the channel API is: in this worker, or below a URL (https://HOST means https://HOST/api) [default: embedded]",
    ),
    one("upstream.timeout_s", "SECONDS", "How long an answer of the API at `origin` may take [default: 25]"),
    secret(
        "store",
        "sqlite|URL",
        "Where the channel's records are kept; postgres://USER:PASSWORD@HOST/DATABASE for several workers [default: sqlite, in the data folder]",
    ),
    one(
        "media",
        "s3://BUCKET/PREFIX",
        "Where media and clips are kept beside the folders, for several workers; keys from the AWS_ variables [default: nowhere]",
    ),
    one(
        "clips.folder",
        "DIR",
        "Where clips are kept, the same for all workers that share a store [default: clips in the data folder]",
    ),
    Setting {
        key: "datalake.sinks",
        value: "SINK,…",
        help: "Where analytics go: lake:DIR, lake:s3://BUCKET/PREFIX, http:URL [default: lake: in the data folder]",
        kind: Kind::Many,
    },
    one("datalake.close_age_s", "SECONDS", "How old a batch may become before it ships [default: 5]"),
    one("datalake.queue_bytes", "BYTES", "How much may wait to be shipped [default: 1073741824]"),
    one("payments", "sandbox|stripe", "Who takes the money [default: sandbox]"),
    secret("stripe.secret_key", "KEY", "Stripe's secret or restricted key, sk_… or rk_…"),
    one("stripe.secret_key_file", "FILE", "The file that holds it"),
    // It is public, but an operator who swaps the keys puts the secret one here.
    secret("stripe.publishable_key", "KEY", "Stripe's publishable key, pk_…, of the same mode"),
    secret("stripe.webhook_secret", "SECRET", "What signs Stripe's webhooks to /webhooks/stripe, whsec_…"),
    one("stripe.webhook_secret_file", "FILE", "The file that holds it"),
    one("stripe.base_url", "URL", "Stripe's API, or what stands for it in tests"),
    one("stripe.script_url", "URL", "Stripe's script for browsers, or what stands for it in tests"),
    one("audit_every_s", "SECONDS", "How often the books are held against each other [default: 3600]"),
    one("sandbox.delay_ms", "MS", "How long the sandbox takes to charge a card [default: 1500]"),
    secret("mail", "DIR|URL", "A folder, or smtp(s)://USER:PASSWORD@HOST:PORT [default: mail in the data folder]"),
    one("mail_from", "ADDRESS", "Who mails are from [default: no-reply@touchline.invalid]"),
    one("oauth.google.client_id", "ID", "Log in with Google"),
    secret("oauth.google.client_secret", "SECRET", "Log in with Google"),
    one("oauth.google.base_url", "URL", "Google, or what stands for it in tests"),
    one("oauth.facebook.client_id", "ID", "Log in with Facebook"),
    secret("oauth.facebook.client_secret", "SECRET", "Log in with Facebook"),
    one("oauth.facebook.base_url", "URL", "Facebook, or what stands for it in tests"),
    secret("recaptcha.secret", "SECRET", "Asks reCAPTCHA at login, registration and password reset"),
    one("recaptcha.site_key", "KEY", "What the pages ask reCAPTCHA with"),
    one("recaptcha.url", "URL", "reCAPTCHA, or what stands for it in tests"),
    one("geo.mmdb", "FILE", "The MMDB file that tells a country by address, such as GeoLite2-Country.mmdb"),
    one("geo.country_header", "NAME", "The header in which a trusted proxy tells the viewer's country"),
    Setting {
        key: "trusted_proxies",
        value: "NET,…",
        help: "Proxies whose forwarded addresses are believed, such as 10.0.0.0/8",
        kind: Kind::Many,
    },
    one("tls.cert", "FILE", "The certificate chain, PEM; with tls.key the site is served by https"),
    one("tls.key", "FILE", "Its private key, PEM"),
    Setting {
        key: "tls.hsts_subdomains",
        value: "true|false",
        help: "Whether browsers keep to https at every host below the site's too [default: false]",
        kind: Kind::Switch,
    },
    one("drain_s", "SECONDS", "How long the worker answers on, not ready, after SIGTERM [default: 5]"),
    one("limits.connections", "COUNT", "Connections in all [default: 20000]"),
    one(
        "limits.connections_per_address",
        "COUNT",
        "Connections of one address that have sent a request [default: 4096]",
    ),
    one("limits.calls_per_minute", "COUNT", "API and analytics calls of one address [default: 6000]"),
    one(
        "limits.media_per_minute",
        "COUNT",
        "Playlists, segments and pictures that one address may request [default: 60000]",
    ),
    one("limits.body_s", "SECONDS", "How long the body of a call may take to arrive [default: 30]"),
    one("limits.analytics_bytes_per_hour", "BYTES", "Bytes of analytics of one address an hour [default: 67108864]"),
    one("limits.sockets_per_address", "COUNT", "Status sockets of one address [default: 512]"),
    one("limits.sockets_per_key", "COUNT", "Status sockets of one API key [default: 16]"),
    one(
        "disk.warn_bytes",
        "BYTES",
        "The log warns when lake, clips, recordings, reports or letters take more [default: 21474836480]",
    ),
    one(
        "disk.reserve_bytes",
        "BYTES",
        "How much of the disk is left to the channel's records alone [default: 67108864]",
    ),
    one(
        "node",
        "NAME",
        "This worker's name in the lake's file names, another one for each worker of a lake [default: drawn once, kept in the data folder]",
    ),
    Setting {
        key: "analytics.allow_localhost",
        value: "true|false",
        help: "Whether pages on localhost send analytics [default: false]",
        kind: Kind::Switch,
    },
    Setting {
        key: "accept_clock",
        value: "true|false",
        help: "Whether the clock is meant where records are more than an hour ahead of it [default: false]",
        kind: Kind::Switch,
    },
    one("clock_offset", "SECONDS", "Moves the worker's clock, for tests [default: 0]"),
    one("log", "FILTER", "What is logged to stderr, such as info or touchline=debug,warn [default: info]"),
    one("log_format", "text|json", "How it is logged [default: text]"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn flags_and_variables_are_made_from_the_key_and_no_two_are_the_same() {
        let setting = Setting::of("analytics.allow_localhost").unwrap();
        assert_eq!(setting.flag(), "analytics-allow-localhost");
        assert_eq!(setting.variable(), "TOUCHLINE_ANALYTICS_ALLOW_LOCALHOST");
        let flags: HashSet<_> = SETTINGS.iter().map(Setting::flag).collect();
        let variables: HashSet<_> = SETTINGS.iter().map(Setting::variable).collect();
        assert_eq!((flags.len(), variables.len()), (SETTINGS.len(), SETTINGS.len()));
    }
}
