//! URLs of the upstream.

use touchline_protocol::site_path::SitePath;
use url::Url;

/// Folders of files on a Touchline site.
const FILES: [&str; 2] = ["media", "storage"];

/// Base URLs of the upstream's API, media and status socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Base of the API, with a trailing slash.
    calls: Url,
    /// Base of `media/` and `sync` of another Touchline, with a trailing slash.
    site: Url,
}

impl Origin {
    /// Parses the setting: the base URL of the API. A bare host means `/api/` on that host.
    ///
    /// # Errors
    /// Returns the reason if the URL can't be the base of an API.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|_| "not a URL starting with http:// or https://".to_owned())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err("not a URL starting with http:// or https://".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not contain a user or password, because each viewer has a key".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("must not contain a query or fragment".to_owned());
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

    /// URL of a call. `path` is the encoded path below `/api/`.
    pub(crate) fn call(&self, path: &str, query: Option<&str>) -> Url {
        Self::below(&self.calls, path, query)
    }

    /// URL of a file on the upstream's site. `None` unless the resolved URL is below `media/` or `storage/`.
    pub(crate) fn file(&self, path: &SitePath<'_>, query: Option<&str>) -> Option<Url> {
        let folder = format!("{}{}/", self.site.path(), FILES.into_iter().find(|folder| *folder == path.first())?);
        Some(self.site(&path.encoded(), query)).filter(|url| url.path().starts_with(&folder))
    }

    /// URL of another path on the upstream's site, such as `docs/openapi.json`.
    pub(crate) fn site(&self, path: &str, query: Option<&str>) -> Url {
        Self::below(&self.site, path, query)
    }

    /// URL of the status socket.
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
    use proptest::prelude::*;
    use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

    use super::*;

    /// `UP-12`: 20,000 random paths of fragments that parsers interpret differently (ChaCha, seeded with 32 bytes of
    /// 12).
    #[test]
    fn accepted_paths_stay_inside_the_file_folders() {
        let pieces = [
            "media", "storage", "/", "\\", "..", ".", "%2e", "%2E", "%2f", "%5c", "%", "%00", "%25", "?", "#", ";",
            ":", "@", "é", "x",
        ];
        let paths = proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..12);
        let mut runner = TestRunner::new_with_rng(
            ProptestConfig { cases: 20_000, ..ProptestConfig::default() },
            TestRng::from_seed(RngAlgorithm::ChaCha, &[12; 32]),
        );
        let origin = Origin::parse("https://tv.example.com/club/api").unwrap();
        let run = runner.run(&paths, |pieces| {
            for base in ["/media/", "/storage/", "/"] {
                let path = format!("{base}{}", pieces.concat());
                let Some(url) = SitePath::parse(&path).ok().and_then(|path| origin.file(&path, None)) else { continue };
                let url = Url::parse(url.as_str()).unwrap();
                let below = url.path().strip_prefix("/club/media/").or(url.path().strip_prefix("/club/storage/"));
                prop_assert!(below.is_some() && url.host_str() == Some("tv.example.com"), "{} from {}", url, path);
                prop_assert!(url.query().is_none() && url.fragment().is_none(), "{} from {}", url, path);
            }
            Ok(())
        });
        run.unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn a_bare_host_has_its_calls_below_api_and_a_path_says_otherwise() {
        let bare = Origin::parse("https://tv.example.com").unwrap();
        assert_eq!(bare.call("events", Some("limit=1")).as_str(), "https://tv.example.com/api/events?limit=1");
        assert_eq!(bare.site("media/x", None).as_str(), "https://tv.example.com/media/x");
        let file = |path| bare.file(&SitePath::parse(path).unwrap(), None).map(String::from);
        assert_eq!(file("/media/x%3f/y").as_deref(), Some("https://tv.example.com/media/x%3F/y"));
        assert_eq!((file("/media"), file("/demo/mail"), file("/mediax/y")), (None, None, None));
        assert_eq!(bare.socket(), "wss://tv.example.com/sync");
        let with_port = Origin::parse("http://api.example.com:81/v1/").unwrap();
        assert_eq!(with_port.call("events", None).as_str(), "http://api.example.com:81/v1/events");
        assert_eq!(with_port.to_string(), "http://api.example.com:81/v1");
        for bad in ["ftp://x", "embedded2", "https://u:p@x", "https://x?y=1", "/api"] {
            assert!(Origin::parse(bad).is_err(), "{bad}");
        }
    }
}
