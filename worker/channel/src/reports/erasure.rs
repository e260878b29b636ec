//! Removes reports that contain an erased person's address.

use std::io;

use super::{Reports, files, read_log};

impl Reports {
    /// Removes every report whose text or recording contains this address. Returns the number of removed reports.
    ///
    /// # Errors
    /// Fails when a report cannot be read or removed.
    pub async fn forget(&self, email: &str) -> io::Result<usize> {
        let (reports, email) = (self.clone(), email.to_lowercase());
        tokio::task::spawn_blocking(move || reports.forget_now(&email)).await.map_err(io::Error::other)?
    }

    fn forget_now(&self, email: &str) -> io::Result<usize> {
        let mut erased_count = 0;
        for id in files::ids(self.0.folder.path())? {
            let files = [self.0.folder.facts_path(id), self.0.folder.log_file(id)];
            let mut named = false;
            for file in &files {
                match read_log(file) {
                    Ok(bytes) => named |= names(&String::from_utf8_lossy(&bytes), email),
                    // A damaged report is removed, since it may contain the address.
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => named = true,
                    // The report was pruned.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
            if named {
                erased_count += usize::from(self.remove(&id.to_string())?);
            }
        }
        Ok(erased_count)
    }
}

/// Whether a text contains an address (in lower case), plain or percent-encoded, and not as part of a longer one.
fn names(text: &str, email: &str) -> bool {
    let text = text.to_lowercase();
    let encoded: String = url::form_urlencoded::byte_serialize(email.as_bytes()).collect();
    [email, &encoded.to_lowercase(), &email.replace('@', "%40")].into_iter().any(|address| {
        text.match_indices(address).any(|(at, _)| {
            let is_of_one = |c: char| c.is_alphanumeric() || c == '-';
            let before = text[..at].chars().next_back().is_some_and(|c| is_of_one(c) || "._+".contains(c));
            let mut after = text[at + address.len()..].chars();
            let longer = match after.next() {
                Some('.') => after.next().is_some_and(char::is_alphanumeric),
                Some(c) => is_of_one(c),
                None => false,
            };
            !before && !longer
        })
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn an_address_is_found_plain_or_encoded_but_not_within_a_longer_one() {
        for text in [
            "ann@example.com",
            "I am Ann@Example.com.",
            r#"{"page":"/verify-email?email=ann%40example.com&x"}"#,
            "<ann@example.com>",
        ] {
            assert!(names(text, "ann@example.com"), "{text}");
        }
        for text in ["joann@example.com", "ann@example.com.au", "ann@example.community", "jo.ann@example.com", ""] {
            assert!(!names(text, "ann@example.com"), "{text}");
        }
    }
}
