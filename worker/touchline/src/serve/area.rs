//! The part of the worker that answers a path.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Area {
    Health,
    Api,
    Datalake,
    Sync,
    Media,
    Webhooks,
    Site,
}

impl Area {
    pub(super) fn of(path: &str) -> Self {
        let below =
            |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        match path {
            "/healthz" | "/readyz" => Self::Health,
            _ if below("/api") => Self::Api,
            _ if below("/datalake") => Self::Datalake,
            _ if below("/sync") => Self::Sync,
            _ if below("/media") => Self::Media,
            _ if below("/webhooks") => Self::Webhooks,
            _ => Self::Site,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Api => "api",
            Self::Datalake => "datalake",
            Self::Sync => "sync",
            Self::Media => "media",
            Self::Webhooks => "webhooks",
            Self::Site => "site",
        }
    }
}
