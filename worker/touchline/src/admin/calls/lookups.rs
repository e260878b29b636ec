//! Lookup of people and orders. Reading a person's account is audited too.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_protocol::purchases::{Order, OrderStatus, OrderType};
use touchline_protocol::time::rfc3339;
use touchline_store::{ChargeRecord, OrderRecord, OrderSearch, PeopleSearch, RecordedOrderEvent, User};

use super::audited::{Operator, Subject};
use super::channels::{in_channel, require_channel};
use super::{Answer, OperationError, Operations, Person, RecordQuery, answer, find_user};

const MAX_ORDERS: u32 = 500;

/// Times are in Unix milliseconds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OrdersQuery {
    pub(crate) channel_key: Option<String>,
    pub(crate) user_id: Option<i64>,
    pub(crate) status: Option<OrderStatus>,
    pub(crate) product: Option<(OrderType, i64)>,
    pub(crate) between: Option<(i64, i64)>,
    pub(crate) limit: u32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PeopleQuery {
    pub(crate) channel_key: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) last4: Option<String>,
    pub(crate) between: Option<(i64, i64)>,
    pub(crate) limit: u32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OperatorOrder {
    pub(crate) channel_key: String,
    pub(crate) user_id: i64,
    pub(crate) promo_code: Option<String>,
    pub(crate) order: Order,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OrderDetails {
    #[serde(flatten)]
    pub(crate) order: OperatorOrder,
    pub(crate) events: Vec<RecordedOrderEvent>,
    pub(crate) charges: Vec<ChargeRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OperatorPerson {
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
pub(crate) struct PersonDetails {
    #[serde(flatten)]
    pub(crate) person: OperatorPerson,
    pub(crate) orders: Vec<OrderDetails>,
}

impl From<OrderRecord> for OperatorOrder {
    fn from(record: OrderRecord) -> Self {
        let OrderRecord { channel_key, user_id, promo_code, mut order, .. } = record;
        // The payment's client secret is for the viewer's browser only.
        order.next_action = None;
        Self { channel_key, user_id, promo_code, order }
    }
}

impl From<User> for OperatorPerson {
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

pub(super) async fn orders(
    State(operations): State<Operations>,
    Json(query): Json<OrdersQuery>,
) -> Answer<Vec<OperatorOrder>> {
    let OrdersQuery { channel_key, user_id, status, product, between, limit } = query;
    let search = OrderSearch { channel_key, user_id, status, product, between, limit };
    let found = operations.channel.store().find_orders(&search).await.map_err(OperationError::new)?;
    require_channel(&operations, search.channel_key.as_deref(), found.is_empty())?;
    answer(found.into_iter().map(Into::into).collect())
}

pub(super) async fn order(
    State(operations): State<Operations>,
    Json(query): Json<RecordQuery>,
) -> Answer<OrderDetails> {
    let record = find_order(&operations, query.id, query.channel_key.as_deref()).await?;
    answer(details(&operations, record).await?)
}

pub(super) async fn people(
    State(operations): State<Operations>,
    operator: Operator,
    Json(query): Json<PeopleQuery>,
) -> Answer<Vec<OperatorPerson>> {
    let PeopleQuery { channel_key, text, last4, between, limit } = query;
    let search = PeopleSearch { channel_key, text, last4, between, limit };
    let finding = async { operations.channel.store().find_people(&search).await.map_err(OperationError::new) };
    // The search text is left out of the audit log: it may be a name, which erasure has to remove.
    let subject = Subject::of_all("users", search.channel_key.as_deref());
    let found = operator.run(&operations, "user find", subject, json!({}), finding).await?;
    require_channel(&operations, search.channel_key.as_deref(), found.is_empty())?;
    answer(found.into_iter().map(Into::into).collect())
}

pub(super) async fn person(
    State(operations): State<Operations>,
    operator: Operator,
    Json(person): Json<Person>,
) -> Answer<PersonDetails> {
    let user = find_user(&operations.channel, person).await?;
    let search = OrderSearch { user_id: Some(user.id), limit: MAX_ORDERS, ..OrderSearch::default() };
    let loading = async {
        let mut orders = Vec::new();
        for record in operations.channel.store().find_orders(&search).await.map_err(OperationError::new)? {
            orders.push(details(&operations, record).await?);
        }
        Ok(orders)
    };
    let orders = operator.run(&operations, "user show", subject_of(&user), json!({}), loading).await?;
    answer(PersonDetails { person: user.into(), orders })
}

/// The order with the id, if it belongs to the channel, if one is given.
pub(super) async fn find_order(
    operations: &Operations,
    id: i64,
    channel_key: Option<&str>,
) -> Result<OrderRecord, OperationError> {
    let record = operations.channel.store().any_order(id).await.map_err(OperationError::new)?;
    Ok(in_channel(&format!("order {id}"), record, channel_key, |order| &order.channel_key)?)
}

pub(super) fn subject_of(user: &User) -> Subject {
    Subject::of(&user.channel_key, format!("user {}", user.id))
}

async fn details(operations: &Operations, record: OrderRecord) -> Result<OrderDetails, OperationError> {
    let events = operations.channel.store().order_events(record.order.id).await.map_err(OperationError::new)?;
    let charges = operations.channel.store().order_charges(record.order.id).await.map_err(OperationError::new)?;
    Ok(OrderDetails { order: record.into(), events, charges })
}
