//! The Stripe account: keys of the right kinds and of one mode, each given directly or in a file.

use url::Url;

use super::layers::{ConfigError, Layers};
use super::{Secret, values};

/// The largest key file, in bytes.
const KEY_BYTES: u64 = 1024;

#[derive(Debug)]
pub(crate) struct Stripe {
    pub(crate) secret_key: Secret<String>,
    pub(crate) publishable_key: String,
    pub(crate) webhook_secret: Secret<String>,
    /// `None`: Stripe's API.
    pub(crate) base_url: Option<Url>,
    /// `None`: Stripe's script.
    pub(crate) script_url: Option<Url>,
}

const SECRET_KEY: [&str; 2] = ["stripe.secret_key", "stripe.secret_key_file"];
const WEBHOOK_SECRET: [&str; 2] = ["stripe.webhook_secret", "stripe.webhook_secret_file"];

/// The account; `None` with `payments = sandbox`.
pub(super) fn read(layers: &Layers) -> Result<Option<Stripe>, ConfigError> {
    let is_stripe = layers.one("payments", values::payments)?.unwrap_or(false);
    let secret_key = secret(layers, SECRET_KEY, &["sk_", "rk_"])?;
    let publishable_key = layers.one("stripe.publishable_key", |text| key(text, &["pk_"]))?;
    let webhook_secret = secret(layers, WEBHOOK_SECRET, &["whsec_"])?;
    let base_url = layers.one("stripe.base_url", values::url)?;
    let script_url = layers.one("stripe.script_url", values::url)?;
    if !is_stripe {
        let settings = [
            (SECRET_KEY[0], secret_key.is_some()),
            ("stripe.publishable_key", publishable_key.is_some()),
            (WEBHOOK_SECRET[0], webhook_secret.is_some()),
            ("stripe.base_url", base_url.is_some()),
            ("stripe.script_url", script_url.is_some()),
        ];
        let unused = settings.into_iter().find(|(_, is_set)| *is_set);
        return unused.map_or(Ok(None), |(name, _)| Err(layers.fault(name, None, "needs payments = stripe")));
    }
    let missing = |name| layers.fault("payments", Some("stripe"), &format!("needs {name}"));
    let secret_key = secret_key.ok_or_else(|| missing(SECRET_KEY[0]))?;
    let publishable_key = publishable_key.ok_or_else(|| missing("stripe.publishable_key"))?;
    let webhook_secret = webhook_secret.ok_or_else(|| missing(WEBHOOK_SECRET[0]))?;
    let mode = |key: &str| key.split('_').nth(1).map(str::to_owned);
    for (name, key) in [(SECRET_KEY[0], &secret_key), ("stripe.publishable_key", &publishable_key)] {
        if !matches!(mode(key).as_deref(), Some("test" | "live")) {
            return Err(layers.fault(name, None, "not a key for test or live mode"));
        }
    }
    if mode(&secret_key) != mode(&publishable_key) {
        return Err(layers.fault("stripe.publishable_key", None, "not of the same mode as stripe.secret_key"));
    }
    let (secret_key, webhook_secret) = (Secret(secret_key), Secret(webhook_secret));
    Ok(Some(Stripe { secret_key, publishable_key, webhook_secret, base_url, script_url }))
}

/// A key given directly or in a file.
fn secret(
    layers: &Layers,
    [direct, file]: [&'static str; 2],
    prefixes: &[&str],
) -> Result<Option<String>, ConfigError> {
    let in_file = layers.one(file, |path| {
        let read = || -> std::io::Result<String> {
            if std::fs::metadata(path)?.len() > KEY_BYTES {
                return Err(std::io::Error::other("it is too long"));
            }
            std::fs::read_to_string(path)
        };
        let text = read().map_err(|error| format!("cannot be read: {error}"))?;
        key(text.trim(), prefixes).map_err(|fault| format!("its content is {fault}"))
    })?;
    let direct_key = layers.one(direct, |text| key(text, prefixes))?;
    match (direct_key, in_file) {
        (Some(_), Some(_)) => Err(layers.fault(file, None, &format!("cannot be combined with {direct}"))),
        (key, in_file) => Ok(key.or(in_file)),
    }
}

fn key(text: &str, prefixes: &[&str]) -> Result<String, String> {
    let is_valid = prefixes.iter().any(|prefix| text.strip_prefix(prefix).is_some_and(|rest| rest.len() >= 4))
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text.len() as u64 <= KEY_BYTES;
    if is_valid { Ok(text.to_owned()) } else { Err(format!("not a key that starts with {}", prefixes.join(" or "))) }
}
