//! Favourites.

use async_trait::async_trait;
use serde_json::json;
use touchline_protocol::event_names::{FAVORITE_ADDED, FAVORITE_REMOVED};
use touchline_protocol::favorites::Favorite;

use super::{SqlStore, Subject, from_text, idempotency, to_text, viewer_events};
use crate::{AddFavoriteResult, ChangeContext, Favorites, IdempotencyClaim, NewFavorite, StoreResult};

#[async_trait]
impl Favorites for SqlStore {
    async fn add_favorite(
        &self,
        new: NewFavorite,
        limit: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<AddFavoriteResult> {
        let NewFavorite { user_id, kind, favoritable_id, context, at } = new;
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        let there: Option<i64> =
            sqlx::query_scalar("SELECT id FROM favorites WHERE user_id = $1 AND kind = $2 AND favoritable_id = $3")
                .bind(user_id)
                .bind(to_text(&kind)?)
                .bind(favoritable_id)
                .fetch_optional(&mut *write)
                .await?;
        let id = match there {
            Some(id) => id,
            None => {
                let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM favorites WHERE user_id = $1")
                    .bind(user_id)
                    .fetch_one(&mut *write)
                    .await?;
                if count >= limit {
                    return Ok(AddFavoriteResult::TooMany);
                }
                let id = write.next_id("favorites").await?;
                sqlx::query(
                    "INSERT INTO favorites (id, user_id, kind, favoritable_id, created_at) VALUES ($1, $2, $3, $4, $5)",
                )
                .bind(id)
                .bind(user_id)
                .bind(to_text(&kind)?)
                .bind(favoritable_id)
                .bind(at)
                .execute(&mut *write)
                .await?;
                let extras = json!({ "favoritable_type": kind, "favoritable_id": favoritable_id.to_string() });
                viewer_events::record(&mut write, context.as_ref(), user_id, FAVORITE_ADDED, extras).await?;
                id
            }
        };
        let favorite = Favorite { id, favoritable_id, favoritable_type: kind };
        idempotency::store_response(&mut write, claim, &favorite, at).await?;
        write.commit().await?;
        Ok(AddFavoriteResult::Marked(favorite))
    }

    async fn favorites(&self, user_id: i64) -> StoreResult<Vec<Favorite>> {
        let rows: Vec<(i64, String, i64)> =
            sqlx::query_as("SELECT id, kind, favoritable_id FROM favorites WHERE user_id = $1 ORDER BY id")
                .bind(user_id)
                .fetch_all(self.readers())
                .await?;
        rows.into_iter()
            .map(|(id, kind, favoritable_id)| Ok(Favorite { id, favoritable_id, favoritable_type: from_text(kind)? }))
            .collect()
    }

    async fn remove_favorite(&self, user_id: i64, id: i64, context: Option<ChangeContext>) -> StoreResult<bool> {
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        let removed: Option<(String, i64)> =
            sqlx::query_as("DELETE FROM favorites WHERE id = $1 AND user_id = $2 RETURNING kind, favoritable_id")
                .bind(id)
                .bind(user_id)
                .fetch_optional(&mut *write)
                .await?;
        let Some((kind, favoritable_id)) = removed else { return Ok(false) };
        let extras = json!({ "favoritable_type": kind, "favoritable_id": favoritable_id.to_string() });
        viewer_events::record(&mut write, context.as_ref(), user_id, FAVORITE_REMOVED, extras).await?;
        write.commit().await?;
        Ok(true)
    }
}
