//! The contract for any store. It is written once, over `dyn Store`, and each backend runs all of it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod charges;
mod clips;
mod cluster;
mod copy;
mod foreign;
mod keys;
mod orders;
mod people;
mod postgres;
mod site_files;
mod sqlite;
mod statuses;
mod tokens;
mod tries;
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
}

/// Runs the contract against a backend, one test per rule.
macro_rules! contract {
    ($backend:ty) => {
        crate::rules! { $backend:
            keys::{
                a_key_is_found_by_its_hash_until_it_is_revoked, a_key_is_replaced_once,
                a_persons_keys_are_listed_and_revoked_but_one, keys_that_are_of_no_use_are_forgotten,
                a_code_links_its_device_once, visitors_keys_are_bounded_and_unused_ones_go_first,
            },
            people::{
                a_person_is_found_by_id_address_and_social_login, an_address_belongs_to_one_person_of_a_channel,
                registering_with_a_key_is_all_or_nothing, a_change_leaves_the_rest_and_a_new_address_is_unverified,
                a_blocked_persons_key_does_not_work, an_erased_person_is_gone_and_their_address_free, favourites_are_limited,
                positions_are_limited_and_the_oldest_go,
            },
            statuses::{
                positions_grow_by_one_and_survive, a_backlog_is_whole_or_gone, a_version_that_is_no_newer_is_left_out,
                a_snapshot_has_the_last_state_of_each, subscribers_hear_every_line_in_order,
            },
            site_files::{files_of_a_build_are_stored_once_and_forgotten_after_it_was_last_served},
            tokens::{a_token_works_once_in_time_for_its_subject, a_first_value_is_kept_for_ever},
            upstream::{
                watches_and_positions_survive, a_write_begins_once_and_keeps_its_first_answer,
                the_last_state_of_a_resource_is_found_whoever_it_is_of,
            },
            tries::{a_bucket_empties_and_can_be_filled},
            clips::{
                a_clip_is_kept_with_its_answer_its_count_and_its_status, a_clip_moves_forward_and_tells_each_move,
                a_ready_clip_is_found_and_can_be_lost_once,
                clips_are_listed_newest_first_and_by_event,
                public_clips_are_ready_ones_that_nobody_hid_of_owners_who_are_not_blocked, a_person_has_no_more_clips_than_the_limit,
                a_deleted_clip_comes_back_neither_in_a_snapshot_nor_in_a_backlog,
            },
            orders::{
                an_order_its_answer_and_its_status_are_one, an_order_is_due_from_its_moment_until_it_is_settled,
                an_order_is_settled_once, what_is_owned_or_under_way_is_not_placed_again, an_order_belongs_to_its_person,
                what_runs_out_becomes_inactive_once, renewals_are_settled_in_their_order, a_trial_is_used_once,
                the_books_tell_what_became_of_an_order_oldest_first,
            },
            charges :: {
                a_payment_is_written_down_once_with_its_card,
                a_refused_renewal_is_written_down_and_the_next_try_has_its_own_row,
                a_refund_is_pending_until_it_is_made_and_made_once,
                what_is_given_back_outside_of_the_card_is_made_at_once, a_refund_that_the_provider_refuses_leaves_the_order,
                what_was_free_is_refunded_without_money_and_what_is_unpaid_never,
                what_the_provider_reverses_is_written_down_once,
                what_goes_back_of_an_earlier_payment_counts_by_its_own_amount_and_fee,
                parts_that_go_back_hold_all_of_the_fee_once_nothing_is_left,
                a_payment_that_its_order_does_not_take_is_a_line_and_goes_back,
                a_refund_that_fails_makes_the_order_paid_again,
                a_card_is_released_with_the_end_of_its_purchase_unless_it_is_kept,
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
use touchline_store::{NewKey, NewUser, Registered, Store, User};
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
        at: AT,
    }
}

async fn register(store: &dyn Store, email: &str) -> User {
    match store.register_user(new_user(email), None, None).await.unwrap() {
        Registered::New(user, _) => *user,
        other => panic!("{other:?}"),
    }
}
