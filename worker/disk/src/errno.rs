//! Recognises temporary failures.

use std::io;

use rustix::io::Errno;

/// Whether a write failed for lack of space.
pub fn is_no_space(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Whether a write failed for lack of space or file descriptors, and may be retried.
pub fn is_passing(error: &io::Error) -> bool {
    is_no_space(error) || is_passing_text(&error.to_string())
}

/// Like [`is_passing`], from the error's text: some libraries copy errors without their kind.
pub fn is_passing_text(text: &str) -> bool {
    let says = |errno: Errno| text.contains(&format!("(os error {})", errno.raw_os_error()));
    [Errno::NOSPC, Errno::DQUOT, Errno::MFILE, Errno::NFILE].into_iter().any(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lack_of_space_or_descriptors_is_temporary_and_a_broken_disk_is_not() {
        let of = |errno: Errno| io::Error::from_raw_os_error(errno.raw_os_error());
        assert!(is_no_space(&of(Errno::NOSPC)) && is_no_space(&of(Errno::DQUOT)) && !is_no_space(&of(Errno::MFILE)));
        for errno in [Errno::NOSPC, Errno::DQUOT, Errno::MFILE, Errno::NFILE] {
            assert!(is_passing(&of(errno)), "{errno}");
            assert!(is_passing(&io::Error::other(of(errno).to_string())), "{errno}, copied");
        }
        assert!(!is_passing(&of(Errno::IO)) && !is_passing(&of(Errno::ROFS)));
    }
}
