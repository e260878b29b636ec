//! A bucket configured by the `AWS_*` variables. They are checked before anything starts: object_store panics on an
//! invalid URL, at its first request.

use std::time::Duration;

use axum::http::Uri;
use object_store::ClientConfigKey;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};

/// Variables with the server's URL.
const ENDPOINTS: [&str; 3] = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];
/// Variables with the URL of a credentials service.
const KEY_ENDPOINTS: [&str; 2] = ["AWS_ENDPOINT_URL_STS", "AWS_METADATA_ENDPOINT"];

/// Opens a bucket with a request timeout.
pub(super) fn open(bucket: &str, timeout: Duration) -> Result<AmazonS3, String> {
    check(|name| std::env::var(name).ok())?;
    let seconds = format!("{}s", timeout.as_secs().max(1));
    AmazonS3Builder::from_env()
        .with_bucket_name(bucket)
        // Complete client options would override the variables.
        .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), seconds)
        .build()
        .map_err(|error| explain(&error))
}

fn check(variable: impl Fn(&str) -> Option<String>) -> Result<(), String> {
    for name in ENDPOINTS.into_iter().chain(KEY_ENDPOINTS) {
        if let Some(why) = variable(name).and_then(|url| fault(&url)) {
            return Err(format!("{name} is not a server URL such as https://s3.example: {why}"));
        }
    }
    allows_plain_http(variable)
}

/// Describes what is wrong with a URL. The URL is not repeated, because it may contain a password.
fn fault(url: &str) -> Option<&'static str> {
    if url.is_empty() {
        return Some("it is empty");
    }
    if url.bytes().any(|byte| !byte.is_ascii_graphic()) {
        return Some("it contains a space or a non-ASCII character");
    }
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Some("it must start with http:// or https://");
    }
    let has_host = url.parse::<Uri>().is_ok_and(|uri| uri.host().is_some_and(|host| !host.is_empty()));
    let is_whole = reqwest::Url::parse(url).is_ok_and(|url| url.query().is_none() && url.fragment().is_none());
    (!has_host || !is_whole).then_some("it may only have a scheme, a host, a port and a path")
}

/// Plain HTTP needs explicit permission.
fn allows_plain_http(variable: impl Fn(&str) -> Option<String>) -> Result<(), String> {
    let is_plain = |name: &&str| variable(name).is_some_and(|url| url.starts_with("http://"));
    let Some(name) = ENDPOINTS.into_iter().find(is_plain) else {
        return Ok(());
    };
    let is_allowed =
        variable("AWS_ALLOW_HTTP").is_some_and(|text| ["1", "true", "yes", "on"].contains(&&*text.to_lowercase()));
    if is_allowed { Ok(()) } else { Err(format!("{name} uses plain http: set AWS_ALLOW_HTTP=true to allow it")) }
}

/// Explains object_store's error with the name of the missing variable.
fn explain(error: &object_store::Error) -> String {
    let message = error.to_string();
    let missing = [("SecretAccessKey", "AWS_SECRET_ACCESS_KEY"), ("AccessKeyId", "AWS_ACCESS_KEY_ID")];
    let name = missing.into_iter().find(|(sign, _)| message.contains(&format!("Missing {sign}")));
    name.map_or(message.clone(), |(_, name)| format!("{name} is not set, but the other half of the key is"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(pairs: &[(&str, &str)]) -> Result<(), String> {
        check(|name| pairs.iter().find(|(of, _)| *of == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn plain_http_needs_explicit_permission() {
        assert_eq!(checked(&[]), Ok(()));
        assert_eq!(checked(&[("AWS_ENDPOINT_URL", "https://s3.example")]), Ok(()));
        assert_eq!(checked(&[("AWS_ENDPOINT", "http://a"), ("AWS_ALLOW_HTTP", "true")]), Ok(()));
        let why = checked(&[("AWS_ENDPOINT_URL", "http://a"), ("AWS_ALLOW_HTTP", "false")]).unwrap_err();
        assert_eq!(why, "AWS_ENDPOINT_URL uses plain http: set AWS_ALLOW_HTTP=true to allow it");
    }

    #[test]
    fn an_invalid_url_is_reported_with_its_variable() {
        let scheme = "it must start with http:// or https://";
        let (space, parts) = ("it contains a space or a", "it may only have a scheme, a host, a port and a path");
        for (url, why) in [
            ("127.0.0.1:18999", scheme),
            ("localhost:18999", scheme),
            ("s3.example", scheme),
            ("ftp://s3.example", scheme),
            (" https://s3.example", space),
            ("https://s3.example\n", space),
            ("https://", parts),
            ("https://:9000", parts),
            ("https://s3.example:port", parts),
            ("https://s3.example/?a=b", parts),
            ("", "it is empty"),
        ] {
            for name in ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_STS"] {
                let message = checked(&[(name, url)]).unwrap_err();
                let expected = format!("{name} is not a server URL such as https://s3.example: {why}");
                assert!(message.starts_with(&expected), "{url:?}: {message}");
            }
        }
        for url in ["https://s3.example", "https://s3.example:9000/", "https://[::1]:9000", "https://s3.example/below"]
        {
            assert_eq!(checked(&[("AWS_ENDPOINT_URL", url)]), Ok(()), "{url}");
        }
    }

    #[test]
    fn half_a_key_is_reported_with_the_missing_variable() {
        let builder = || AmazonS3Builder::new().with_bucket_name("games");
        let message = |builder: AmazonS3Builder| explain(&builder.build().unwrap_err());
        assert!(message(builder().with_access_key_id("a")).starts_with("AWS_SECRET_ACCESS_KEY is not set"));
        assert!(message(builder().with_secret_access_key("a")).starts_with("AWS_ACCESS_KEY_ID is not set"));
    }
}
