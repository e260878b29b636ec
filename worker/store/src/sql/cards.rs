//! Saved cards.

use async_trait::async_trait;

use super::{SqlStore, Subject, Write};
use crate::{NewSavedCard, SavedCard, SavedCards, StoreResult};

#[async_trait]
impl SavedCards for SqlStore {
    async fn save_card(&self, card: NewSavedCard) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Person(card.user_id)).await?;
        if card.is_default {
            sqlx::query("UPDATE kept_cards SET is_default = FALSE WHERE user_id = $1")
                .bind(card.user_id)
                .execute(&mut *write)
                .await?;
        }
        sqlx::query(
            "INSERT INTO kept_cards (user_id, payment_method_id, kept_at, added, is_default)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (user_id, payment_method_id) DO UPDATE
             SET added = kept_cards.added OR excluded.added,
                 is_default = kept_cards.is_default OR excluded.is_default",
        )
        .bind(card.user_id)
        .bind(&card.payment_method_id)
        .bind(card.at)
        .bind(card.added)
        .bind(card.is_default)
        .execute(&mut *write)
        .await?;
        write.commit().await
    }

    async fn saved_cards(&self, user_id: i64) -> StoreResult<Vec<SavedCard>> {
        let rows: Vec<(String, bool, bool)> = sqlx::query_as(
            "SELECT payment_method_id, added, is_default FROM kept_cards
             WHERE user_id = $1 ORDER BY kept_at DESC, payment_method_id",
        )
        .bind(user_id)
        .fetch_all(self.readers())
        .await?;
        let saved = |(payment_method_id, added, is_default)| SavedCard { payment_method_id, added, is_default };
        Ok(rows.into_iter().map(saved).collect())
    }

    async fn remove_card(&self, user_id: i64, payment_method_id: &str) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        sqlx::query("DELETE FROM kept_cards WHERE user_id = $1 AND payment_method_id = $2")
            .bind(user_id)
            .bind(payment_method_id)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }

    async fn cards_to_detach(&self, limit: u32) -> StoreResult<Vec<(i64, String)>> {
        Ok(sqlx::query_as("SELECT user_id, payment_method_id FROM card_releases ORDER BY user_id LIMIT $1")
            .bind(i64::from(limit))
            .fetch_all(self.readers())
            .await?)
    }

    async fn mark_card_detached(&self, user_id: i64, payment_method_id: &str) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query("DELETE FROM card_releases WHERE user_id = $1 AND payment_method_id = $2")
            .bind(user_id)
            .bind(payment_method_id)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }
}

/// Detaches a card that was entered for an ended purchase, unless the user saved it or pays with it.
pub(super) async fn release(write: &mut Write, user_id: i64, payment_method_id: &str) -> StoreResult<()> {
    sqlx::query(
        "INSERT INTO card_releases (user_id, payment_method_id) SELECT u.id, $2 FROM users u
         WHERE u.id = $1 AND $2 <> ''
           AND NOT EXISTS (SELECT 1 FROM kept_cards k WHERE k.user_id = $1 AND k.payment_method_id = $2)
           AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = $1 AND o.payment_method_id = $2
                           AND o.status = 'created')
         ON CONFLICT (user_id, payment_method_id) DO NOTHING",
    )
    .bind(user_id)
    .bind(payment_method_id)
    .execute(&mut **write)
    .await?;
    Ok(())
}
