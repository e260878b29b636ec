//! Who forgets an erased person besides the channel's own records.

use async_trait::async_trait;
use touchline_channel::people::PersonEraser;
use touchline_datalake::{Datalake, Person};

/// The datalake forgets them: in its queue, its dead letters and its lakes.
#[derive(Debug)]
pub(crate) struct FromDatalake(pub(crate) Datalake);

#[async_trait]
impl PersonEraser for FromDatalake {
    async fn erase(&self, user_id: i64, email: &str) -> anyhow::Result<()> {
        let person = Person { user_id: Some(user_id.to_string()), email: Some(email.to_owned()) };
        let erased = self.0.erase_person(person).await?;
        tracing::info!(
            user_id,
            queued = erased.queued,
            rows = erased.rows,
            files = erased.files,
            "a person was erased"
        );
        Ok(())
    }
}
