//! The failures that the document names for every call of a kind.

use std::collections::BTreeMap;

use touchline_protocol::envelope::Failure;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{ContentBuilder, HeaderBuilder, Ref, RefOr};
use utoipa::{IntoResponses, PartialSchema, ToSchema};

/// What a 400 of a call with a key says.
const KEYED_400: &str = "a key fault (`errors.api_key`), a wrong shape, or a rule that refuses";

type Responses = BTreeMap<String, RefOr<Response>>;

/// The failures of a public call: 400, 413, 429, 500.
#[derive(Debug, Clone, Copy)]
pub struct PublicFailures;

/// The failures of a call with a key: as [`PublicFailures`]; 400 can name `errors.api_key`.
#[derive(Debug, Clone, Copy)]
pub struct KeyedFailures;

/// The failures of a call for logged-in people that a temporary password does not keep out: as [`KeyedFailures`], 401.
#[derive(Debug, Clone, Copy)]
pub struct PersonFailures;

/// The failures of a call for logged-in people: as [`PersonFailures`], 403.
#[derive(Debug, Clone, Copy)]
pub struct AccountFailures;

impl IntoResponses for PublicFailures {
    fn responses() -> Responses {
        failures(&[(400, "a request of the wrong shape, or that a rule refuses")])
    }
}

impl IntoResponses for KeyedFailures {
    fn responses() -> Responses {
        failures(&[(400, KEYED_400)])
    }
}

impl IntoResponses for PersonFailures {
    fn responses() -> Responses {
        failures(&[(400, KEYED_400), (401, "not logged in")])
    }
}

impl IntoResponses for AccountFailures {
    fn responses() -> Responses {
        failures(&[
            (400, KEYED_400),
            (401, "not logged in"),
            (
                403,
                "forbidden; `temporary_password`: the password must be changed first; `email_unverified`: the address must be verified first",
            ),
        ])
    }
}

fn failures(own: &[(u16, &str)]) -> Responses {
    let shared = [(413, "a body that is larger than the call may have"), (429, "too many requests"), (500, "ours")];
    own.iter().chain(&shared).map(|(status, text)| documented(*status, text)).collect()
}

/// A failure as the document has it.
pub(super) fn documented(status: u16, text: &str) -> (String, RefOr<Response>) {
    (status.to_string(), failure(status, text).into())
}

fn failure(status: u16, text: &str) -> Response {
    let schema = Ref::from_schema_name(Failure::name());
    let builder = ResponseBuilder::new()
        .description(text)
        .content("application/json", ContentBuilder::new().schema(Some(schema)).build());
    if status == 429 {
        let seconds = HeaderBuilder::new().schema(Some(u64::schema())).description(Some("Seconds to wait.")).build();
        return builder.header("Retry-After", seconds).build();
    }
    builder.build()
}
