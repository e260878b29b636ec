//! Channel keys and API keys.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Content of `/keys/{hostname}.json`: the public key of the channel that the host serves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChannelKey {
    /// Key of the channel, such as `northfield`.
    #[schema(example = "northfield")]
    pub channel_key: String,
}

/// Request body of `POST /get_api_key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GetApiKey {
    /// Key of the channel.
    #[schema(max_length = 64, example = "northfield")]
    pub channel_key: String,
}

/// An API key, required by all other calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApiKey {
    /// Opaque key. The worker stores nothing of a visitor's, and only the hash of a person's.
    #[schema(example = "3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa")]
    pub api_key: String,
}
