//! Where the upstream is.

use url::Url;

/// Where the upstream's calls, its media and its status socket are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Ends with a slash: calls are below it.
    calls: Url,
    /// Ends with a slash: `media/` and `sync` of another Touchline are below it.
    site: Url,
}

impl Origin {
    /// Reads a setting: the address below which the calls are. A bare host means `/api/` there.
    ///
    /// # Errors
    /// Why it is no address of an API.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|_| "not a URL that begins with http:// or https://".to_owned())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err("not a URL that begins with http:// or https://".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("names a user or a password: keys are the viewers' own".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("has a query or a fragment: calls are told apart by their path alone".to_owned());
        }
        let path = url.path().trim_end_matches('/');
        let path = if path.is_empty() { "/api" } else { path };
        let at = |path: String| {
            let mut url = url.clone();
            url.set_path(&path);
            url
        };
        Ok(Self { calls: at(format!("{path}/")), site: at(format!("{}/", path.strip_suffix("/api").unwrap_or(path))) })
    }

    /// The address of a call; `path` is below `/api/`, encoded already.
    pub(crate) fn call(&self, path: &str, query: Option<&str>) -> Url {
        Self::below(&self.calls, path, query)
    }

    /// The address of something of its site, such as `media/…`.
    pub(crate) fn site(&self, path: &str, query: Option<&str>) -> Url {
        Self::below(&self.site, path, query)
    }

    /// The address of its status socket.
    pub(crate) fn socket(&self) -> String {
        let url = Self::below(&self.site, "sync", None);
        let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
        format!("{scheme}{}", &url.as_str()[url.scheme().len()..])
    }

    fn below(base: &Url, path: &str, query: Option<&str>) -> Url {
        let mut url = base.clone();
        url.set_path(&format!("{}{path}", base.path()));
        url.set_query(query.filter(|query| !query.is_empty()));
        url
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.calls.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_host_has_its_calls_below_api_and_a_path_says_otherwise() {
        let bare = Origin::parse("https://tv.example.com").unwrap();
        assert_eq!(bare.call("events", Some("limit=1")).as_str(), "https://tv.example.com/api/events?limit=1");
        assert_eq!(bare.site("media/x", None).as_str(), "https://tv.example.com/media/x");
        assert_eq!(bare.socket(), "wss://tv.example.com/sync");
        let own = Origin::parse("http://api.example.com:81/v1/").unwrap();
        assert_eq!(own.call("events", None).as_str(), "http://api.example.com:81/v1/events");
        assert_eq!(own.to_string(), "http://api.example.com:81/v1");
        for bad in ["ftp://x", "embedded2", "https://u:p@x", "https://x?y=1", "/api"] {
            assert!(Origin::parse(bad).is_err(), "{bad}");
        }
    }
}
