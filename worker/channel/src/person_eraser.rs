//! Who else keeps things about people.

use std::fmt::Debug;

use async_trait::async_trait;
use touchline_store::Erasure;

/// Who else keeps things about people, and forgets them: the datalake, the payment provider.
#[async_trait]
pub trait PersonEraser: Debug + Send + Sync + 'static {
    /// Forgets a person whose account is gone. Called again after a failure, it goes on.
    async fn erase(&self, person: &Erasure) -> anyhow::Result<()>;
}
