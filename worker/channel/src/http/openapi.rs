//! Failures that the API document lists for every call of a kind.

use std::collections::BTreeMap;

use touchline_protocol::envelope::Failure;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{ContentBuilder, HeaderBuilder, Ref, RefOr};
use utoipa::{IntoResponses, PartialSchema, ToSchema};

const KEYED_400: &str = "invalid API key (`errors.api_key`), invalid fields, or a request that isn't allowed";

type Responses = BTreeMap<String, RefOr<Response>>;

/// Failures of a public call: 400, 413, 429, 500.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PublicFailures;

/// Failures of a call with a key: those of [`PublicFailures`], where a 400 can also name `errors.api_key`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyedFailures;

/// Failures of a call for logged-in people, even with a temporary password: those of [`KeyedFailures`], and 401.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PersonFailures;

/// Failures of a call for logged-in people: those of [`PersonFailures`], and 403.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AccountFailures;

impl IntoResponses for PublicFailures {
    fn responses() -> Responses {
        failures(&[(400, "invalid fields, or a request that isn't allowed")])
    }
}

impl IntoResponses for KeyedFailures {
    fn responses() -> Responses {
        failures(&[(400, KEYED_400)])
    }
}

impl IntoResponses for PersonFailures {
    fn responses() -> Responses {
        failures(&[(400, KEYED_400), (401, "not signed in")])
    }
}

impl IntoResponses for AccountFailures {
    fn responses() -> Responses {
        failures(&[
            (400, KEYED_400),
            (401, "not signed in"),
            (
                403,
                "forbidden; `temporary_password`: the password must be changed first; `email_unverified`: the email address must be verified first",
            ),
        ])
    }
}

fn failures(specific: &[(u16, &str)]) -> Responses {
    let shared = [(413, "the body is too large"), (429, "too many requests"), (500, "an internal error")];
    specific.iter().chain(&shared).map(|(status, text)| documented(*status, text)).collect()
}

/// A failure's entry in the API document.
pub(super) fn documented(status: u16, text: &str) -> (String, RefOr<Response>) {
    (status.to_string(), failure(status, text).into())
}

fn failure(status: u16, text: &str) -> Response {
    let schema = Ref::from_schema_name(Failure::name());
    let builder = ResponseBuilder::new()
        .description(text)
        .content("application/json", ContentBuilder::new().schema(Some(schema)).build());
    if status == 429 {
        let seconds = HeaderBuilder::new()
            .schema(Some(u64::schema()))
            .description(Some("Seconds to wait before the next attempt."))
            .build();
        return builder.header("Retry-After", seconds).build();
    }
    builder.build()
}
