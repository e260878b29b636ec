//! Each call that clippy.toml refuses, made once.

use rand::SeedableRng;
use rand::rngs::OsRng;

pub fn calls() {
    let _ = std::time::SystemTime::now();
    let _ = std::time::UNIX_EPOCH.elapsed();
    let _ = std::time::Instant::now();
    let _ = jiff::Timestamp::now();
    let _ = jiff::Zoned::now();
    let _ = jiff::tz::TimeZone::system();
    let _ = jiff::tz::TimeZone::try_system();
    let _ = rustls_pki_types::UnixTime::now();
    let _ = uuid::Timestamp::now(uuid::ContextV7::new());
    let _ = rand::rng();
    let _: u8 = rand::random();
    let _ = rand::random_iter::<u8>();
    let _ = rand::random_range(0..5);
    let _ = rand::random_bool(0.5);
    let _ = rand::random_ratio(1, 2);
    rand::fill(&mut [0u8]);
    let _ = rand::rngs::StdRng::from_os_rng();
    let _ = rand::rngs::StdRng::try_from_os_rng();
    let _ = rand::rngs::ThreadRng::default();
    let _ = OsRng;
    let _ = getrandom::fill(&mut []);
    let _ = getrandom::fill_uninit(&mut []);
    let _ = getrandom::u32();
    let _ = getrandom::u64();
    let _ = std::hash::RandomState::new();
    let _ = uuid::Uuid::new_v4();
    let _ = uuid::Uuid::now_v7();
}

pub fn aliases() -> [fn() -> std::time::SystemTime; 1] {
    use std::time::SystemTime as Now;
    [Now::now]
}

pub fn unwraps(x: Option<u8>) -> u8 {
    x.unwrap()
}
