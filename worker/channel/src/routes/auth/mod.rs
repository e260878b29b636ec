//! Calls for keys, logins and accounts (`CALL-2`).

pub(crate) mod devices;
pub(crate) mod email_verify;
pub(crate) mod keys;
pub(crate) mod linked_logins;
pub(crate) mod login;
pub(crate) mod password_reset;
pub(crate) mod register;
pub(crate) mod social;

use touchline_protocol::account::SignedLink;
use touchline_store::User;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::email_tokens::{self, LinkFault, LinkPurpose};
use crate::http::{AppState, Caller};

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(keys::get_api_key))
        .routes(routes!(register::register))
        .routes(routes!(login::login))
        .routes(routes!(login::logout))
        .routes(routes!(social::start_social_login))
        .routes(routes!(social::social_login))
        .routes(routes!(linked_logins::linked_logins))
        .routes(routes!(linked_logins::unlink_login))
        .routes(routes!(email_verify::email_verify))
        .routes(routes!(email_verify::email_verify_request))
        .routes(routes!(password_reset::password_reset_request))
        .routes(routes!(password_reset::password_reset))
        .routes(routes!(devices::session_code))
        .routes(routes!(devices::add_session))
        .routes(routes!(devices::sessions))
        .routes(routes!(devices::revoke_session))
}

/// The account of a mailed link, with the attempt counted.
pub(super) async fn follow(
    state: &AppState,
    purpose: LinkPurpose,
    caller: &Caller,
    link: &SignedLink,
) -> Result<User, LinkFault> {
    email_tokens::follow(&state.links(), purpose, caller.channel_key(), &caller.client.subject(), link).await
}
