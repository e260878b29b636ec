//! Analytics events of changes (`ANA-14`).

use serde_json::{Value, json};

use super::Write;
use super::lake_rows::{self, EVENT, EVENT_COUNT, NewRow};
use crate::{ChangeContext, SignIn, StoreResult};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Writes an event of a user's change. `None` if the channel has no analytics.
pub(super) async fn record(
    write: &mut Write,
    context: Option<&ChangeContext>,
    user_id: i64,
    event: &str,
    extras: Value,
) -> StoreResult<()> {
    let Some(ChangeContext { id, channel_key, analytics_key, country, browser, at }) = context else { return Ok(()) };
    let Some(browser) = browser else {
        let body = json!({ "event": event, "channel": channel_key }).to_string();
        // The row does not say whose change it was, or when on that day.
        let day = at - at.rem_euclid(DAY_MS);
        return lake_rows::insert_row(write, row(EVENT_COUNT, id, None), &body, day).await;
    };
    let body = json!({
        "event": event, "profile": browser.profile, "session_uuid": browser.session, "extras": extras,
        "channel": channel_key, "analytics_key": analytics_key, "country": country,
    });
    lake_rows::insert_row(write, row(EVENT, id, Some(user_id)), &body.to_string(), *at).await
}

fn row<'a>(lake_table: &'a str, event_id: &str, user_id: Option<i64>) -> NewRow<'a> {
    NewRow { lake_table, event_id: event_id.to_owned(), user_id, order_id: None, net: 0 }
}

/// Writes the event of a registration or log-in.
pub(super) async fn record_sign_in(
    write: &mut Write,
    SignIn { method, context }: &SignIn,
    user_id: i64,
    event: &str,
) -> StoreResult<()> {
    record(write, Some(context), user_id, event, json!({ "method": method })).await
}
