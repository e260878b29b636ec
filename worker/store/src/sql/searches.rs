//! Operators' searches.

use async_trait::async_trait;

use super::order_rows::{Row, orders_where};
use super::users::user_columns;
use super::{SqlStore, to_text, users};
use crate::searches::{OrderSearch, PeopleSearch, Searches};
use crate::{OrderRecord, StoreResult, User};

/// The `LIKE` pattern for a substring.
fn containing(text: &str) -> String {
    let escaped: String =
        text.chars().flat_map(|c| ['\\'].into_iter().filter(move |_| "%_\\".contains(c)).chain([c])).collect();
    format!("%{escaped}%")
}

#[async_trait]
impl Searches for SqlStore {
    async fn find_people(&self, search: &PeopleSearch) -> StoreResult<Vec<User>> {
        let (from, until) = search.between.unzip();
        let rows: Vec<users::Row> = sqlx::query_as(concat!(
            "SELECT ",
            user_columns!("u."),
            " FROM users u WHERE u.erased_at IS NULL AND ($1 IS NULL OR u.channel_key = $1)
               AND ($2 IS NULL OR u.email_folded LIKE $3 ESCAPE '\\'
                    OR u.first_name || ' ' || u.last_name LIKE $2 ESCAPE '\\'
                    OR LOWER(u.first_name || ' ' || u.last_name) LIKE $3 ESCAPE '\\')
               AND ($4 IS NULL OR EXISTS (SELECT 1 FROM charges c WHERE c.user_id = u.id AND c.card_last4 = $4))
               AND ($5 IS NULL OR EXISTS (SELECT 1 FROM orders o JOIN order_events e ON e.order_id = o.id
                    WHERE o.user_id = u.id AND e.at >= $5 AND e.at < $6))
             ORDER BY u.id DESC LIMIT $7"
        ))
        .bind(&search.channel_key)
        .bind(search.text.as_deref().map(containing))
        .bind(search.text.as_deref().map(|text| containing(&text.to_lowercase())))
        .bind(&search.last4)
        .bind(from)
        .bind(until)
        .bind(i64::from(search.limit))
        .fetch_all(self.readers())
        .await?;
        rows.into_iter().map(users::Row::user).collect()
    }

    async fn find_orders(&self, search: &OrderSearch) -> StoreResult<Vec<OrderRecord>> {
        let (from, until) = search.between.unzip();
        let (kind, product_id) = search.product.unzip();
        let rows: Vec<Row> = sqlx::query_as(orders_where!(
            "($1 IS NULL OR o.channel_key = $1) AND ($2 IS NULL OR o.user_id = $2) AND ($3 IS NULL OR o.status = $3)
             AND ($4 IS NULL OR (o.kind = $4 AND o.product_id = $5))
             AND ($6 IS NULL OR (o.created_at >= $6 AND o.created_at < $7)) ORDER BY o.id DESC LIMIT $8"
        ))
        .bind(&search.channel_key)
        .bind(search.user_id)
        .bind(search.status.as_ref().map(to_text).transpose()?)
        .bind(kind.as_ref().map(to_text).transpose()?)
        .bind(product_id)
        .bind(from)
        .bind(until)
        .bind(i64::from(search.limit))
        .fetch_all(self.readers())
        .await?;
        rows.into_iter().map(Row::record).collect()
    }
}
