//! Verification of webhooks: Stripe's signature over time and body.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::Sha256;

/// Maximum difference between the signature's time and now, in seconds. An older signature is a replay.
pub const TOLERANCE_S: i64 = 300;

/// The secret of a webhook endpoint.
pub struct WebhookSecret {
    secret: String,
    is_live: bool,
}

/// Reasons for refusing a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebhookRefusal {
    /// No signature matches this secret.
    #[error("signature")]
    Signature,
    /// The signature is too old or in the future.
    #[error("time")]
    Time,
    /// The event belongs to another account.
    #[error("account")]
    Account,
    /// Test mode with live keys, or the reverse.
    #[error("mode")]
    Mode,
    /// The body is not an event.
    #[error("body")]
    Body,
}

/// The trusted part of an event: the objects it concerns. Their state is then read from the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The event's id.
    pub id: String,
    /// The event's type, e.g. `payment_intent.succeeded`.
    pub kind: String,
    /// The order key it contains.
    pub order_key: Option<String>,
    /// Ids of its payment intents and subscriptions.
    pub refs: Vec<String>,
}

#[derive(Deserialize)]
struct Body {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    livemode: bool,
    #[serde(default)]
    account: Option<String>,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    object: serde_json::Value,
}

impl WebhookSecret {
    pub(crate) fn new(secret: String, is_live: bool) -> Self {
        Self { secret, is_live }
    }

    /// Verifies a webhook that Stripe signed at about `now_s`.
    ///
    /// # Errors
    /// [`WebhookRefusal`].
    pub fn open(&self, header: &str, body: &[u8], now_s: i64) -> Result<Event, WebhookRefusal> {
        let at = self.verify(header, body)?;
        if (now_s - at).abs() > TOLERANCE_S {
            return Err(WebhookRefusal::Time);
        }
        let body: Body = serde_json::from_slice(body).map_err(|_| WebhookRefusal::Body)?;
        if body.account.is_some() {
            return Err(WebhookRefusal::Account);
        }
        if body.livemode != self.is_live {
            return Err(WebhookRefusal::Mode);
        }
        let object = &body.data.object;
        let order_key = ["/metadata/order", "/parent/subscription_details/metadata/order"]
            .into_iter()
            .find_map(|path| object.pointer(path)?.as_str());
        let refs = ["/id", "/payment_intent", "/subscription", "/parent/subscription_details/subscription"]
            .into_iter()
            .filter_map(|path| object.pointer(path)?.as_str().map(str::to_owned));
        Ok(Event { id: body.id, kind: body.kind, order_key: order_key.map(str::to_owned), refs: refs.collect() })
    }

    /// Returns the time of a genuine signature, in seconds.
    fn verify(&self, header: &str, body: &[u8]) -> Result<i64, WebhookRefusal> {
        let fields = || header.split(',').filter_map(|field| field.trim().split_once('='));
        let time = fields().find(|(name, _)| *name == "t").map(|(_, time)| time).ok_or(WebhookRefusal::Signature)?;
        let mut mac = Hmac::<Sha256>::new_from_slice(self.secret.as_bytes()).map_err(|_| WebhookRefusal::Signature)?;
        mac.update(time.as_bytes());
        mac.update(b".");
        mac.update(body);
        let is_genuine = fields()
            .filter(|(name, _)| *name == "v1")
            .filter_map(|(_, signature)| hex::decode(signature).ok())
            .any(|signature| mac.clone().verify_slice(&signature).is_ok());
        let time = time.parse().map_err(|_| WebhookRefusal::Signature)?;
        if is_genuine { Ok(time) } else { Err(WebhookRefusal::Signature) }
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebhookSecret").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000;
    const BODY: &str = r#"{"id":"evt_1","type":"invoice.paid","livemode":false,"data":{"object":{"id":"in_1",
        "parent":{"subscription_details":{"subscription":"sub_1","metadata":{"order":"order-7-1-0"}}}}}}"#;

    fn signed(secret: &str, at: i64, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(format!("{at}.{body}").as_bytes());
        format!("t={at},v0=00,v1={}", hex::encode(mac.finalize().into_bytes()))
    }

    fn open(header: &str, body: &str) -> Result<Event, WebhookRefusal> {
        WebhookSecret::new("whsec_1".to_owned(), false).open(header, body.as_bytes(), NOW)
    }

    #[test]
    fn a_signed_event_names_its_objects() {
        let event = open(&signed("whsec_1", NOW - 300, BODY), BODY).unwrap();
        assert_eq!((event.id.as_str(), event.order_key.as_deref()), ("evt_1", Some("order-7-1-0")));
        assert_eq!(event.refs, ["in_1", "sub_1"]);
        let both = format!("{},v1=00", signed("whsec_1", NOW, BODY));
        assert!(open(&both, BODY).is_ok(), "a secret being replaced also signs");
    }

    #[test]
    fn wrong_signatures_times_accounts_and_modes_are_refused() {
        let refused = |at, body: &str| open(&signed("whsec_1", at, body), body).unwrap_err();
        assert_eq!(open(&signed("whsec_2", NOW, BODY), BODY), Err(WebhookRefusal::Signature));
        assert_eq!(open(&signed("whsec_1", NOW, BODY), &BODY.replace("in_1", "in_2")), Err(WebhookRefusal::Signature));
        for header in ["", "t=1", "v1=00", "t=a,v1=00"] {
            assert_eq!(open(header, BODY), Err(WebhookRefusal::Signature), "{header}");
        }
        assert_eq!(refused(NOW - 301, BODY), WebhookRefusal::Time);
        assert_eq!(refused(NOW + 301, BODY), WebhookRefusal::Time);
        assert_eq!(refused(NOW, &BODY.replace("\"livemode\":false", "\"livemode\":true")), WebhookRefusal::Mode);
        assert_eq!(
            refused(NOW, &BODY.replace("\"livemode\"", "\"account\":\"acct_2\",\"livemode\"")),
            WebhookRefusal::Account
        );
        assert_eq!(refused(NOW, "{}"), WebhookRefusal::Body);
    }
}
