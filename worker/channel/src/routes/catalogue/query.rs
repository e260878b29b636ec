//! Parses the values of a query: choices, ids, texts.

use touchline_protocol::codes::ErrorCode;
use touchline_protocol::limits::Limit;

use crate::http::{ApiError, ApiResult, messages};

/// Longest query value, in characters.
pub(super) const MAX_VALUE: usize = 200;
/// Limit of values per filter.
pub(super) const MAX_VALUES: usize = 100;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("query.value", MAX_VALUE as u64, "characters", "A query value."),
    Limit::count("query.values", MAX_VALUES as u64, "values", "Values of a filter."),
];
/// One of a few choices; `None` when absent or empty.
pub(super) fn choice<T: Copy>(field: &str, value: Option<&str>, choices: &[(&str, T)]) -> ApiResult<Option<T>> {
    let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) else { return Ok(None) };
    let found = choices.iter().find(|(name, _)| *name == value).map(|&(_, choice)| choice);
    let names: Vec<_> = choices.iter().map(|&(name, _)| name).collect();
    found.map(Some).ok_or_else(|| ApiError::field(field, ErrorCode::Invalid, messages::one_of(field, &names)))
}

/// Texts separated by commas; empty when absent.
pub(super) fn texts(field: &str, value: Option<&str>) -> ApiResult<Vec<String>> {
    let value = value.unwrap_or_default();
    let texts: Vec<_> = value.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    if texts.len() > MAX_VALUES || texts.iter().any(|word| word.chars().count() > MAX_VALUE) {
        return Err(ApiError::malformed(field, format!("{field} has too many values, or one that is too long")));
    }
    Ok(texts)
}

/// Ids separated by commas.
pub(super) fn ids(field: &str, value: Option<&str>) -> ApiResult<Vec<i64>> {
    let id =
        |word: String| word.parse().map_err(|_| ApiError::malformed(field, format!("{field} must be a list of ids")));
    texts(field, value)?.into_iter().map(id).collect()
}

/// A short text.
pub(super) fn text(field: &str, value: Option<&str>) -> ApiResult<Option<String>> {
    match value.map(str::trim).filter(|value| !value.is_empty()) {
        Some(value) if value.chars().count() > MAX_VALUE => {
            Err(ApiError::field(field, ErrorCode::Invalid, messages::shorter_than(MAX_VALUE + 1)))
        }
        value => Ok(value.map(str::to_owned)),
    }
}
