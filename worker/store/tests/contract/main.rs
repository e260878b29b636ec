//! The contract for any store. It is written once, over `dyn Store`, and each backend runs all of it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod charges;
mod clips;
mod cluster;
mod copy;
mod foreign;
mod keys;
mod lake;
mod orders;
mod people;
mod pgbouncer;
mod postgres;
mod rate_limits;
mod receipts;
mod site_files;
mod sqlite;
mod statuses;
mod tokens;
mod upstream;

use async_trait::async_trait;

/// A backend under test.
#[async_trait]
trait Backend: Send {
    /// An empty store.
    async fn empty() -> Self
    where
        Self: Sized;
    fn store(&self) -> &dyn Store;
    /// Closes the store and opens it again.
    async fn reopened(self) -> Self
    where
        Self: Sized;
    /// Executes a statement on another connection.
    async fn execute(&self, statement: &'static str);
}

/// Runs the contract against a backend, one test per rule.
macro_rules! contract {
    ($backend:ty) => {
        crate::rules! { $backend:
            keys::{
                a_key_is_found_by_its_hash_until_it_is_revoked, a_key_is_replaced_once,
                a_users_keys_are_listed_and_all_but_one_revoked, idle_keys_are_deleted,
                a_code_links_its_device_once, unused_keys_of_nobody_are_deleted_early,
                a_channels_generation_is_raised_and_announced,
                a_code_of_a_token_links_the_key_that_came_with_it,
            },
            people::{
                a_user_is_found_by_id_email_and_social_login, an_email_belongs_to_one_user_of_a_channel,
                registering_with_a_key_is_all_or_nothing, an_update_changes_only_its_fields_and_a_new_email_is_unverified,
                a_blocked_users_key_is_invalid, an_erased_users_email_can_be_registered_again, favourites_are_limited,
                positions_are_limited_and_the_oldest_deleted,
            },
            statuses::{
                positions_increase_by_one_and_survive_a_restart, a_backlog_is_complete_or_unavailable, an_older_version_is_ignored,
                a_snapshot_has_the_last_state_of_each_resource, subscribers_receive_every_line_in_order,
            },
            lake::{a_removed_item_of_a_channel_is_marked_once_in_the_lake, a_change_is_recorded_or_counted_with_its_transaction},
            site_files::{files_of_a_build_are_stored_once_and_deleted_after_it_was_last_served},
            tokens::{a_token_works_once_before_expiry_for_its_subject, the_first_stored_value_stays_until_it_is_replaced},
            upstream::{
                watches_and_positions_survive_a_restart, a_write_starts_once_and_returns_its_first_response,
                the_last_state_of_a_resource_is_found_for_any_user,
            },
            rate_limits::{a_bucket_empties_and_can_be_filled},
            clips::{
                a_clip_is_stored_with_its_response_count_and_status, a_clip_advances_and_logs_each_status,
                a_ready_clip_can_be_marked_lost_once,
                clips_are_listed_newest_first_and_by_event,
                public_clips_are_ready_visible_and_of_unblocked_owners, clips_are_limited_per_user,
                a_deleted_clip_is_in_no_snapshot_or_backlog,
            },
            orders::{
                an_order_its_response_and_its_status_are_stored_together, an_order_is_due_from_its_time_until_settled,
                an_order_is_settled_once, a_product_owned_or_pending_cannot_be_ordered_again, an_order_belongs_to_its_user,
                expired_orders_become_inactive_once, renewals_are_settled_in_sequence, a_trial_is_used_once,
                a_card_or_untagged_address_starts_one_trial,
                order_events_are_listed_oldest_first,
            },
            charges :: {
                a_payment_is_recorded_once_with_its_card,
                each_renewal_attempt_has_its_row,
                a_refund_is_pending_until_completed_and_completed_once,
                a_refund_outside_the_provider_is_completed_at_once, a_refused_refund_leaves_the_order_unchanged,
                a_free_order_is_refunded_without_money_and_an_unpaid_one_never,
                a_reversal_by_the_provider_is_recorded_once,
                a_refund_of_an_earlier_payment_uses_that_payments_amount_and_fee,
                partial_refunds_add_up_to_the_whole_fee,
                an_unaccepted_payment_is_recorded_and_refunded,
                a_failed_refund_makes_the_order_paid_again,
                an_unsaved_card_is_detached_when_its_purchase_ends,
            },
            receipts::{
                each_channel_numbers_its_receipts_from_one, concurrent_sales_and_rollbacks_leave_no_gap,
                gaps_and_repeated_numbers_are_reported,
            },
        }
    };
}
macro_rules! rules {
    ($backend:ty: $($part:ident :: { $($rule:ident),+ $(,)? }),+ $(,)?) => {
        $(mod $part {
            $(#[tokio::test]
            async fn $rule() {
                crate::$part::$rule(<$backend as crate::Backend>::empty().await).await;
            })+
        })+
    };
}
use touchline_protocol::favorites::FavoritableType;
use touchline_store::{NewFavorite, NewKey, NewUser, RegisterResult, Store, User, no_mail};
use {contract, rules};

const AT: i64 = 1_800_000_000_000;

fn new_user(email: &str) -> NewUser {
    NewUser {
        channel_key: "meadow".to_owned(),
        email: email.to_owned(),
        email_verified: false,
        first_name: "Ada".to_owned(),
        last_name: "Byron".to_owned(),
        password_hash: Some("hash".to_owned()),
        temporary_password: false,
        capabilities: vec!["watch".to_owned()],
        social: None,
        at: AT,
    }
}

fn new_key(hash: &str, user_id: Option<i64>) -> NewKey {
    NewKey {
        hash: hash.to_owned(),
        channel_key: "meadow".to_owned(),
        user_id,
        device_name: "A device".to_owned(),
        sign_in: None,
        at: AT,
    }
}

fn new_favorite(user_id: i64, favoritable_id: i64) -> NewFavorite {
    NewFavorite { user_id, kind: FavoritableType::Group, favoritable_id, context: None, at: AT }
}

async fn register(store: &dyn Store, email: &str) -> User {
    match store.register_user(new_user(email), None, None, &no_mail).await.unwrap() {
        RegisterResult::New(user, _) => *user,
        other => panic!("{other:?}"),
    }
}
