//! Erasure of a person outside the channel's own records.

use async_trait::async_trait;
use touchline_channel::person_eraser::PersonEraser;
use touchline_datalake::{Datalake, Person};
use touchline_store::Erasure;

/// Erases from the datalake: its queue, dead letters and lakes.
#[derive(Debug)]
pub(crate) struct DatalakeEraser(pub(crate) Datalake);

#[async_trait]
impl PersonEraser for DatalakeEraser {
    async fn erase(&self, person: &Erasure) -> anyhow::Result<()> {
        let user_id = person.user_id;
        let person = Person {
            user_id: Some(user_id.to_string()),
            email: Some(person.email.clone()),
            deleted_us: Some(person.begun_at * 1000),
        };
        let erased = self.0.erase_person(person).await?;
        tracing::info!(user_id, queued = erased.queued, rows = erased.rows, files = erased.files, "a user was erased");
        Ok(())
    }
}
