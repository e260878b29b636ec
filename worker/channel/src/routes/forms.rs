//! `POST /custom-forms/{alias}` (`FORM-1`, `CALL-11`).

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use touchline_domain::accounts::{folded_address, is_email, is_phone};
use touchline_protocol::catalogue::{CustomForm, CustomFormField, FormSubmission};
use touchline_protocol::envelope::{DONE, Data, Done, Failure};
use touchline_protocol::limits::Limit;
use touchline_store::{FormAnswer, NewSubmission};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::limits::LimitedAction;
use crate::http::idempotency::required_key;
use crate::http::validation::Faults;
use crate::http::{ApiError, ApiResult, AppState, Keyed, KeyedFailures, PathName, WithKey, messages};
use crate::mail::forms::submission_email;

/// Longest field value, in characters.
const VALUE_MAX: usize = 5_000;
pub(crate) const LIMITS: &[Limit] =
    &[Limit::count("forms.field", VALUE_MAX as u64, "characters", "Value of a form field.")];

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(submit_form))
}

/// Submits a custom form to the channel's operator.
///
/// Repeating an `Idempotency-Key` doesn't send it again.
#[utoipa::path(
    post, path = "/api/custom-forms/{alias}", tag = "Channel data", request_body = WithKey<FormSubmission>,
    params(
        ("alias" = String, Path, description = "Alias of the form, such as `contact`.", max_length = 300, example = "contact"),
        ("Idempotency-Key" = String, Header, description = "Identifies the submission; 1 to 128 characters.", min_length = 1, max_length = 128, example = "3f0c7a52-form")
    ),
    responses((status = 200, body = Data<Done>), (status = 404, body = Failure, description = "the form doesn't exist"), KeyedFailures)
)]
pub(crate) async fn submit_form(
    State(state): State<AppState>,
    PathName(alias): PathName,
    headers: HeaderMap,
    Keyed { caller, body, .. }: Keyed<FormSubmission>,
) -> ApiResult<Json<Data<Done>>> {
    let submission_key = required_key(&headers)?;
    let record = caller.channel.forms.iter().find(|record| record.form.alias == alias).ok_or(ApiError::NotFound)?;
    let answers = answers(&record.form, &body)?;
    state.limits.take(LimitedAction::FormByAddress, &caller.client.subject(), &*state.clock).await?;
    let sender = record.form.fields.iter().find(|field| field.kind == "email").and_then(|field| value(&body, field));
    let email = record.to.as_ref().map(|to| submission_email(&caller.channel, &record.form, (to, sender), &answers));
    let new = NewSubmission {
        channel_key: caller.channel_key().to_owned(),
        alias,
        submission_key,
        user_id: caller.user_id,
        sender: sender.map(folded_address),
        answers,
        at: state.clock.now_ms(),
    };
    if state.store.submit_form(new, email).await? {
        state.wakeups.mail.notify_one();
    }
    Ok(Json(Data::of(DONE)))
}

/// A field's value; `None` if it is blank.
fn value<'a>(body: &'a FormSubmission, field: &CustomFormField) -> Option<&'a str> {
    body.answers.get(&field.name).map(|value| value.trim()).filter(|value| !value.is_empty())
}

/// The form's fields in order, with validated values. Other fields of the body are ignored.
fn answers(form: &CustomForm, body: &FormSubmission) -> ApiResult<Vec<FormAnswer>> {
    let mut faults = Faults::default();
    let mut answers = Vec::new();
    for field in &form.fields {
        let Some(value) = value(body, field) else {
            faults.unless(!field.required, &field.name, messages::REQUIRED);
            continue;
        };
        faults.unless(value.chars().count() <= VALUE_MAX, &field.name, messages::shorter_than(VALUE_MAX + 1));
        match field.kind.as_str() {
            "email" => faults.unless(is_email(value), &field.name, messages::EMAIL_INVALID),
            "phone" => faults.unless(is_phone(value), &field.name, messages::PHONE),
            "select" => {
                let options: Vec<_> = field.options.iter().map(String::as_str).collect();
                faults.unless(options.contains(&value), &field.name, messages::one_of(&field.name, &options));
            }
            _ => {}
        }
        answers.push(FormAnswer { label: field.label.clone(), value: value.to_owned() });
    }
    faults.check()?;
    Ok(answers)
}
