//! The channel that a call names.

use touchline_channel::http::ApiError;

use super::Operations;

/// The record, if it exists and belongs to the channel, if one is given.
pub(super) fn in_channel<T>(
    name: &str,
    record: Option<T>,
    channel_key: Option<&str>,
    channel_of: impl Fn(&T) -> &str,
) -> Result<T, ApiError> {
    match channel_key {
        None => record.ok_or_else(|| ApiError::unknown(name)),
        Some(key) => record
            .filter(|record| channel_of(record) == key)
            .ok_or_else(|| ApiError::unknown(&format!("{name} of channel {key}"))),
    }
}

/// Fails for an unknown channel when nothing was found: its key may be mistyped. A removed channel still has orders.
pub(super) fn require_channel(
    operations: &Operations,
    channel_key: Option<&str>,
    is_empty: bool,
) -> Result<(), ApiError> {
    match channel_key.filter(|key| is_empty && operations.channel.channels.by_key(key).is_none()) {
        Some(key) => Err(ApiError::unknown(&format!("channel {key}"))),
        None => Ok(()),
    }
}
