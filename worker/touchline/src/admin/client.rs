//! The verbs' side of the second listener.

use std::path::Path;

use anyhow::{Context, Result, bail};
use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use touchline_protocol::envelope::{Data, Failure};

/// Where the running worker's admin address stands.
pub(crate) const ADDRESS_FILE: &str = "admin.addr";
/// Where the token stands that the other verbs show.
pub(crate) const TOKEN_FILE: &str = "admin.token";

/// A running worker, found by its data folder.
pub(crate) struct Worker {
    base: String,
    token: String,
    http: reqwest::Client,
}

impl Worker {
    /// The worker that holds `data`.
    pub(crate) fn of(data: &Path) -> Result<Self> {
        let read = |name: &str| {
            let text = std::fs::read_to_string(data.join(name));
            text.with_context(|| {
                format!("data folder {}: {name} cannot be read; does a worker run on it?", data.display())
            })
        };
        let address = read(ADDRESS_FILE)?;
        let token = read(TOKEN_FILE)?.trim().to_owned();
        // The token goes to this machine's worker and to nobody in between.
        let http = reqwest::Client::builder().no_proxy().build()?;
        Ok(Self { base: format!("http://{}/admin", address.trim()), token, http })
    }

    /// Asks for `path`, with `body` as JSON.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        let request = self.http.request(method, format!("{}/{path}", self.base)).bearer_auth(&self.token).json(body);
        let response = request.send().await.context("the worker does not answer; does it run?")?;
        if response.status().is_success() {
            return Ok(response.json::<Data<T>>().await.context("the worker's answer cannot be read")?.data);
        }
        let status = response.status();
        match response.json::<Failure>().await {
            Ok(failure) => bail!("{}", failure.message),
            Err(_) => bail!("the worker answered {status}"),
        }
    }
}
