//! The client of the admin listener, used by the verbs.

use std::path::Path;

use anyhow::{Context, Result, bail};
use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use touchline_protocol::envelope::{Data, Failure};

pub(crate) const ADDRESS_FILE: &str = "admin.addr";
pub(crate) const TOKEN_FILE: &str = "admin.token";

/// The header with the operator's name: the login name of whoever runs the verb.
pub(crate) const OPERATOR_HEADER: &str = "x-operator";

/// A running worker, found by its data folder.
pub(crate) struct Worker {
    base: String,
    token: String,
    http: reqwest::Client,
}

impl Worker {
    pub(crate) fn of(data: &Path) -> Result<Self> {
        let read = |name: &str| {
            let text = std::fs::read_to_string(data.join(name));
            text.with_context(|| {
                format!("data folder {}: cannot read {name}; is a worker running on it?", data.display())
            })
        };
        let address = read(ADDRESS_FILE)?;
        let token = read(TOKEN_FILE)?.trim().to_owned();
        // A proxy must not see the token.
        let http = reqwest::Client::builder().no_proxy().build()?;
        Ok(Self { base: format!("http://{}/admin", address.trim()), token, http })
    }

    /// Whether a worker listens. The files of one that was killed stay.
    pub(crate) async fn is_running(&self) -> bool {
        match self.http.get(&self.base).send().await {
            Ok(_) => true,
            Err(error) => !error.is_connect(),
        }
    }

    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        let request = self.http.request(method, format!("{}/{path}", self.base)).bearer_auth(&self.token).json(body);
        let request = request.header(OPERATOR_HEADER, operator());
        let response = request.send().await.context("the worker does not respond; is it running?")?;
        if response.status().is_success() {
            return Ok(response.json::<Data<T>>().await.context("the worker's response cannot be read")?.data);
        }
        let status = response.status();
        match response.json::<Failure>().await {
            Ok(failure) => bail!("{}", failure.message),
            Err(_) => bail!("the worker responded with {status}"),
        }
    }
}

/// The login name of the process's owner; under `sudo`, of the user who called it.
fn operator() -> String {
    let uid = rustix::process::getuid().as_raw();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = login_name(&users, uid).unwrap_or_else(|| format!("uid {uid}"));
    match std::env::var("SUDO_USER") {
        Ok(caller) if !caller.is_empty() && caller != name => header_text(&format!("{caller} as {name}")),
        _ => header_text(&name),
    }
}

fn login_name(users: &str, uid: u32) -> Option<String> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, uid_field) = (fields.next()?, fields.nth(1)?);
        (uid_field.parse() == Ok(uid)).then(|| name.to_owned())
    })
}

/// Replaces characters that a header cannot carry.
fn header_text(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn login_names_are_looked_up_by_uid_and_are_safe_in_a_header() {
        let users = "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000::/home/ann:/bin/sh\nbroken\n";
        assert_eq!(login_name(users, 1000).as_deref(), Some("ann"));
        assert_eq!(login_name(users, 100), None);
        assert_eq!(header_text("Zo\u{eb} as root\n"), "Zo? as root?");
    }
}
