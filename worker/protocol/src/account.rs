//! People: registration, login, profile, rights, devices. Fields marked `x-personal` never enter the browser's state.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Body of `POST /v2/auth/register`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Register {
    /// 1 to 100 characters.
    #[schema(example = "Robin", max_length = 100, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub first_name: String,
    /// 1 to 100 characters.
    #[schema(example = "Hale", max_length = 100, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub last_name: String,
    /// An address of the standard shape.
    #[schema(example = "robin.hale@viewers.example", max_length = 254, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub email: String,
    /// 8 to 128 characters.
    #[schema(example = "correct horse", max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub password: String,
    /// The same once more.
    #[schema(example = "correct horse", max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub password_confirmation: String,
    /// Must be true.
    #[serde(default)]
    #[schema(example = true)]
    pub terms: bool,
    /// The reCAPTCHA token, when the channel asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recaptcha_token: Option<String>,
}

/// Body of `POST /v2/auth/login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Login {
    /// The account's address.
    #[schema(example = "demo@northfield.example", max_length = 254, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub email: String,
    /// Its password.
    #[schema(example = "touchline", max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub password: String,
    /// The reCAPTCHA token, when the channel asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recaptcha_token: Option<String>,
}

/// Body of `POST /v2/auth/social/{provider}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SocialLogin {
    /// What the provider's callback carried.
    #[schema(example = "4/0AX4XfWh", max_length = 2048)]
    pub code: String,
    /// The one-time value that the callback carried, bound to the API key.
    #[schema(example = "b3BlbiBzZXNhbWU", max_length = 512)]
    pub state: String,
    /// For someone who is not registered yet: the terms are accepted, register them.
    #[serde(default)]
    #[schema(example = true)]
    pub terms: bool,
}

/// The answer of login and registration: the key that replaces the one that was sent, and who it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// The new API key; the old one no longer works.
    #[schema(example = "3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa")]
    pub api_key: String,
    /// Whose it is.
    pub user: Profile,
}

/// A person, as they see themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// Their id.
    #[schema(example = 1)]
    pub id: i64,
    /// Their address.
    #[schema(example = "robin.hale@viewers.example", extensions(("x-personal" = json!(true))))]
    pub email: String,
    /// Whether the address was verified.
    #[schema(example = true)]
    pub email_verified: bool,
    /// Their first name.
    #[schema(example = "Robin", extensions(("x-personal" = json!(true))))]
    pub first_name: String,
    /// Their last name.
    #[schema(example = "Hale", extensions(("x-personal" = json!(true))))]
    pub last_name: String,
    /// Their phone number; empty when not given.
    #[serde(default)]
    #[schema(example = "+1 (555) 123-4567", extensions(("x-personal" = json!(true))))]
    pub phone: String,
    /// Whether the password must be changed before anything else.
    #[schema(example = false)]
    pub temporary_password: bool,
    /// Whether a trial was ever started.
    #[schema(example = false)]
    pub trial_period_used: bool,
    /// Whether the channel's video is closed to where they are.
    #[schema(example = false)]
    pub is_geo_blocked: bool,
    /// Of `watch`, `download`, `clipping`, `download_clip`, `no_ads`, `vod_media`.
    #[schema(example = json!(["watch", "clipping", "download_clip", "vod_media"]))]
    pub capabilities: Vec<String>,
    /// What they used.
    #[serde(rename = "featureCount")]
    pub feature_count: FeatureCount,
}

/// How often a right was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FeatureCount {
    /// Clips made.
    #[schema(example = 3)]
    pub clips: i64,
    /// Files downloaded.
    #[schema(example = 1)]
    pub downloads: i64,
}

/// Body of `POST /profile`: what is absent stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileUpdate {
    /// Must be `patch`.
    #[serde(rename = "_method", default)]
    #[schema(example = "patch")]
    pub method: String,
    /// 1 to 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Robin", max_length = 100, extensions(("x-personal" = json!(true))))]
    pub first_name: Option<String>,
    /// 1 to 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Hale", max_length = 100, extensions(("x-personal" = json!(true))))]
    pub last_name: Option<String>,
    /// A new address is to be verified anew; needs `current_password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 254, extensions(("x-personal" = json!(true))))]
    pub email: Option<String>,
    /// Optional plus sign, then 10 to 14 digits with separators; empty to remove it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "+1 (555) 123-4567", max_length = 40, extensions(("x-personal" = json!(true))))]
    pub phone: Option<String>,
    /// The present password, to change the address or the password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    pub current_password: Option<String>,
    /// A new password, 8 to 128 characters; every other key of the person stops working.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    pub password: Option<String>,
    /// The same once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    pub password_confirmation: Option<String>,
}

/// The answer of `GET /user/access`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Access {
    /// May watch what they own.
    #[schema(example = true)]
    pub watch: bool,
    /// May download events.
    #[schema(example = false)]
    pub download: bool,
    /// May make clips.
    #[schema(example = true)]
    pub clipping: bool,
    /// May download clips.
    #[schema(example = true)]
    pub download_clip: bool,
    /// Sees no prerolls.
    #[schema(example = false)]
    pub no_ads: bool,
    /// May watch the library.
    #[schema(example = true)]
    pub vod_media_access: bool,
    /// Events they own singly.
    #[schema(example = json!([11]))]
    pub events: Vec<i64>,
    /// Categories they own through packages.
    #[schema(example = json!([10, 20]))]
    pub event_categories: Vec<i64>,
    /// Teams they own passes for.
    #[schema(example = json!([101]))]
    pub participants: Vec<i64>,
    /// Whether an active subscription opens everything.
    #[schema(example = false)]
    pub subscribed: bool,
}

/// Body of the calls that need a link's signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedLink {
    /// The account's address.
    #[schema(example = "robin.hale@viewers.example", max_length = 254, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub email: String,
    /// Until when the link works, Unix seconds.
    #[schema(example = 1_800_000_000)]
    #[serde(default)]
    pub expires: i64,
    /// The link's signature.
    #[schema(example = "q2k0c2lnbmF0dXJl", max_length = 256)]
    #[serde(default)]
    pub signature: String,
}

/// Body of `POST /auth/password-reset-request`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasswordResetRequest {
    /// The account's address.
    #[schema(example = "robin.hale@viewers.example", max_length = 254, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub email: String,
    /// The reCAPTCHA token, when the channel asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recaptcha_token: Option<String>,
}

/// Body of `POST /auth/password-reset`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasswordReset {
    /// What the link carried.
    #[serde(flatten)]
    pub link: SignedLink,
    /// 8 to 128 characters.
    #[schema(example = "correct horse", max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub password: String,
    /// The same once more.
    #[schema(example = "correct horse", max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub password_confirmation: String,
}

/// A login through another site that opens the person's account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LinkedLogin {
    /// `google` or `facebook`.
    #[schema(example = "google")]
    pub provider: String,
    /// Since when it opens the account.
    #[schema(example = "2026-11-21T18:00:00.000Z", format = DateTime)]
    pub linked_at: String,
}

/// Body of `POST /auth/add_session`: links the device that shows this code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AddSession {
    /// Six letters and digits.
    #[schema(example = "7QK4XM", max_length = 16)]
    pub code: String,
}

/// The answer of `POST /auth/session_code`, asked by a device without a keyboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionCode {
    /// To be shown; entered at `/profile/sessions/add`.
    #[schema(example = "7QK4XM")]
    pub code: String,
    /// Until when it works, Unix seconds.
    #[schema(example = 1_795_284_600)]
    pub expires: i64,
}

/// A device that is logged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Device {
    /// Its id, for revoking.
    #[schema(example = 1)]
    pub id: i64,
    /// What it calls itself, from its user agent.
    #[schema(example = "Firefox on Linux")]
    pub name: String,
    /// When it was linked or logged in, RFC 3339 UTC.
    #[schema(example = "2026-11-21T18:00:00.000Z")]
    pub created_at: String,
    /// When it last asked for something, RFC 3339 UTC.
    #[schema(example = "2026-11-21T19:30:00.000Z")]
    pub last_seen_at: String,
    /// Whether it is the one that asks.
    #[schema(example = true)]
    pub current: bool,
}
