//! Accounts: registration, login, profile, access rights and devices. Fields marked `x-personal` never enter the
//! browser's state.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Request body of `POST /v2/auth/register`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Register {
    /// First name, 1 to 100 characters.
    #[schema(example = "Robin", max_length = 100, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub first_name: String,
    /// Last name, 1 to 100 characters.
    #[schema(example = "Hale", max_length = 100, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub last_name: String,
    /// Email address.
    #[schema(example = "robin.hale@viewers.example", max_length = 254, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub email: String,
    /// Password, 8 to 128 characters.
    #[schema(example = "correct horse", max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub password: String,
    /// The password again. It must equal `password`.
    #[schema(example = "correct horse", max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub password_confirmation: String,
    /// Whether the viewer accepts the terms. Must be `true`.
    #[serde(default)]
    #[schema(example = true)]
    pub terms: bool,
    /// reCAPTCHA token. Required if the channel uses reCAPTCHA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recaptcha_token: Option<String>,
}

/// Request body of `POST /v2/auth/login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Login {
    /// The account's email address.
    #[schema(example = "demo@northfield.example", max_length = 254, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub email: String,
    /// The account's password.
    #[schema(example = "touchline", max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub password: String,
    /// reCAPTCHA token. Required if the channel uses reCAPTCHA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recaptcha_token: Option<String>,
}

/// Request body of `POST /v2/auth/social/{provider}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SocialLogin {
    /// Authorization code from the provider's callback.
    #[schema(example = "4/0AX4XfWh", max_length = 2048)]
    pub code: String,
    /// One-time state from the provider's callback, bound to the API key.
    #[schema(example = "b3BlbiBzZXNhbWU", max_length = 512)]
    pub state: String,
    /// Whether the viewer accepts the terms. If `true`, a person without an account is registered.
    #[serde(default)]
    #[schema(example = true)]
    pub terms: bool,
}

/// Response of login and registration: the account, and the API key that replaces the one in the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// The new API key, in place of the one in the request.
    #[schema(example = "3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa")]
    pub api_key: String,
    /// The account that the key belongs to.
    pub user: Profile,
}

/// The viewer's account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// Unique identifier of the account.
    #[schema(example = 1)]
    pub id: i64,
    /// Email address.
    #[schema(example = "robin.hale@viewers.example", extensions(("x-personal" = json!(true))))]
    pub email: String,
    /// Whether the email address is verified.
    #[schema(example = true)]
    pub email_verified: bool,
    /// First name.
    #[schema(example = "Robin", extensions(("x-personal" = json!(true))))]
    pub first_name: String,
    /// Last name.
    #[schema(example = "Hale", extensions(("x-personal" = json!(true))))]
    pub last_name: String,
    /// Phone number. Empty if none is set.
    #[serde(default)]
    #[schema(example = "+1 (555) 123-4567", extensions(("x-personal" = json!(true))))]
    pub phone: String,
    /// Whether the password is temporary. If `true`, it must be changed before any other call.
    #[schema(example = false)]
    pub temporary_password: bool,
    /// Whether the account has already used a free trial.
    #[schema(example = false)]
    pub trial_period_used: bool,
    /// Whether the channel's video is blocked in the viewer's country.
    #[schema(example = false)]
    pub is_geo_blocked: bool,
    /// The account's capabilities: any of `watch`, `download`, `clipping`, `download_clip`, `no_ads` and `vod_media`.
    #[schema(example = json!(["watch", "clipping", "download_clip", "vod_media"]))]
    pub capabilities: Vec<String>,
    /// Usage counts.
    #[serde(rename = "featureCount")]
    pub feature_count: FeatureCount,
}

/// Usage counts of an account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FeatureCount {
    /// Number of clips created.
    #[schema(example = 3)]
    pub clips: i64,
    /// Number of files downloaded.
    #[schema(example = 1)]
    pub downloads: i64,
}

/// Request body of `POST /profile`. Fields that are absent don't change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileUpdate {
    /// Must be `patch`.
    #[serde(rename = "_method", default)]
    #[schema(example = "patch")]
    pub method: String,
    /// First name, 1 to 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Robin", max_length = 100, extensions(("x-personal" = json!(true))))]
    pub first_name: Option<String>,
    /// Last name, 1 to 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Hale", max_length = 100, extensions(("x-personal" = json!(true))))]
    pub last_name: Option<String>,
    /// New email address. Requires `current_password`. The new address must be verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 254, extensions(("x-personal" = json!(true))))]
    pub email: Option<String>,
    /// Phone number: an optional plus sign, then 10 to 14 digits with separators. Send an empty string to remove it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "+1 (555) 123-4567", max_length = 40, extensions(("x-personal" = json!(true))))]
    pub phone: Option<String>,
    /// Current password. Required to change the email address or the password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    pub current_password: Option<String>,
    /// New password, 8 to 128 characters. All other API keys of the account stop working.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    pub password: Option<String>,
    /// The new password again. It must equal `password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    pub password_confirmation: Option<String>,
}

/// Response of `GET /user/access`: the viewer's access rights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Access {
    /// Whether the viewer can watch what they have bought.
    #[schema(example = true)]
    pub watch: bool,
    /// Whether the viewer can download events.
    #[schema(example = false)]
    pub download: bool,
    /// Whether the viewer can create clips.
    #[schema(example = true)]
    pub clipping: bool,
    /// Whether the viewer can download clips.
    #[schema(example = true)]
    pub download_clip: bool,
    /// Whether the viewer sees no ads.
    #[schema(example = false)]
    pub no_ads: bool,
    /// Whether the viewer can watch the video library.
    #[schema(example = true)]
    pub vod_media_access: bool,
    /// IDs of the events bought individually.
    #[schema(example = json!([11]))]
    pub events: Vec<i64>,
    /// IDs of the event categories covered by the viewer's packages.
    #[schema(example = json!([10, 20]))]
    pub event_categories: Vec<i64>,
    /// IDs of the teams covered by the viewer's team passes.
    #[schema(example = json!([101]))]
    pub participants: Vec<i64>,
    /// Whether an active subscription covers everything.
    #[schema(example = false)]
    pub subscribed: bool,
}

/// Request body of calls that need a signed link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedLink {
    /// The account's email address.
    #[schema(example = "robin.hale@viewers.example", max_length = 254, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub email: String,
    /// Expiry of the link, in Unix seconds.
    #[schema(example = 1_800_000_000)]
    #[serde(default)]
    pub expires: i64,
    /// The link's signature.
    #[schema(example = "q2k0c2lnbmF0dXJl", max_length = 256)]
    #[serde(default)]
    pub signature: String,
}

/// Request body of `POST /auth/password-reset-request`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasswordResetRequest {
    /// The account's email address.
    #[schema(example = "robin.hale@viewers.example", max_length = 254, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub email: String,
    /// reCAPTCHA token. Required if the channel uses reCAPTCHA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recaptcha_token: Option<String>,
}

/// Request body of `POST /auth/password-reset`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasswordReset {
    /// Parameters of the link.
    #[serde(flatten)]
    pub link: SignedLink,
    /// New password, 8 to 128 characters.
    #[schema(example = "correct horse", max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub password: String,
    /// The new password again. It must equal `password`.
    #[schema(example = "correct horse", max_length = 128, format = Password, extensions(("x-personal" = json!(true))))]
    #[serde(default)]
    pub password_confirmation: String,
}

/// A connected account of another site that can be used to sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LinkedLogin {
    /// `google` or `facebook`.
    #[schema(example = "google")]
    pub provider: String,
    /// Time at which it was connected, RFC 3339 UTC.
    #[schema(example = "2026-11-21T18:00:00.000Z", format = DateTime)]
    pub linked_at: String,
}

/// Request body of `POST /auth/add_session`, which links the device that displays the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AddSession {
    /// Six letters and digits.
    #[schema(example = "7QK4XM", max_length = 16)]
    pub code: String,
}

/// Response of `POST /auth/session_code`, called by a device without a keyboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionCode {
    /// Code for the device to display. The viewer enters it at `/profile/sessions/add`.
    #[schema(example = "7QK4XM")]
    pub code: String,
    /// Expiry of the code, in Unix seconds.
    #[schema(example = 1_795_284_600)]
    pub expires: i64,
    /// Key that the device uses from now on, instead of its visitor's key. The code attaches it to the viewer's account.
    /// Absent if the device's own key can be attached.
    #[schema(example = "3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
}

/// A signed-in device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Device {
    /// Unique identifier, used to sign the device out.
    #[schema(example = 1)]
    pub id: i64,
    /// Display name, derived from the user agent.
    #[schema(example = "Firefox on Linux")]
    pub name: String,
    /// Time at which the device was linked or signed in, RFC 3339 UTC.
    #[schema(example = "2026-11-21T18:00:00.000Z")]
    pub created_at: String,
    /// Time of the device's last request, RFC 3339 UTC.
    #[schema(example = "2026-11-21T19:30:00.000Z")]
    pub last_seen_at: String,
    /// Whether this is the device that made the request.
    #[schema(example = true)]
    pub current: bool,
}
