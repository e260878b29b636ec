//! The site's TLS certificate, read at startup, on SIGHUP, and when its files change. An invalid new certificate leaves
//! the current one in use (`OPS-14`).

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::RwLock;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::config::{ConfigError, TlsFiles};

const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Modification time and size of a file.
type Stamp = Option<(SystemTime, u64)>;

#[derive(Debug)]
pub(crate) struct Certificate {
    files: TlsFiles,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificate {
    pub(crate) fn read(files: &TlsFiles) -> Result<Arc<Self>, ConfigError> {
        let current = RwLock::new(Arc::new(load(files)?));
        Ok(Arc::new(Self { files: files.clone(), current }))
    }

    /// A TLS acceptor with the current certificate that offers HTTP/2 (`FAST-5`).
    pub(crate) fn acceptor(self: &Arc<Self>) -> TlsAcceptor {
        let resolver: Arc<dyn ResolvesServerCert> = self.clone();
        let mut config = ServerConfig::builder().with_no_client_auth().with_cert_resolver(resolver);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }

    /// Reads the files again and logs the result.
    pub(crate) fn reload(&self) {
        match load(&self.files) {
            Ok(read) => {
                *self.current.write() = Arc::new(read);
                tracing::info!(file = %self.files.cert.display(), "the certificate was reloaded");
            }
            Err(error) => tracing::error!(%error, "the new certificate is invalid; the current one stays in use"),
        }
    }

    /// Reloads when the files have changed and stayed the same for one interval, until `stop`.
    pub(crate) async fn watch(self: Arc<Self>, stop: CancellationToken) {
        let mut read = self.stamps();
        let mut last = read;
        while stop.run_until_cancelled(tokio::time::sleep(POLL_INTERVAL)).await.is_some() {
            let now = self.stamps();
            if now != read && now == last {
                self.reload();
                read = now;
            }
            last = now;
        }
    }

    fn stamps(&self) -> [Stamp; 2] {
        [&self.files.cert, &self.files.key].map(|file| {
            let metadata = std::fs::metadata(file).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        })
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read()))
    }
}

fn load(files: &TlsFiles) -> Result<CertifiedKey, ConfigError> {
    let fault = |setting: &str, file: &Path, fault: &dyn std::fmt::Display| {
        ConfigError(format!("{setting}: {}: {fault}", file.display()))
    };
    let certificates = CertificateDer::pem_file_iter(&files.cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| fault("tls.cert", &files.cert, &error))?;
    if certificates.is_empty() {
        return Err(fault("tls.cert", &files.cert, &"contains no certificate"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| fault("tls.key", &files.key, &error))?;
    CertifiedKey::from_der(certificates, key, &ring::default_provider())
        .map_err(|error| fault("tls.key", &files.key, &error))
}
