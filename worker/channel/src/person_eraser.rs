//! Interface for components outside this crate that store personal data.

use std::fmt::Debug;

use async_trait::async_trait;
use touchline_store::Erasure;

/// A component that stores personal data, such as the datalake or the payment provider, and can erase it.
#[async_trait]
pub trait PersonEraser: Debug + Send + Sync + 'static {
    /// Erases a person whose account is deleted. Safe to call again after a failure.
    async fn erase(&self, person: &Erasure) -> anyhow::Result<()>;
}
