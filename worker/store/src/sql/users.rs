//! Users.

use async_trait::async_trait;
use sqlx::FromRow;
use touchline_domain::accounts::folded_address;
use touchline_protocol::event_names::REGISTERED;

use super::{SqlStore, Subject, Write, from_list, keys, list, mails, trials, viewer_events};
use crate::{
    KeyRecord, Mail, MailTo, NewKey, NewUser, RegisterResult, SocialLoginRecord, StoreResult, User, UserChange, Users,
};

/// Columns of a [`Row`].
macro_rules! user_columns {
    ($of:literal) => {
        columns!(
            $of,
            id,
            channel_key,
            email,
            email_verified,
            first_name,
            last_name,
            phone,
            password_hash,
            temporary_password,
            trial_period_used,
            blocked,
            capabilities,
            clips,
            downloads,
            created_at
        )
    };
}
pub(super) use user_columns;

#[derive(FromRow)]
pub(super) struct Row {
    id: i64,
    channel_key: String,
    email: String,
    email_verified: bool,
    first_name: String,
    last_name: String,
    phone: String,
    password_hash: Option<String>,
    temporary_password: bool,
    trial_period_used: bool,
    blocked: bool,
    capabilities: String,
    clips: i64,
    downloads: i64,
    created_at: i64,
}

impl Row {
    pub(super) fn user(self) -> StoreResult<User> {
        Ok(User {
            id: self.id,
            channel_key: self.channel_key,
            email: self.email,
            email_verified: self.email_verified,
            first_name: self.first_name,
            last_name: self.last_name,
            phone: self.phone,
            password_hash: self.password_hash,
            temporary_password: self.temporary_password,
            trial_period_used: self.trial_period_used,
            blocked: self.blocked,
            capabilities: from_list(&self.capabilities)?,
            clips: self.clips,
            downloads: self.downloads,
            created_at: self.created_at,
        })
    }
}

#[async_trait]
impl Users for SqlStore {
    async fn register_user(
        &self,
        new: NewUser,
        key: Option<NewKey>,
        replaced: Option<i64>,
        mail: MailTo<'_>,
    ) -> StoreResult<RegisterResult> {
        let mut write = self.write().await?;
        let at = new.at;
        if is_email_in_use(&mut write, &new.channel_key, &new.email, None).await? {
            return Ok(RegisterResult::EmailTaken);
        }
        let user = insert(&mut write, new, &self.0.address_secret).await?;
        let mut issued: Option<KeyRecord> = None;
        if let Some(key) = key {
            let sign_in = key.sign_in.clone();
            issued = keys::issue(&mut write, NewKey { user_id: Some(user.id), ..key }, replaced).await?;
            if issued.is_none() {
                return Ok(RegisterResult::KeyRevoked);
            }
            if let Some(sign_in) = sign_in {
                viewer_events::record_sign_in(&mut write, &sign_in, user.id, REGISTERED).await?;
            }
        }
        if let Some(mail) = mail(&user) {
            mails::queue(&mut write, &mail, at).await?;
        }
        write.commit().await?;
        Ok(RegisterResult::New(Box::new(user), issued))
    }

    async fn user(&self, id: i64) -> StoreResult<Option<User>> {
        sqlx::query_as::<_, Row>(concat!(
            "SELECT ",
            user_columns!(""),
            " FROM users WHERE id = $1 AND erased_at IS NULL"
        ))
        .bind(id)
        .fetch_optional(self.readers())
        .await?
        .map(Row::user)
        .transpose()
    }

    async fn user_by_email(&self, channel_key: &str, email: &str) -> StoreResult<Option<User>> {
        sqlx::query_as::<_, Row>(concat!(
            "SELECT ",
            user_columns!(""),
            " FROM users WHERE channel_key = $1 AND email_folded = $2"
        ))
        .bind(channel_key)
        .bind(folded_address(email))
        .fetch_optional(self.readers())
        .await?
        .map(Row::user)
        .transpose()
    }

    async fn user_by_social(&self, channel_key: &str, provider: &str, subject: &str) -> StoreResult<Option<User>> {
        sqlx::query_as::<_, Row>(concat!(
            "SELECT ",
            user_columns!("u."),
            " FROM users u JOIN social_logins s ON s.user_id = u.id
             WHERE s.channel_key = $1 AND s.provider = $2 AND s.subject = $3"
        ))
        .bind(channel_key)
        .bind(provider)
        .bind(subject)
        .fetch_optional(self.readers())
        .await?
        .map(Row::user)
        .transpose()
    }

    async fn link_social(&self, user_id: i64, provider: &str, subject: &str, at: i64) -> StoreResult<()> {
        let mut write = self.write().await?;
        let Some(user) = find(&mut write, user_id).await? else { return Ok(()) };
        unlink_all(&mut write, user_id).await?;
        link(&mut write, &user, provider, subject, at).await?;
        write.commit().await
    }

    async fn social_logins(&self, user_id: i64) -> StoreResult<Vec<SocialLoginRecord>> {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT provider, MIN(created_at) FROM social_logins WHERE user_id = $1 GROUP BY provider ORDER BY provider",
        )
        .bind(user_id)
        .fetch_all(self.readers())
        .await?;
        Ok(rows.into_iter().map(|(provider, linked_at)| SocialLoginRecord { provider, linked_at }).collect())
    }

    async fn unlink_social(&self, user_id: i64, provider: &str) -> StoreResult<bool> {
        let mut write = self.write().await?;
        let deleted = sqlx::query("DELETE FROM social_logins WHERE user_id = $1 AND provider = $2")
            .bind(user_id)
            .bind(provider)
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(deleted.rows_affected() > 0)
    }

    async fn change_user(&self, id: i64, change: UserChange, mails: &[Mail]) -> StoreResult<Option<RegisterResult>> {
        let mut write = self.write().await?;
        let Some(user) = find(&mut write, id).await? else { return Ok(None) };
        if change.replaces_hash.as_ref().is_some_and(|hash| *hash != user.password_hash) {
            return Ok(None);
        }
        if let Some(email) = &change.email
            && is_email_in_use(&mut write, &user.channel_key, email, Some(id)).await?
        {
            return Ok(Some(RegisterResult::EmailTaken));
        }
        let is_email_changed = change.changes_address(&user);
        if is_email_changed && user.trial_period_used {
            trials::record_use(&mut write, &self.0.address_secret, &user, change.at).await?;
        }
        if change.drops_social_logins(&user) {
            unlink_all(&mut write, id).await?;
        }
        for mail in mails {
            mails::queue(&mut write, mail, change.at).await?;
        }
        let UserChange { at, revoke_keys_but, .. } = change;
        let changes_rights = change.changes_rights();
        let mut user = change.apply(user);
        if is_email_changed {
            user.trial_period_used |=
                trials::was_used(&mut write, &self.0.address_secret, &user.channel_key, &user.email).await?;
        }
        update(&mut write, &user).await?;
        if let Some(except) = revoke_keys_but {
            keys::revoke_all(&mut write, id, except, at).await?;
        }
        if changes_rights {
            write.publish_rights_changed(id, at).await?;
        }
        write.commit().await?;
        Ok(Some(RegisterResult::New(Box::new(user), None)))
    }

    async fn count_download(&self, id: i64) -> StoreResult<()> {
        let mut write = self.write_about(Subject::Person(id)).await?;
        sqlx::query("UPDATE users SET downloads = downloads + 1 WHERE id = $1").bind(id).execute(&mut *write).await?;
        write.commit().await
    }
}

pub(super) async fn find(write: &mut Write, id: i64) -> StoreResult<Option<User>> {
    sqlx::query_as::<_, Row>(concat!("SELECT ", user_columns!(""), " FROM users WHERE id = $1 AND erased_at IS NULL"))
        .bind(id)
        .fetch_optional(&mut **write)
        .await?
        .map(Row::user)
        .transpose()
}

async fn is_email_in_use(write: &mut Write, channel_key: &str, email: &str, except: Option<i64>) -> StoreResult<bool> {
    let holder: Option<i64> = sqlx::query_scalar(
        "SELECT id FROM users WHERE channel_key = $1 AND email_folded = $2 AND id <> COALESCE($3, 0)",
    )
    .bind(channel_key)
    .bind(folded_address(email))
    .bind(except)
    .fetch_optional(&mut **write)
    .await?;
    Ok(holder.is_some())
}

async fn insert(write: &mut Write, new: NewUser, address_secret: &[u8; 32]) -> StoreResult<User> {
    let trial_period_used = trials::was_used(write, address_secret, &new.channel_key, &new.email).await?;
    let user = User {
        id: write.next_id("users").await?,
        channel_key: new.channel_key,
        email: new.email,
        email_verified: new.email_verified,
        first_name: new.first_name,
        last_name: new.last_name,
        phone: String::new(),
        password_hash: new.password_hash,
        temporary_password: new.temporary_password,
        trial_period_used,
        blocked: false,
        capabilities: new.capabilities,
        clips: 0,
        downloads: 0,
        created_at: new.at,
    };
    sqlx::query(
        "INSERT INTO users (id, channel_key, email, email_folded, email_verified, first_name, last_name, phone,
            password_hash, temporary_password, trial_period_used, blocked, capabilities, clips, downloads, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, '', $8, $9, $12, FALSE, $10, 0, 0, $11)",
    )
    .bind(user.id)
    .bind(&user.channel_key)
    .bind(&user.email)
    .bind(folded_address(&user.email))
    .bind(user.email_verified)
    .bind(&user.first_name)
    .bind(&user.last_name)
    .bind(&user.password_hash)
    .bind(user.temporary_password)
    .bind(list(&user.capabilities)?)
    .bind(user.created_at)
    .bind(user.trial_period_used)
    .execute(&mut **write)
    .await?;
    if let Some((provider, subject)) = new.social {
        link(write, &user, &provider, &subject, new.at).await?;
    }
    Ok(user)
}

async fn link(write: &mut Write, user: &User, provider: &str, subject: &str, at: i64) -> StoreResult<()> {
    sqlx::query(
        "INSERT INTO social_logins (channel_key, provider, subject, user_id, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (channel_key, provider, subject) DO NOTHING",
    )
    .bind(&user.channel_key)
    .bind(provider)
    .bind(subject)
    .bind(user.id)
    .bind(at)
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// Removes all connected accounts that had access before the email address was verified again or changed.
async fn unlink_all(write: &mut Write, user_id: i64) -> StoreResult<()> {
    sqlx::query("DELETE FROM social_logins WHERE user_id = $1").bind(user_id).execute(&mut **write).await?;
    Ok(())
}

async fn update(write: &mut Write, user: &User) -> StoreResult<()> {
    sqlx::query(
        "UPDATE users SET email = $2, email_folded = $3, email_verified = $4, first_name = $5, last_name = $6,
            phone = $7, password_hash = $8, temporary_password = $9, blocked = $10, capabilities = $11,
            trial_period_used = $12
         WHERE id = $1",
    )
    .bind(user.id)
    .bind(&user.email)
    .bind(folded_address(&user.email))
    .bind(user.email_verified)
    .bind(&user.first_name)
    .bind(&user.last_name)
    .bind(&user.phone)
    .bind(&user.password_hash)
    .bind(user.temporary_password)
    .bind(user.blocked)
    .bind(list(&user.capabilities)?)
    .bind(user.trial_period_used)
    .execute(&mut **write)
    .await?;
    Ok(())
}
