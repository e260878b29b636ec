//! Lookup of people and orders. Reading a person's account is audited too.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::http::ApiError;
use touchline_protocol::purchases::{Order, OrderStatus, OrderType};
use touchline_protocol::time::rfc3339;
use touchline_store::{ChargeRecord, OrderRecord, OrderSearch, PeopleSearch, RecordedOrderEvent, User};

use super::audited::Operator;
use super::{Answer, ById, Failed, Operations, Person, answer, who};

const ORDERS_SHOWN: u32 = 500;

/// Times are in Unix milliseconds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListOrders {
    pub(crate) channel_key: Option<String>,
    pub(crate) user_id: Option<i64>,
    pub(crate) status: Option<OrderStatus>,
    pub(crate) product: Option<(OrderType, i64)>,
    pub(crate) between: Option<(i64, i64)>,
    pub(crate) limit: u32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FindPeople {
    pub(crate) channel_key: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) last4: Option<String>,
    pub(crate) between: Option<(i64, i64)>,
    pub(crate) limit: u32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OperatorsOrder {
    pub(crate) channel_key: String,
    pub(crate) user_id: i64,
    pub(crate) promo_code: Option<String>,
    pub(crate) order: Order,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OrderShown {
    #[serde(flatten)]
    pub(crate) order: OperatorsOrder,
    pub(crate) events: Vec<RecordedOrderEvent>,
    pub(crate) charges: Vec<ChargeRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OperatorsPerson {
    pub(crate) id: i64,
    pub(crate) channel_key: String,
    pub(crate) email: String,
    pub(crate) email_verified: bool,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    pub(crate) phone: String,
    pub(crate) blocked: bool,
    pub(crate) trial_period_used: bool,
    pub(crate) capabilities: Vec<String>,
    pub(crate) created_at: String,
}

/// A person with their orders, newest first.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PersonShown {
    #[serde(flatten)]
    pub(crate) person: OperatorsPerson,
    pub(crate) orders: Vec<OrderShown>,
}

impl From<OrderRecord> for OperatorsOrder {
    fn from(record: OrderRecord) -> Self {
        let OrderRecord { channel_key, user_id, promo_code, mut order, .. } = record;
        // The payment's client secret is for the viewer's browser only.
        order.next_action = None;
        Self { channel_key, user_id, promo_code, order }
    }
}

impl From<User> for OperatorsPerson {
    fn from(user: User) -> Self {
        Self {
            id: user.id,
            channel_key: user.channel_key,
            email: user.email,
            email_verified: user.email_verified,
            first_name: user.first_name,
            last_name: user.last_name,
            phone: user.phone,
            blocked: user.blocked,
            trial_period_used: user.trial_period_used,
            capabilities: user.capabilities,
            created_at: rfc3339(user.created_at),
        }
    }
}

pub(super) async fn orders(State(on): State<Operations>, Json(asked): Json<ListOrders>) -> Answer<Vec<OperatorsOrder>> {
    let ListOrders { channel_key, user_id, status, product, between, limit } = asked;
    let search = OrderSearch { channel_key, user_id, status, product, between, limit };
    let found = on.channel.store().find_orders(&search).await.map_err(Failed::by)?;
    is_known(&on, search.channel_key.as_deref(), found.is_empty())?;
    answer(found.into_iter().map(Into::into).collect())
}

pub(super) async fn order(State(on): State<Operations>, Json(ById { id }): Json<ById>) -> Answer<OrderShown> {
    let record = on.channel.store().any_order(id).await.map_err(Failed::by)?;
    let record = record.ok_or_else(|| ApiError::unknown(&format!("order {id}")))?;
    answer(shown(&on, record).await?)
}

pub(super) async fn people(
    State(on): State<Operations>,
    operator: Operator,
    Json(asked): Json<FindPeople>,
) -> Answer<Vec<OperatorsPerson>> {
    let FindPeople { channel_key, text, last4, between, limit } = asked;
    let search = PeopleSearch { channel_key, text, last4, between, limit };
    let finding = async { on.channel.store().find_people(&search).await.map_err(Failed::by) };
    // The search text is left out of the audit log: it may be a name, which erasure has to remove.
    let found = operator.does(&on, "user find", "users".to_owned(), json!({}), finding).await?;
    is_known(&on, search.channel_key.as_deref(), found.is_empty())?;
    answer(found.into_iter().map(Into::into).collect())
}

pub(super) async fn person(
    State(on): State<Operations>,
    operator: Operator,
    Json(person): Json<Person>,
) -> Answer<PersonShown> {
    let user = who(&on.channel, person).await?;
    let search = OrderSearch { user_id: Some(user.id), limit: ORDERS_SHOWN, ..OrderSearch::default() };
    let looking = async {
        let mut orders = Vec::new();
        for record in on.channel.store().find_orders(&search).await.map_err(Failed::by)? {
            orders.push(shown(&on, record).await?);
        }
        Ok(orders)
    };
    let orders = operator.does(&on, "user show", format!("user {}", user.id), json!({}), looking).await?;
    answer(PersonShown { person: user.into(), orders })
}

/// Fails for an unknown channel when nothing was found: its key may be mistyped. A removed channel still has orders.
pub(super) fn is_known(on: &Operations, channel_key: Option<&str>, found_nothing: bool) -> Result<(), ApiError> {
    match channel_key.filter(|key| found_nothing && on.channel.channels.by_key(key).is_none()) {
        Some(key) => Err(ApiError::unknown(&format!("channel {key}"))),
        None => Ok(()),
    }
}

async fn shown(on: &Operations, record: OrderRecord) -> Result<OrderShown, Failed> {
    let events = on.channel.store().order_events(record.order.id).await.map_err(Failed::by)?;
    let charges = on.channel.store().order_charges(record.order.id).await.map_err(Failed::by)?;
    Ok(OrderShown { order: record.into(), events, charges })
}
