//! Passwords: argon2id, off the async threads, a few at a time.

use std::sync::{Arc, OnceLock};

use anyhow::Context;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;
use touchline_protocol::ambient::Entropy;
use touchline_protocol::limits::Limit;

/// How many passwords are worked on at once: each takes a core and 19 MiB for some 30 ms.
const AT_ONCE: usize = 4;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "passwords.at_once",
    AT_ONCE as u64,
    "passwords",
    "Passwords that are hashed at once, 19 MiB and a core each; others wait in turn.",
)];

/// How dear a guess is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordCost {
    /// Memory, KiB.
    pub memory_kib: u32,
    /// Passes over it.
    pub passes: u32,
}

/// OWASP's first choice for argon2id.
impl Default for PasswordCost {
    fn default() -> Self {
        Self { memory_kib: 19 * 1024, passes: 2 }
    }
}

/// Letters and digits that are not taken for one another.
pub(crate) const LEGIBLE: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// A password of 80 random bits that can be read out on the telephone.
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
    /// What a password is compared with when there is no account, so that both take the same time.
    nobodys: OnceLock<String>,
}

impl Passwords {
    /// Passwords of this cost.
    ///
    /// # Errors
    /// For a cost that argon2 does not take.
    pub fn new(cost: PasswordCost) -> anyhow::Result<Self> {
        let params = Params::new(cost.memory_kib, cost.passes, 1, None)
            .map_err(|error| anyhow::anyhow!("the password cost is refused: {error}"))?;
        Ok(Self {
            argon2: Argon2::new(Algorithm::Argon2id, Version::V0x13, params),
            permits: Arc::new(Semaphore::new(AT_ONCE)),
            nobodys: OnceLock::new(),
        })
    }

    /// The hash of a password, in PHC form.
    ///
    /// # Errors
    /// When argon2 fails.
    pub async fn hash(&self, password: &str, entropy: &dyn Entropy) -> anyhow::Result<String> {
        let mut salt = [0; 16];
        entropy.fill(&mut salt);
        let password = password.to_owned();
        self.work(move |argon2| hash(argon2, &password, &salt)).await?
    }

    /// Whether this is the password of this hash. Without a hash it takes as long and says no.
    ///
    /// # Errors
    /// When argon2 fails, or the hash is none.
    pub async fn verify(&self, password: &str, expected: Option<&str>) -> anyhow::Result<bool> {
        let exists = expected.is_some();
        let expected = match expected {
            Some(expected) => expected.to_owned(),
            None => self.nobodys().await?,
        };
        let password = password.to_owned();
        let same = self
            .work(move |argon2| {
                let expected = PasswordHash::new(&expected)
                    .map_err(|error| anyhow::anyhow!("a password hash cannot be read: {error}"))?;
                Ok::<_, anyhow::Error>(argon2.verify_password(password.as_bytes(), &expected).is_ok())
            })
            .await??;
        Ok(same && exists)
    }

    async fn nobodys(&self) -> anyhow::Result<String> {
        if let Some(hash) = self.nobodys.get() {
            return Ok(hash.clone());
        }
        let made = self.work(|argon2| hash(argon2, "", &[0; 16])).await??;
        Ok(self.nobodys.get_or_init(|| made).clone())
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
        work.await.context("a password worker has died")
    }
}

fn hash(argon2: &Argon2<'static>, password: &str, salt: &[u8]) -> anyhow::Result<String> {
    let salt = SaltString::encode_b64(salt).map_err(|error| anyhow::anyhow!("a salt is refused: {error}"))?;
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
    async fn only_the_right_password_of_somebody_passes() {
        let passwords = Passwords::new(PasswordCost { memory_kib: 8, passes: 1 }).unwrap();
        let hash = passwords.hash("correct horse", &*SeededEntropy::new(1)).await.unwrap();
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(passwords.verify("correct horse", Some(&hash)).await.unwrap());
        assert!(!passwords.verify("wrong horse", Some(&hash)).await.unwrap());
        // What nobody's hash is made from lets nobody in.
        assert!(!passwords.verify("", None).await.unwrap());
    }
}
