//! Recognises genuine sales events. Anyone may send an event named `purchase`, so the room reserved for sales on a
//! nearly full disk is only for sales of this worker, once for each (`OPS-13`).

use std::collections::VecDeque;
use std::fmt;

use async_trait::async_trait;
use foldhash::HashMap;
use parking_lot::Mutex;
use serde::Deserialize;
use uuid::Uuid;

use crate::options::CLAIMS;
use crate::queue::Candidate;
use crate::table::Priority;

/// Sales that are looked up per request. Its other events get no reserved room.
const MAX_LOOKUPS: usize = 8;

/// Looks up sales.
#[async_trait]
pub trait Sales: fmt::Debug + Send + Sync {
    /// Whether a sale with this `transaction_id` was made.
    async fn is_sale(&self, transaction_id: &str) -> bool;
}

/// The one event of each sale that may use reserved room.
#[derive(Debug, Default)]
pub(crate) struct Claims(Mutex<ClaimedSales>);

#[derive(Debug, Default)]
struct ClaimedSales {
    events: HashMap<(String, bool), Uuid>,
    order: VecDeque<(String, bool)>,
}

impl Claims {
    /// Whether this event is the sale's first, which may be sent repeatedly. A refund counts as a separate event.
    fn claim(&self, sale: (String, bool), event: Uuid) -> bool {
        let mut claimed = self.0.lock();
        if let Some(claimant) = claimed.events.get(&sale) {
            return *claimant == event;
        }
        if claimed.order.len() >= CLAIMS
            && let Some(oldest) = claimed.order.pop_front()
        {
            claimed.events.remove(&oldest);
        }
        claimed.order.push_back(sale.clone());
        claimed.events.insert(sale, event);
        true
    }
}

#[derive(Deserialize)]
struct SalesEvent<'a> {
    #[serde(borrow, default)]
    event: std::borrow::Cow<'a, str>,
    #[serde(default)]
    extras: Extras,
}

#[derive(Default, Deserialize)]
struct Extras {
    transaction_id: Option<String>,
}

/// The sale that an event names, and whether the event is its refund.
fn sale_of(body: &[u8]) -> Option<(String, bool)> {
    let sale: SalesEvent<'_> = serde_json::from_slice(body).ok()?;
    Some((sale.extras.transaction_id?, sale.event.starts_with("refund")))
}

impl Claims {
    /// Lowers the priority of sales events that belong to no sale.
    pub(crate) async fn verify(&self, sales: &dyn Sales, candidates: &mut [Candidate]) {
        let mut lookups = 0;
        for candidate in candidates.iter_mut().filter(|candidate| candidate.priority == Priority::Purchase) {
            let sale = sale_of(&candidate.event.body).filter(|_| lookups < MAX_LOOKUPS);
            let genuine = match sale {
                Some(sale) => {
                    lookups += 1;
                    sales.is_sale(&sale.0).await && self.claim(sale, candidate.event.id)
                }
                None => false,
            };
            if !genuine {
                candidate.priority = Priority::Ordinary;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_events_sale_is_found() {
        let body = br#"{"event":"purchase","profile":"p","extras":{"transaction_id":"7","value":3}}"#;
        assert_eq!(sale_of(body), Some(("7".to_owned(), false)));
        assert_eq!(sale_of(br#"{"event":"refund","extras":{"transaction_id":"7"}}"#), Some(("7".to_owned(), true)));
        for none in [r#"{"event":"purchase"}"#, r#"{"event":"purchase","extras":null}"#, "[]"] {
            assert_eq!(sale_of(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn a_sale_has_one_event_even_if_it_is_repeated() {
        let (claims, [one, other]) = (Claims::default(), [1, 2].map(Uuid::from_u128));
        let sale = || ("7".to_owned(), false);
        assert!(claims.claim(sale(), one) && claims.claim(sale(), one));
        assert!(!claims.claim(sale(), other));
        assert!(claims.claim(("7".to_owned(), true), other));
        for n in 0..2 * CLAIMS {
            claims.claim((n.to_string(), false), one);
        }
        assert!(claims.0.lock().events.len() <= CLAIMS);
    }
}
