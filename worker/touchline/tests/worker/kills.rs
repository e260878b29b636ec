//! The worker is killed at random moments while people register, edit, follow and buy: confirmed actions always survive
//! (`OPS-3`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::purchase::charges;
use crate::support::{Worker, eventually, folder, fresh};

/// The number of kills; `make soak` asks for more.
const KILLS: u32 = 10;
/// People active at the same time.
const PEOPLE: u64 = 4;
/// Fixed, so that every run is the same.
const SEED: u64 = 20_261_121;
/// Teams of the demo channel that can be followed.
const TEAMS: std::ops::RangeInclusive<i64> = 101..=108;

/// The confirmed state of one person, and their last unconfirmed action.
#[derive(Debug, Default)]
struct Person {
    number: u64,
    email: String,
    key: Option<String>,
    first_name: String,
    favorites: BTreeMap<i64, i64>,
    orders: BTreeSet<i64>,
    /// The action in progress when the worker died; it may or may not have happened.
    unanswered: Option<Action>,
}

#[derive(Debug)]
enum Action {
    Registration,
    Name(String),
    Mark(i64),
    Unmark(i64),
    Purchase { key: String, body: Value },
}

/// The worker died, and the outcome of the request is unknown.
struct WorkerDied;

impl Person {
    fn new(number: u64) -> Self {
        Self { number, email: format!("{}@viewers.example", fresh("survivor")), ..Self::default() }
    }

    async fn send(
        &self,
        worker: &Client,
        method: Method,
        path: &str,
        body: &Value,
        key: &str,
    ) -> Result<Value, WorkerDied> {
        let [.., a, b, c] = self.number.to_be_bytes();
        let request = worker.http.request(method.clone(), format!("http://{}/api/{path}", worker.address));
        let request = request.header("x-forwarded-for", format!("10.{a}.{b}.{c}")).header("idempotency-key", key);
        let request = if method == Method::POST { request.json(body) } else { request };
        let response = request.send().await.map_err(|_| WorkerDied)?;
        let status = response.status();
        // A truncated response does not count.
        let answer: Value = response.json().await.map_err(|_| WorkerDied)?;
        assert_eq!(status, 200, "{path} {body}: {answer}");
        worker.answered.fetch_add(1, Ordering::Relaxed);
        Ok(answer["data"].clone())
    }

    async fn post(&self, worker: &Client, path: &str, body: &Value) -> Result<Value, WorkerDied> {
        self.send(worker, Method::POST, path, body, &fresh("kill")).await
    }

    async fn get(&self, worker: &Client, path: &str) -> Result<Value, WorkerDied> {
        let key = self.key.as_deref().unwrap_or_default();
        self.send(worker, Method::GET, &format!("{path}?api_key={key}"), &Value::Null, "none").await
    }

    /// Acts until the worker dies.
    async fn be_busy(&mut self, worker: &Client, random: &mut StdRng) {
        while self.act(worker, random).await.is_ok() {}
    }

    async fn act(&mut self, worker: &Client, random: &mut StdRng) -> Result<(), WorkerDied> {
        let Some(key) = self.key.clone() else { return self.register(worker).await };
        match random.random_range(0..10) {
            0..4 => {
                let name = format!("Name {}", random.random::<u32>());
                let body = json!({ "api_key": key, "_method": "patch", "first_name": name });
                self.unanswered = Some(Action::Name(name.clone()));
                self.post(worker, "profile", &body).await?;
                self.first_name = name;
            }
            4..9 => {
                let team = random.random_range(TEAMS);
                if let Some(&id) = self.favorites.get(&team) {
                    self.unanswered = Some(Action::Unmark(team));
                    let path = format!("favorite/{id}?api_key={key}");
                    self.send(worker, Method::DELETE, &path, &Value::Null, "none").await?;
                    self.favorites.remove(&team);
                } else {
                    self.unanswered = Some(Action::Mark(team));
                    let body = json!({ "api_key": key, "favoritable_type": "participant", "favoritable_id": team });
                    let favorite = self.post(worker, "favorite", &body).await?;
                    self.favorites.insert(team, favorite["id"].as_i64().unwrap());
                }
            }
            _ => self.buy(worker, &key).await?,
        }
        self.unanswered = None;
        Ok(())
    }

    async fn register(&mut self, worker: &Client) -> Result<(), WorkerDied> {
        let key = self.post(worker, "get_api_key", &json!({ "channel_key": "northfield" })).await?;
        self.unanswered = Some(Action::Registration);
        let body = json!({
            "api_key": key["api_key"], "first_name": "Sur", "last_name": "Vivor", "email": self.email,
            "password": "correct horse", "password_confirmation": "correct horse", "terms": true,
        });
        let session = self.post(worker, "v2/auth/register", &body).await?;
        self.key = session["api_key"].as_str().map(str::to_owned);
        "Sur".clone_into(&mut self.first_name);
        self.unanswered = None;
        Ok(())
    }

    /// Buys the first package that they do not have.
    async fn buy(&mut self, worker: &Client, key: &str) -> Result<(), WorkerDied> {
        let package = [1, 3, 4, 5].get(self.orders.len());
        let Some(package) = package else { return Ok(()) };
        let intent = self.post(worker, "stripe/setup-intent", &json!({ "api_key": key })).await?;
        let card = json!({
            "api_key": key, "client_secret": intent["client_secret"], "number": "4242424242424242", "exp": "12/40",
            "cvc": "123",
        });
        let card = self.post(worker, "stripe/sandbox-card", &card).await?;
        let id = card["payment_method_id"].clone();
        let body = json!({ "api_key": key, "type": "package", "id": package, "payment_method_id": id });
        let once = fresh("buy");
        self.unanswered = Some(Action::Purchase { key: once.clone(), body: body.clone() });
        let order = self.send(worker, Method::POST, "stripe/buy", &body, &once).await?;
        self.orders.insert(order["id"].as_i64().unwrap());
        Ok(())
    }

    /// Asserts that confirmed actions are there, and unconfirmed ones at most once.
    async fn verify(&mut self, worker: &Client) -> Result<(), WorkerDied> {
        let unanswered = self.unanswered.take();
        if self.key.is_none() {
            // The address may be registered already, with a key that was never received.
            self.email = format!("{}@viewers.example", fresh("survivor"));
            return Ok(());
        }
        let profile = self.get(worker, "profile").await?;
        assert_eq!(profile["email"], self.email);
        let name = profile["first_name"].as_str().unwrap();
        let renamed = matches!(&unanswered, Some(Action::Name(renamed)) if renamed == name);
        assert!(renamed || name == self.first_name, "{name}, {self:?}");
        name.clone_into(&mut self.first_name);

        let favorites = self.get(worker, "favorites").await?;
        let pair = |favorite: &Value| Some((favorite["favoritable_id"].as_i64()?, favorite["id"].as_i64()?));
        let found: BTreeMap<i64, i64> = favorites.as_array().unwrap().iter().filter_map(pair).collect();
        let uncertain = match &unanswered {
            Some(Action::Mark(team) | Action::Unmark(team)) => Some(*team),
            _ => None,
        };
        let certain = |marked: &BTreeMap<i64, i64>| {
            marked
                .iter()
                .filter(|(team, _)| Some(**team) != uncertain)
                .map(|(&team, &id)| (team, id))
                .collect::<Vec<_>>()
        };
        assert_eq!(certain(&found), certain(&self.favorites), "{self:?}");
        self.favorites = found;

        if let Some(Action::Purchase { key, body }) = unanswered {
            // Repeating the request with the same key returns the one order.
            let order = self.send(worker, Method::POST, "stripe/buy", &body, &key).await?;
            self.orders.insert(order["id"].as_i64().unwrap());
        }
        let orders = self.get(worker, "orders").await?;
        let found: BTreeSet<i64> = orders.as_array().unwrap().iter().filter_map(|order| order["id"].as_i64()).collect();
        assert_eq!(found, self.orders, "{self:?}");
        Ok(())
    }
}

/// The worker, as seen by people.
struct Client {
    http: reqwest::Client,
    address: String,
    /// The number of responses so far.
    answered: AtomicU64,
}

fn start(data: &Path) -> (Worker, Arc<Client>) {
    let worker = Worker::start(data, &["--trusted-proxies", "127.0.0.0/8", "--sandbox-delay-ms", "30"]);
    let client =
        Arc::new(Client { http: worker.http.clone(), address: worker.address.clone(), answered: AtomicU64::new(0) });
    (worker, client)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn confirmed_actions_survive_kills_at_random_moments() {
    let kills = std::env::var("TOUCHLINE_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let (_folder, data) = folder();
    let mut random = StdRng::seed_from_u64(SEED);
    let mut busy: Vec<Person> = (0..PEOPLE).map(Person::new).collect();
    let mut settled: Vec<Person> = Vec::new();
    let mut number = PEOPLE;
    let (mut worker, mut client) = start(&data);
    for _ in 0..kills {
        let mut under_way = JoinSet::new();
        for mut person in busy.drain(..) {
            let (client, mut random) = (Arc::clone(&client), StdRng::seed_from_u64(random.random()));
            under_way.spawn(async move {
                person.be_busy(&client, &mut random).await;
                person
            });
        }
        // Waits for some responses and a random moment, so that even a slow machine has data to lose.
        let answers = random.random_range(4..60);
        let is_enough = async || (client.answered.load(Ordering::Relaxed) >= answers).then_some(());
        eventually("requests succeed", is_enough).await;
        tokio::time::sleep(Duration::from_millis(random.random_range(0..60))).await;
        worker.kill();
        busy = under_way.join_all().await;
        (worker, client) = start(&data);
        for person in &mut busy {
            assert!(person.verify(&client).await.is_ok(), "the worker has exited: {}", worker.log());
        }
        // People with all packages are replaced.
        let done = busy.extract_if(.., |person| person.orders.len() >= 4);
        settled.extend(done);
        while busy.len() < PEOPLE as usize {
            busy.push(Person::new(number));
            number += 1;
        }
    }
    settled.append(&mut busy);
    let mut orders = 0;
    for person in &mut settled {
        assert!(person.verify(&client).await.is_ok(), "the worker has exited: {}", worker.log());
        for &id in &person.orders {
            eventually("the order is paid", async || {
                let order = person.get(&client, &format!("orders/{id}")).await.ok()?;
                (order["status"] == "paid").then_some(())
            })
            .await;
        }
        orders += person.orders.len() as i64;
    }
    assert!(settled.iter().filter(|person| person.key.is_some()).count() as u64 >= PEOPLE && orders > 0, "{settled:?}");
    assert!(worker.end().0.success());
    assert_eq!(charges(&data).await.0, orders, "each order is charged once");
}
