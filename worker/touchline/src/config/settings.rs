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

const fn single(key: &'static str, value: &'static str, help: &'static str) -> Setting {
    Setting { key, value, help, kind: Kind::One }
}

const fn secret(key: &'static str, value: &'static str, help: &'static str) -> Setting {
    Setting { key, value, help, kind: Kind::Secret }
}

pub(crate) const SETTINGS: &[Setting] = &[
    single("listen", "ADDR", "The address of the site; port 0 picks a free one [default: 127.0.0.1:8080]"),
    single("admin_listen", "ADDR", "The address of /metrics and of the other verbs' API [default: 127.0.0.1:0]"),
    single("data", "DIR", "The data folder, created if missing [default: ./data]"),
    single("channels", "DIR", "The folder of channel folders [default: the demo channels in the binary]"),
    Setting {
        key: "channels_poll",
        value: "true|false",
        help: "Whether to check each channel folder every 2 s instead of waiting for file-system events, which shared folders may lack [default: false]",
        kind: Kind::Switch,
    },
    single(
        "live.folder",
        "DIR",
        "The folder that encoders write to: DIR/CHANNEL/FOLDER, where a live medium's path names FOLDER [default: live in the data folder]",
    ),
    single(
        "live.recordings_bytes",
        "BYTES",
        "The size limit of each channel's broadcast recordings, unless its channel.json has its own [default: 107374182400]",
    ),
    single("pull.disk_bytes", "BYTES", "The size limit of the cache of pulled media [default: 1073741824]"),
    single(
        "media.memory_bytes",
        "BYTES",
        "Memory for media files and for responses that send them [default: 134217728]",
    ),
    Setting {
        key: "media.private_networks",
        value: "true|false",
        help: "Whether channel media may be on private networks and this machine, also over http [default: false]",
        kind: Kind::Switch,
    },
    single(
        "origin",
        "embedded|URL",
        "The channel API: in this worker, or below a URL (https://HOST means https://HOST/api) [default: embedded]",
    ),
    single("upstream.timeout_s", "SECONDS", "The time limit for a response of the API at `origin` [default: 25]"),
    secret(
        "store",
        "sqlite|URL",
        "The store of the channel's records; postgres://USER:PASSWORD@HOST/DATABASE for several workers [default: sqlite, in the data folder]",
    ),
    single(
        "store_connections",
        "COUNT",
        "Maximum connections to PostgreSQL, 4 to 1000; unused ones are closed [default: 20]",
    ),
    single(
        "media",
        "s3://BUCKET/PREFIX",
        "A bucket for media and clips in addition to the folders, for several workers; credentials from the AWS_ variables [default: none]",
    ),
    single(
        "clips.folder",
        "DIR",
        "The folder of clips, the same for all workers that share a store [default: clips in the data folder]",
    ),
    Setting {
        key: "datalake.sinks",
        value: "SINK,…",
        help: "The sinks of analytics: lake:DIR, lake:s3://BUCKET/PREFIX, http:URL [default: lake: in the data folder]",
        kind: Kind::Many,
    },
    secret("datalake.sink_secret", "SECRET", "Signs the requests to HTTP sinks; at least 24 characters"),
    single("datalake.close_age_s", "SECONDS", "The age at which a batch ships [default: 5]"),
    single("datalake.queue_bytes", "BYTES", "The size limit of the analytics queue [default: 1073741824]"),
    single("payments", "sandbox|stripe", "The payment provider [default: sandbox]"),
    secret("stripe.secret_key", "KEY", "Stripe's secret or restricted key, sk_… or rk_…"),
    single("stripe.secret_key_file", "FILE", "A file with the secret key"),
    // It is public, but an operator who swaps the keys puts the secret one here.
    secret("stripe.publishable_key", "KEY", "Stripe's publishable key, pk_…, of the same mode"),
    secret("stripe.webhook_secret", "SECRET", "The signing secret of Stripe's webhooks to /webhooks/stripe, whsec_…"),
    single("stripe.webhook_secret_file", "FILE", "A file with the webhook secret"),
    single("stripe.base_url", "URL", "Stripe's API, or a stand-in for tests"),
    single("stripe.script_url", "URL", "Stripe's script for browsers, or a stand-in for tests"),
    single("audit_every_s", "SECONDS", "The interval between audits of the books [default: 3600]"),
    single("sandbox.delay_ms", "MS", "The time the sandbox takes to charge a card [default: 1500]"),
    secret(
        "mail",
        "DIR|URL",
        "Where emails go: a folder, or smtp(s)://USER:PASSWORD@HOST:PORT [default: mail in the data folder]",
    ),
    single(
        "mail_from",
        "ADDRESS",
        "The sender of emails, except of channels with their own [default: no-reply@touchline.invalid]",
    ),
    single("oauth.google.client_id", "ID", "The client ID for login with Google"),
    secret("oauth.google.client_secret", "SECRET", "The client secret for login with Google"),
    single("oauth.google.base_url", "URL", "Google, or a stand-in for tests"),
    single("oauth.facebook.client_id", "ID", "The client ID for login with Facebook"),
    secret("oauth.facebook.client_secret", "SECRET", "The client secret for login with Facebook"),
    single("oauth.facebook.base_url", "URL", "Facebook, or a stand-in for tests"),
    secret(
        "recaptcha.secret",
        "SECRET",
        "The reCAPTCHA secret, which enables it at login, registration and password reset",
    ),
    single("recaptcha.site_key", "KEY", "The reCAPTCHA site key"),
    single("recaptcha.url", "URL", "reCAPTCHA, or a stand-in for tests"),
    single("geo.mmdb", "FILE", "An MMDB file with the country of each address, such as GeoLite2-Country.mmdb"),
    single("geo.country_header", "NAME", "The header with the viewer's country, from a trusted proxy"),
    Setting {
        key: "trusted_proxies",
        value: "NET,…",
        help: "Proxies whose forwarded addresses are trusted, such as 10.0.0.0/8",
        kind: Kind::Many,
    },
    single("tls.cert", "FILE", "The certificate chain, PEM; with tls.key the site is served over https"),
    single("tls.key", "FILE", "Its private key, PEM"),
    Setting {
        key: "tls.hsts_subdomains",
        value: "true|false",
        help: "Whether HSTS covers subdomains [default: false]",
        kind: Kind::Switch,
    },
    single(
        "drain_s",
        "SECONDS",
        "How long the worker still serves requests after SIGTERM, while not ready [default: 5]",
    ),
    single("limits.connections", "COUNT", "Connections in total [default: 20000]"),
    single(
        "limits.connections_per_address",
        "COUNT",
        "Connections of one address that have sent a request [default: 4096]",
    ),
    single("limits.calls_per_minute", "COUNT", "API and analytics calls per address and minute [default: 6000]"),
    single(
        "limits.media_per_minute",
        "COUNT",
        "Playlists, segments and pictures per address and minute [default: 60000]",
    ),
    single("limits.body_s", "SECONDS", "The time limit for the body of a call to arrive [default: 30]"),
    single("limits.analytics_bytes_per_hour", "BYTES", "Bytes of analytics per address and hour [default: 67108864]"),
    single("limits.sockets_per_address", "COUNT", "Status sockets per address [default: 512]"),
    single("limits.sockets_per_key", "COUNT", "Status sockets per API key [default: 16]"),
    single(
        "disk.warn_bytes",
        "BYTES",
        "Size above which a folder (lake, clips, recordings, reports or emails) logs a warning [default: 21474836480]",
    ),
    single("disk.reserve_bytes", "BYTES", "Disk space reserved for the channel's records [default: 67108864]"),
    single(
        "node",
        "NAME",
        "This worker's name in the lake's file names, unique among the workers of a lake [default: random, stored in the data folder]",
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
        help: "Whether to accept the clock although records are more than an hour ahead of it [default: false]",
        kind: Kind::Switch,
    },
    single("clock_offset", "SECONDS", "Moves the worker's clock, for tests [default: 0]"),
    single("log", "FILTER", "The filter of the log on stderr, such as info or touchline=debug,warn [default: info]"),
    single("log_format", "text|json", "The format of the log [default: text]"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn flags_and_variables_derive_from_the_key_and_are_unique() {
        let setting = Setting::of("analytics.allow_localhost").unwrap();
        assert_eq!(setting.flag(), "analytics-allow-localhost");
        assert_eq!(setting.variable(), "TOUCHLINE_ANALYTICS_ALLOW_LOCALHOST");
        let flags: HashSet<_> = SETTINGS.iter().map(Setting::flag).collect();
        let variables: HashSet<_> = SETTINGS.iter().map(Setting::variable).collect();
        assert_eq!((flags.len(), variables.len()), (SETTINGS.len(), SETTINGS.len()));
    }
}
