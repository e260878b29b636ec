//! The API of the verbs.
//!
//! | module | what |
//! |---|---|
//! | [`audited`] | the operator's name, and the audit log |
//! | [`channels`] | the channel that a call names |
//! | [`clips`] | clips of viewers |
//! | [`books`] | sales, and the audit of the books |
//! | [`forms`] | form submissions |
//! | [`lookups`] | people and orders |
//! | [`promo`] | promo codes |
//! | [`reports`] | problem reports, with the server's side of each |
//! | [`scores`] | scores of events |
//! | [`visitors`] | visitors' keys |

pub(crate) mod audited;
pub(crate) mod books;
mod channels;
pub(crate) mod clips;
pub(crate) mod forms;
pub(crate) mod lookups;
pub(crate) mod promo;
pub(crate) mod reports;
pub(crate) mod scores;
pub(crate) mod visitors;

use std::fmt::Display;
use std::path::PathBuf;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::json;
use touchline_channel::http::{ApiError, AppState};
use touchline_channel::routes::operator::{accounts, orders};
use touchline_datalake::{Datalake, DeadLetter, DeadLetterFilter, Requeued, Status};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{DONE, Data, Done};
use touchline_protocol::purchases::{Order, OrderType};
use touchline_store::{OrderRecord, User};

use self::audited::{Operator, Subject};
use self::lookups::subject_of;
use crate::error_response::error_response;
use crate::journal::Journal;

#[derive(Clone)]
pub(crate) struct Operations {
    pub(crate) channel: AppState,
    pub(crate) datalake: Datalake,
    pub(crate) journal: Journal,
    /// Whether a channel API elsewhere answers the calls.
    pub(crate) is_proxy: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeadLettersQuery {
    #[serde(flatten)]
    pub(crate) filter: DeadLetterFilter,
    pub(crate) limit: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct DeadLetterPage {
    total: u64,
    letters: Vec<DeadLetter>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RecordId {
    pub(crate) id: i64,
}

/// A record by id, of the channel if one is given.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RecordQuery {
    pub(crate) id: i64,
    pub(crate) channel_key: Option<String>,
}

/// A person, by id, or by email address within a channel.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Person {
    Id(RecordQuery),
    Address { channel_key: String, email: String },
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SetPerson {
    #[serde(flatten)]
    pub(crate) person: Person,
    pub(crate) capabilities: Option<Vec<String>>,
    pub(crate) temporary_password: bool,
    pub(crate) verified: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PersonSet {
    pub(crate) id: i64,
    pub(crate) temporary_password: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RefundOrder {
    pub(crate) id: i64,
    pub(crate) channel_key: Option<String>,
    /// Minor units; `None` refunds the rest of the last payment.
    pub(crate) amount: Option<i64>,
    /// The means of a refund made outside the card, such as cash.
    pub(crate) outside: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BackupPath {
    pub(crate) path: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub(crate) channel_key: String,
    pub(crate) email: String,
    pub(crate) kind: OrderType,
    pub(crate) id: i64,
    pub(crate) participant_id: Option<i64>,
}

/// The reason an operation failed, given to the operator in full.
struct OperationError(String);

impl OperationError {
    fn new(error: impl Display) -> Self {
        // `{:#}` includes the causes.
        Self(format!("{error:#}"))
    }
}

impl From<ApiError> for OperationError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Internal(cause) | ApiError::Unavailable(cause) => Self::new(cause),
            other => Self(other.answer().1.message),
        }
    }
}

impl IntoResponse for OperationError {
    fn into_response(self) -> Response {
        error_response(StatusCode::CONFLICT, ErrorCode::Failed, &self.0)
    }
}

type Answer<T> = Result<Json<Data<T>>, OperationError>;

fn answer<T>(data: T) -> Answer<T> {
    Ok(Json(Data::of(data)))
}

impl Operations {
    pub(crate) fn router(self) -> Router {
        Router::new()
            .route("/datalake/status", post(datalake_status))
            .route("/datalake/dead-letters", post(dead_letters))
            .route("/datalake/requeue", post(requeue))
            .route("/orders/refund", post(refund))
            .route("/orders/grant", post(grant))
            .route("/orders/list", post(lookups::orders))
            .route("/orders/show", post(lookups::order))
            .route("/subscriptions/cancel", post(cancel_subscription))
            .route("/users/find", post(lookups::people))
            .route("/users/show", post(lookups::person))
            .route("/clips/list", post(clips::list))
            .route("/clips/hide", post(clips::hide))
            .route("/clips/unhide", post(clips::unhide))
            .route("/forms", post(forms::list))
            .route("/promo/add", post(promo::add))
            .route("/promo/end", post(promo::end))
            .route("/promo/list", post(promo::list))
            .route("/events/score", post(scores::set))
            .route("/audit-log", post(audited::list))
            .route("/sales", post(books::sales))
            .route("/audit", post(books::audit))
            .route("/users/block", post(block))
            .route("/users/unblock", post(unblock))
            .route("/users/set", post(set))
            .route("/users/erase", post(erase))
            .route("/visitors/end-keys", post(visitors::end_keys))
            .route("/reports", post(reports::list))
            .route("/reports/show", post(reports::show))
            .route("/reports/server", post(reports::server_side))
            .route("/backup", post(backup))
            .with_state(self)
    }
}

async fn datalake_status(State(operations): State<Operations>) -> Answer<Status> {
    answer(operations.datalake.status())
}

async fn dead_letters(
    State(operations): State<Operations>,
    Json(query): Json<DeadLettersQuery>,
) -> Answer<DeadLetterPage> {
    let (total, letters) =
        operations.datalake.dead_letters(query.filter, query.limit, 0).await.map_err(OperationError::new)?;
    answer(DeadLetterPage { total, letters })
}

async fn requeue(
    State(operations): State<Operations>,
    operator: Operator,
    Json(filter): Json<DeadLetterFilter>,
) -> Answer<Requeued> {
    let requeueing = async { operations.datalake.requeue(filter).await.map_err(OperationError::new) };
    answer(
        operator.run(&operations, "datalake requeue", Subject::of_all("datalake", None), json!({}), requeueing).await?,
    )
}

async fn refund(
    State(operations): State<Operations>,
    operator: Operator,
    Json(RefundOrder { id, channel_key, amount, outside }): Json<RefundOrder>,
) -> Answer<Order> {
    let found = lookups::find_order(&operations, id, channel_key.as_deref()).await;
    let subject = subject_of_order(id, &found, channel_key.as_deref());
    let refunding = async {
        found?;
        Ok(match &outside {
            Some(_) => orders::refund_outside(&operations.channel, id, amount).await?,
            None => orders::refund(&operations.channel, id, amount).await?,
        })
    };
    let detail = json!({ "amount": amount, "outside": outside });
    answer(operator.run(&operations, "order refund", subject, detail, refunding).await?)
}

async fn cancel_subscription(
    State(operations): State<Operations>,
    operator: Operator,
    Json(RecordQuery { id, channel_key }): Json<RecordQuery>,
) -> Answer<Order> {
    let found = lookups::find_order(&operations, id, channel_key.as_deref()).await;
    let subject = subject_of_order(id, &found, channel_key.as_deref());
    let cancelling = async {
        found?;
        Ok(orders::cancel_subscription(&operations.channel, id).await?)
    };
    answer(operator.run(&operations, "subscription cancel", subject, json!({}), cancelling).await?)
}

fn subject_of_order(id: i64, found: &Result<OrderRecord, OperationError>, channel_key: Option<&str>) -> Subject {
    let of_order = found.as_ref().ok().map(|order| order.channel_key.as_str());
    Subject::of_record(format!("order {id}"), of_order, channel_key)
}

async fn grant(State(operations): State<Operations>, operator: Operator, Json(grant): Json<Grant>) -> Answer<Order> {
    let Grant { channel_key, email, kind, id, participant_id } = grant;
    let user = accounts::by_email(&operations.channel, &channel_key, &email).await?;
    let detail = json!({ "type": kind, "id": id, "participant_id": participant_id });
    let granting =
        async { Ok(orders::grant(&operations.channel, &channel_key, &email, kind, id, participant_id).await?) };
    answer(operator.run(&operations, "order grant", subject_of(&user), detail, granting).await?)
}

async fn block(
    State(operations): State<Operations>,
    operator: Operator,
    Json(person): Json<Person>,
) -> Answer<RecordId> {
    let user = find_user(&operations.channel, person).await?;
    let blocking = async { Ok(accounts::block(&operations.channel, user.id, true).await?) };
    operator.run(&operations, "user block", subject_of(&user), json!({}), blocking).await?;
    answer(RecordId { id: user.id })
}

async fn unblock(
    State(operations): State<Operations>,
    operator: Operator,
    Json(person): Json<Person>,
) -> Answer<RecordId> {
    let user = find_user(&operations.channel, person).await?;
    let unblocking = async { Ok(accounts::block(&operations.channel, user.id, false).await?) };
    operator.run(&operations, "user unblock", subject_of(&user), json!({}), unblocking).await?;
    answer(RecordId { id: user.id })
}

async fn set(
    State(operations): State<Operations>,
    operator: Operator,
    Json(query): Json<SetPerson>,
) -> Answer<PersonSet> {
    let SetPerson { person, capabilities, temporary_password, verified } = query;
    let user = find_user(&operations.channel, person).await?;
    let detail =
        json!({ "capabilities": capabilities, "temporary_password": temporary_password, "verified": verified });
    let setting = accounts::Setting { capabilities, temporary_password, verified };
    let setting = async { Ok(accounts::set(&operations.channel, user.id, setting).await?) };
    let temporary_password = operator.run(&operations, "user set", subject_of(&user), detail, setting).await?;
    answer(PersonSet { id: user.id, temporary_password })
}

async fn erase(
    State(operations): State<Operations>,
    operator: Operator,
    Json(person): Json<Person>,
) -> Answer<RecordId> {
    let user = find_user(&operations.channel, person).await?;
    let erasing = async { Ok(accounts::erase(&operations.channel, &user).await?) };
    operator.run(&operations, "user erase", subject_of(&user), json!({}), erasing).await?;
    answer(RecordId { id: user.id })
}

async fn find_user(channel: &AppState, person: Person) -> Result<User, ApiError> {
    match person {
        Person::Id(RecordQuery { id, channel_key }) => {
            let user = channel.store().user(id).await?;
            channels::in_channel(&format!("user {id}"), user, channel_key.as_deref(), |user| &user.channel_key)
        }
        Person::Address { channel_key, email } => accounts::by_email(channel, &channel_key, email.trim()).await,
    }
}

async fn backup(
    State(operations): State<Operations>,
    operator: Operator,
    Json(BackupPath { path }): Json<BackupPath>,
) -> Answer<Done> {
    let writing = async { operations.channel.store().backup(&path).await.map_err(OperationError::new) };
    operator.run(&operations, "backup", Subject::of_all("records", None), json!({}), writing).await?;
    answer(DONE)
}
