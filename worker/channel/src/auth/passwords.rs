//! Passwords: argon2id, off the async threads, a few at a time.

use std::sync::{Arc, OnceLock};

use anyhow::Context;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;
use touchline_protocol::ambient::Entropy;
use touchline_protocol::limits::Limit;

/// Limit of concurrent hashes: each takes a core and 19 MiB for about 30 ms.
const MAX_CONCURRENT: usize = 4;
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "passwords.at_once",
    MAX_CONCURRENT as u64,
    "passwords",
    "Concurrent password hashes, 19 MiB and a core each. Others wait in turn.",
)];

/// Cost of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordCost {
    /// Memory, in KiB.
    pub memory_kib: u32,
    /// Number of passes.
    pub passes: u32,
}

/// OWASP's first choice for argon2id.
impl Default for PasswordCost {
    fn default() -> Self {
        Self { memory_kib: 19 * 1024, passes: 2 }
    }
}

/// Letters and digits that are not easily confused.
pub(crate) const LEGIBLE: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// Draws a password of 80 random bits that can be read out on the telephone.
pub(crate) fn draw(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    let legible = |byte: &u8| char::from(LEGIBLE[usize::from(byte % 32)]);
    bytes.chunks(4).map(|group| group.iter().map(legible).collect::<String>()).collect::<Vec<_>>().join("-")
}

/// Hashes and verifies passwords.
#[derive(Debug)]
pub struct Passwords {
    argon2: Argon2<'static>,
    permits: Arc<Semaphore>,
    /// Hash for comparisons without an account, so that both cases take the same time.
    dummy_hash: OnceLock<String>,
}

impl Passwords {
    /// Creates a hasher.
    ///
    /// # Errors
    /// Fails for a cost that argon2 does not accept.
    pub(crate) fn new(cost: PasswordCost) -> anyhow::Result<Self> {
        let params = Params::new(cost.memory_kib, cost.passes, 1, None)
            .map_err(|error| anyhow::anyhow!("the password cost is invalid: {error}"))?;
        Ok(Self {
            argon2: Argon2::new(Algorithm::Argon2id, Version::V0x13, params),
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT)),
            dummy_hash: OnceLock::new(),
        })
    }

    /// Hashes a password in PHC format.
    ///
    /// # Errors
    /// Fails when argon2 does.
    pub async fn hash(&self, password: &str, entropy: &dyn Entropy) -> anyhow::Result<String> {
        let mut salt = [0; 16];
        entropy.fill(&mut salt);
        let password = password.to_owned();
        self.work(move |argon2| hash(argon2, &password, &salt)).await?
    }

    /// Whether the password matches the hash. Without a hash, takes as long and returns `false`.
    ///
    /// # Errors
    /// Fails when argon2 does, or when `expected` is not a hash.
    pub(crate) async fn verify(&self, password: &str, expected: Option<&str>) -> anyhow::Result<bool> {
        let exists = expected.is_some();
        let expected = match expected {
            Some(expected) => expected.to_owned(),
            None => self.dummy_hash().await?,
        };
        let password = password.to_owned();
        let same = self
            .work(move |argon2| {
                let expected = PasswordHash::new(&expected)
                    .map_err(|error| anyhow::anyhow!("a password hash is invalid: {error}"))?;
                Ok::<_, anyhow::Error>(argon2.verify_password(password.as_bytes(), &expected).is_ok())
            })
            .await??;
        Ok(same && exists)
    }

    async fn dummy_hash(&self) -> anyhow::Result<String> {
        if let Some(hash) = self.dummy_hash.get() {
            return Ok(hash.clone());
        }
        let hash = self.work(|argon2| hash(argon2, "", &[0; 16])).await??;
        Ok(self.dummy_hash.get_or_init(|| hash).clone())
    }

    async fn work<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Argon2<'static>) -> T + Send + 'static,
    ) -> anyhow::Result<T> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.context("the password workers have stopped")?;
        let argon2 = self.argon2.clone();
        let work = tokio::task::spawn_blocking(move || {
            let done = job(&argon2);
            drop(permit);
            done
        });
        work.await.context("a password worker has crashed")
    }
}

fn hash(argon2: &Argon2<'static>, password: &str, salt: &[u8]) -> anyhow::Result<String> {
    let salt = SaltString::encode_b64(salt).map_err(|error| anyhow::anyhow!("a salt is invalid: {error}"))?;
    let hash = argon2
        .hash_password(password.as_bytes(), &salt)
        .map_err(|error| anyhow::anyhow!("a password cannot be hashed: {error}"))?;
    Ok(hash.to_string())
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::SeededEntropy;

    use super::*;

    #[tokio::test]
    async fn only_the_correct_password_passes() {
        let passwords = Passwords::new(PasswordCost { memory_kib: 8, passes: 1 }).unwrap();
        let hash = passwords.hash("correct horse", &*SeededEntropy::new(1)).await.unwrap();
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(passwords.verify("correct horse", Some(&hash)).await.unwrap());
        assert!(!passwords.verify("wrong horse", Some(&hash)).await.unwrap());
        // The password behind the dummy hash grants no access.
        assert!(!passwords.verify("", None).await.unwrap());
    }
}
