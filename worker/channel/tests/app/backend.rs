//! Direct access to the store and to the mails sent.

use serde_json::{Value, json};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
use touchline_channel::mail::{FolderMailer, delivery};
use touchline_store::PostgresAddress;
use url::Url;

use super::{App, PASSWORD, Person};

async fn database(address: &PostgresAddress) -> PgConnection {
    PgConnection::connect_with(&address.options()).await.unwrap()
}

impl App {
    /// Changes the store behind the worker's back.
    pub(crate) async fn execute(&self, statement: &str) {
        let statement = AssertSqlSafe(statement);
        match &self.postgres {
            None => drop(sqlx::raw_sql(statement).execute(&mut self.file().await).await.unwrap()),
            Some(address) => drop(sqlx::raw_sql(statement).execute(&mut database(address).await).await.unwrap()),
        }
    }

    /// Lets a minute pass for rate limits: for the worker, and for a database with its own clock.
    pub(crate) async fn advance_rate_limits(&self) {
        self.clock.advance_ms(60_000);
        if self.postgres.is_some() {
            self.execute("UPDATE tries SET spent_until = spent_until - 60000000").await;
        }
    }

    /// Makes a write fail from now on, such as `INSERT ON answers`, as if the worker died there.
    pub(crate) async fn fail_writes(&self, write: &str) {
        let statement = match &self.postgres {
            None => format!("CREATE TRIGGER crash BEFORE {write} BEGIN SELECT RAISE(ABORT, 'it dies here'); END"),
            Some(_) => format!(
                "CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS
                 'BEGIN RAISE EXCEPTION ''it dies here''; END';
                 CREATE TRIGGER crash BEFORE {write} FOR EACH ROW EXECUTE FUNCTION crash()"
            ),
        };
        self.execute(&statement).await;
    }

    /// Ends [`App::fail_writes`].
    pub(crate) async fn allow_writes(&self) {
        let statement = match &self.postgres {
            None => "DROP TRIGGER crash",
            Some(_) => "DROP FUNCTION crash CASCADE",
        };
        self.execute(statement).await;
    }

    /// Runs a counting query on the store.
    pub(crate) async fn count(&self, statement: &str) -> i64 {
        let query = AssertSqlSafe(statement);
        match &self.postgres {
            None => sqlx::query_scalar(query).fetch_one(&mut self.file().await).await.unwrap(),
            Some(address) => sqlx::query_scalar(query).fetch_one(&mut database(address).await).await.unwrap(),
        }
    }

    async fn file(&self) -> SqliteConnection {
        let path = self.folder.path().join("channel.sqlite");
        SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap()
    }

    pub(crate) fn mail(&self) -> FolderMailer {
        FolderMailer::new(self.folder.path().join("mail"), "a@b.test".parse().unwrap()).unwrap()
    }

    /// Number of mails sent to `ada@example.com`.
    pub(crate) async fn mail_count(&self) -> u64 {
        delivery::send_due(&self.state.delivery()).await.unwrap();
        let mails = self.mail().emails().unwrap();
        mails.iter().filter(|message| message.raw.contains("To: ada@example.com")).count() as u64
    }

    /// Changes an account's address: requests the change and confirms it by the mailed link (`AUTH-13`).
    pub(crate) async fn move_to(&self, person: &Person, email: &str) {
        let body = json!({ "_method": "patch", "email": email, "current_password": PASSWORD });
        self.post(&person.key, "profile", body).await.data();
        let link = self.link_to(email).await.unwrap();
        self.post(&self.visitor().await, "auth/email-verify", link).await.data();
    }

    /// The link of the latest mail to an address, as the body of its call, if there is one.
    pub(crate) async fn link_to(&self, email: &str) -> Option<Value> {
        delivery::send_due(&self.state.delivery()).await.unwrap();
        let mails = self.mail().emails().unwrap();
        let to_address = mails.into_iter().filter(|message| message.raw.contains(&format!("To: {email}")));
        let mut texts = to_address.map(|message| message.raw.replace("=\r\n", "").replace("=3D", "="));
        let sites = ["https://meadow.test/", "http://127.0.0.1:8080/"];
        let (text, start) =
            texts.find_map(|text| Some((text.clone(), sites.iter().find_map(|site| text.find(site))?)))?;
        let link = Url::parse(text[start..].split_whitespace().next().unwrap()).unwrap();
        let value = |name: &str| link.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        let expires: i64 = value("expires").parse().unwrap();
        Some(json!({ "email": value("email"), "expires": expires, "signature": value("signature") }))
    }
}
