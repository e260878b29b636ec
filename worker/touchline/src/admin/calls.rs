//! What the verbs ask for.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::PathBuf;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use touchline_channel::http::{ApiError, AppState};
use touchline_channel::reports::KeptReport;
use touchline_channel::routes::operator::{accounts, orders};
use touchline_datalake::{Datalake, DeadLetter, DeadLetterFilter, Requeued, Status};
use touchline_protocol::envelope::{DONE, Data, Done};
use touchline_protocol::purchases::{Order, OrderType};
use touchline_store::{BookedEvent, User};

use crate::error_response::error_response;
use crate::journal::{Found, Journal};

/// What the verbs work on.
#[derive(Clone)]
pub(crate) struct Operations {
    pub(crate) channel: AppState,
    pub(crate) datalake: Datalake,
    pub(crate) journal: Journal,
}

/// Which dead letters are asked for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AskForLetters {
    #[serde(flatten)]
    pub(crate) filter: DeadLetterFilter,
    pub(crate) limit: usize,
}

/// Dead letters, and how many there are.
#[derive(Debug, Serialize)]
pub(crate) struct Letters {
    total: u64,
    letters: Vec<DeadLetter>,
}

/// Something by its id.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ById {
    pub(crate) id: i64,
}

/// A person, by their id or by their address in a channel.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Person {
    Id(ById),
    Address { channel_key: String, email: String },
}

/// What is set of a person's account.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SetPerson {
    #[serde(flatten)]
    pub(crate) person: Person,
    pub(crate) capabilities: Option<Vec<String>>,
    pub(crate) temporary_password: bool,
}

/// Whose account was set, and the password that it has for now.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PersonSet {
    pub(crate) id: i64,
    pub(crate) temporary_password: Option<String>,
}

/// A file by its path.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ByPath {
    pub(crate) path: PathBuf,
}

/// A problem report by its id.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ByReport {
    pub(crate) id: String,
}

/// A problem report, and where its log is.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReportFound {
    pub(crate) report: KeptReport,
    pub(crate) log: PathBuf,
}

/// What the worker knows of the requests that a problem report names.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ServerSide {
    pub(crate) journal: Found,
    /// What became of the orders that these requests were about.
    pub(crate) events: Vec<BookedEvent>,
}

/// A product that is given for nothing.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub(crate) channel_key: String,
    pub(crate) email: String,
    pub(crate) kind: OrderType,
    pub(crate) id: i64,
    pub(crate) participant_id: Option<i64>,
}

/// Why an operation failed: told to the operator in full.
struct Failed(String);

impl Failed {
    fn by(error: impl Display) -> Self {
        // With its causes, where there are any.
        Self(format!("{error:#}"))
    }
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Internal(cause) | ApiError::Unavailable(cause) => Self::by(cause),
            other => Self(other.answer().1.message),
        }
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        error_response(StatusCode::CONFLICT, "failed", &self.0)
    }
}

type Answer<T> = Result<Json<Data<T>>, Failed>;

fn answer<T>(data: T) -> Answer<T> {
    Ok(Json(Data::of(data)))
}

impl Operations {
    /// The calls, all `POST` with a JSON body.
    pub(crate) fn router(self) -> Router {
        Router::new()
            .route("/datalake/status", post(datalake_status))
            .route("/datalake/dead-letters", post(dead_letters))
            .route("/datalake/requeue", post(requeue))
            .route("/orders/refund", post(refund))
            .route("/orders/grant", post(grant))
            .route("/users/block", post(block))
            .route("/users/unblock", post(unblock))
            .route("/users/set", post(set))
            .route("/users/erase", post(erase))
            .route("/reports", post(reports))
            .route("/reports/show", post(report))
            .route("/reports/server", post(report_server))
            .route("/backup", post(backup))
            .with_state(self)
    }
}

async fn datalake_status(State(on): State<Operations>) -> Answer<Status> {
    answer(on.datalake.status())
}

async fn dead_letters(State(on): State<Operations>, Json(asked): Json<AskForLetters>) -> Answer<Letters> {
    let (total, letters) = on.datalake.dead_letters(asked.filter, asked.limit, 0).await.map_err(Failed::by)?;
    answer(Letters { total, letters })
}

async fn requeue(State(on): State<Operations>, Json(filter): Json<DeadLetterFilter>) -> Answer<Requeued> {
    answer(on.datalake.requeue(filter).await.map_err(Failed::by)?)
}

async fn refund(State(on): State<Operations>, Json(ById { id }): Json<ById>) -> Answer<Order> {
    answer(orders::refund(&on.channel, id).await?)
}

async fn grant(State(on): State<Operations>, Json(grant): Json<Grant>) -> Answer<Order> {
    let Grant { channel_key, email, kind, id, participant_id } = grant;
    answer(orders::grant(&on.channel, &channel_key, &email, kind, id, participant_id).await?)
}

async fn block(State(on): State<Operations>, Json(person): Json<Person>) -> Answer<ById> {
    let User { id, .. } = who(&on.channel, person).await?;
    accounts::block(&on.channel, id, true).await?;
    answer(ById { id })
}

async fn unblock(State(on): State<Operations>, Json(person): Json<Person>) -> Answer<ById> {
    let User { id, .. } = who(&on.channel, person).await?;
    accounts::block(&on.channel, id, false).await?;
    answer(ById { id })
}

async fn set(State(on): State<Operations>, Json(asked): Json<SetPerson>) -> Answer<PersonSet> {
    let SetPerson { person, capabilities, temporary_password } = asked;
    let User { id, .. } = who(&on.channel, person).await?;
    let setting = accounts::Setting { capabilities, temporary_password };
    answer(PersonSet { id, temporary_password: accounts::set(&on.channel, id, setting).await? })
}

async fn erase(State(on): State<Operations>, Json(person): Json<Person>) -> Answer<ById> {
    let user = who(&on.channel, person).await?;
    accounts::erase(&on.channel, &user).await?;
    answer(ById { id: user.id })
}

async fn who(channel: &AppState, person: Person) -> Result<User, ApiError> {
    match person {
        Person::Id(ById { id }) => {
            channel.store().user(id).await?.ok_or_else(|| ApiError::unknown(&format!("user {id}")))
        }
        Person::Address { channel_key, email } => accounts::by_email(channel, &channel_key, email.trim()).await,
    }
}

async fn backup(State(on): State<Operations>, Json(ByPath { path }): Json<ByPath>) -> Answer<Done> {
    on.channel.store().backup(&path).await.map_err(Failed::by)?;
    answer(DONE)
}

async fn reports(State(on): State<Operations>) -> Answer<Vec<KeptReport>> {
    let desk = on.channel.reports.clone();
    let listed = tokio::task::spawn_blocking(move || desk.list()).await.map_err(Failed::by)?;
    answer(listed.map_err(Failed::by)?)
}

async fn report(State(on): State<Operations>, Json(ByReport { id }): Json<ByReport>) -> Answer<ReportFound> {
    let found = on.channel.reports.kept(&id).zip(on.channel.reports.log_path(&id));
    let (report, log) = found.ok_or_else(|| ApiError::unknown(&format!("report {id}")))?;
    let log = std::path::absolute(log).map_err(Failed::by)?;
    answer(ReportFound { report, log })
}

async fn report_server(State(on): State<Operations>, Json(ByReport { id }): Json<ByReport>) -> Answer<ServerSide> {
    let report = on.channel.reports.kept(&id).ok_or_else(|| ApiError::unknown(&format!("report {id}")))?;
    let journal = on.journal.find(report.request_ids.into_iter().collect()).await.map_err(Failed::by)?;
    let orders: BTreeSet<_> = journal.entries.iter().filter_map(|entry| entry.order).collect();
    let mut events = Vec::new();
    for order in orders {
        events.extend(on.channel.store().order_events(order).await.map_err(Failed::by)?);
    }
    answer(ServerSide { journal, events })
}
