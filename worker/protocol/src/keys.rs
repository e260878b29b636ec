//! Channel keys and API keys.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What `/keys/{hostname}.json` holds: the public key of the channel that this host shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChannelKey {
    /// The channel's key, e.g. `northfield`.
    #[schema(example = "northfield")]
    pub channel_key: String,
}

/// Body of `POST /get_api_key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GetApiKey {
    /// The channel's key.
    #[schema(max_length = 64, example = "northfield")]
    pub channel_key: String,
}

/// A key that every other call carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApiKey {
    /// Opaque; the worker stores its hash alone.
    #[schema(example = "3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa")]
    pub api_key: String,
}
