//! Which cards people keep.

use async_trait::async_trait;

use super::SqlStore;
use crate::{KeptCard, KeptCards, NewKeptCard, StoreResult};

#[async_trait]
impl KeptCards for SqlStore {
    async fn keep_card(&self, card: NewKeptCard) -> StoreResult<()> {
        let mut write = self.write().await?;
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

    async fn kept_cards(&self, user_id: i64) -> StoreResult<Vec<KeptCard>> {
        let rows: Vec<(String, bool, bool)> = sqlx::query_as(
            "SELECT payment_method_id, added, is_default FROM kept_cards
             WHERE user_id = $1 ORDER BY kept_at DESC, payment_method_id",
        )
        .bind(user_id)
        .fetch_all(self.readers())
        .await?;
        let kept = |(payment_method_id, added, is_default)| KeptCard { payment_method_id, added, is_default };
        Ok(rows.into_iter().map(kept).collect())
    }

    async fn forget_card(&self, user_id: i64, payment_method_id: &str) -> StoreResult<()> {
        let mut write = self.write().await?;
        sqlx::query("DELETE FROM kept_cards WHERE user_id = $1 AND payment_method_id = $2")
            .bind(user_id)
            .bind(payment_method_id)
            .execute(&mut *write)
            .await?;
        write.commit().await
    }
}
