//! What the verbs ask for.

use std::path::PathBuf;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use touchline_datalake::{Datalake, DeadLetter, DeadLetterFilter, Erased, Person, Requeued, Status};
use touchline_protocol::envelope::{DONE, Data, Done};

use crate::refusal::refusal;

/// What the verbs work on.
#[derive(Clone)]
pub(crate) struct Operations {
    pub(crate) datalake: Datalake,
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

/// A file by its path.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ByPath {
    pub(crate) path: PathBuf,
}

/// Why an operation failed: told to the operator in full.
pub(crate) struct Failed(String);

impl<E: std::fmt::Display> From<E> for Failed {
    fn from(error: E) -> Self {
        // With its causes, where there are any.
        Self(format!("{error:#}"))
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        refusal(StatusCode::CONFLICT, "failed", &self.0)
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
            .with_state(self)
    }
}

async fn datalake_status(State(on): State<Operations>) -> Answer<Status> {
    answer(on.datalake.status())
}

async fn dead_letters(State(on): State<Operations>, Json(asked): Json<AskForLetters>) -> Answer<Letters> {
    let (total, letters) = on.datalake.dead_letters(asked.filter, asked.limit, 0).await?;
    answer(Letters { total, letters })
}

async fn requeue(State(on): State<Operations>, Json(filter): Json<DeadLetterFilter>) -> Answer<Requeued> {
    answer(on.datalake.requeue(filter).await?)
}
