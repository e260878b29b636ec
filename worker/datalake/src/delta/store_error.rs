//! Explains a store's error to the operator: which setting to check.

use std::error::Error as _;

use object_store::Error;

/// Advice by text that occurs in the error. The first match counts.
const MEANINGS: &[(&[&str], &str)] = &[
    (
        &["169.254.169.254", "instance metadata", "CredentialsNotLoaded"],
        "no key for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ),
    (&["NoSuchBucket"], "the bucket does not exist: create it, or correct the sink's name"),
    (
        &["PermanentRedirect", "301 Moved", "redirect without LOCATION", "AuthorizationHeaderMalformed"],
        "the bucket is in another region or at another address: set AWS_REGION, or AWS_ENDPOINT_URL",
    ),
    (
        &["InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "403 Forbidden", "401 Unauthorized"],
        "the server rejected the key: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that the key may list, get, put and delete objects",
    ),
    (
        &["501 Not Implemented", "NotImplemented"],
        "the server does not support If-None-Match, which the lake's tables need",
    ),
    (
        &["error sending request", "dns error", "Connection refused", "tcp connect error"],
        "the server cannot be reached: check AWS_ENDPOINT_URL and the network",
    ),
];

/// A store's error in one line: the advice, then the store's message.
pub(crate) fn explain(error: &Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        let text = deeper.to_string();
        if !message.contains(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = deeper.source();
    }
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let meaning = MEANINGS.iter().find(|(signs, _)| signs.iter().any(|sign| message.contains(sign)));
    meaning.map_or(message.clone(), |(_, meaning)| format!("{meaning} ({message})"))
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::StatusCode;
    use object_store::aws::AmazonS3Builder;
    use object_store::path::Path;
    use object_store::{ObjectStore, ObjectStoreExt, PutMode, RetryConfig};

    use super::*;

    /// The explanation if a server answers a put like this; `None` means there is no server.
    async fn of(answer: Option<(StatusCode, &'static str)>) -> String {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        if let Some((status, code)) = answer {
            let body = format!("<Error><Code>{code}</Code></Error>");
            let router = Router::new().fallback(move || async move { (status, body) });
            tokio::spawn(async move { axum::serve(listener, router).await });
        } else {
            drop(listener);
        }
        let store = AmazonS3Builder::new()
            .with_endpoint(endpoint)
            .with_allow_http(true)
            .with_bucket_name("games")
            .with_access_key_id("a")
            .with_secret_access_key("b")
            .with_retry(RetryConfig { max_retries: 0, ..RetryConfig::default() })
            .build()
            .unwrap();
        let path = Path::from("x");
        let put = store.put_opts(&path, "x".into(), PutMode::Create.into()).await;
        explain(&put.err().or(store.get(&path).await.err()).unwrap())
    }

    #[tokio::test]
    async fn an_error_names_the_setting_to_check() {
        for (answer, expected) in [
            (Some((StatusCode::NOT_FOUND, "NoSuchBucket")), "the bucket does not exist"),
            (Some((StatusCode::FORBIDDEN, "InvalidAccessKeyId")), "the server rejected the key"),
            (Some((StatusCode::UNAUTHORIZED, "x")), "the server rejected the key"),
            (Some((StatusCode::NOT_IMPLEMENTED, "NotImplemented")), "the server does not support If-None-Match"),
            (Some((StatusCode::MOVED_PERMANENTLY, "PermanentRedirect")), "the bucket is in another region"),
            (None, "the server cannot be reached"),
        ] {
            let text = of(answer).await;
            assert!(text.starts_with(expected) && !text.contains('\n'), "{answer:?}: {text}");
        }
    }
}
