//! Recordings are stored compressed: they are JSON that says the same many times over.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// The most bytes of a report, and of a recording in it, once unpacked.
pub const UNPACKED_LIMIT: usize = 32 << 20;

/// Why bytes cannot be unpacked.
#[derive(Debug)]
pub enum Unpackable {
    /// They are more than the limit, however few they were.
    TooLarge,
    /// They are no gzip, or are cut short.
    Damaged(io::Error),
}

/// `bytes` as gzip.
pub(super) fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes)?;
    packed.finish()
}

/// What gzip stands for, `most` bytes of it at most. No more than that is ever in memory.
///
/// # Errors
/// When it is more, or no gzip.
pub fn unpack(packed: impl Read, most: usize) -> Result<Vec<u8>, Unpackable> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).take(most as u64 + 1).read_to_end(&mut bytes).map_err(Unpackable::Damaged)?;
    if bytes.len() > most { Err(Unpackable::TooLarge) } else { Ok(bytes) }
}

/// The recording in a file of a report, unpacked; earlier versions stored it as it is.
///
/// # Errors
/// When the file cannot be read; of kind `InvalidData` when it is damaged.
pub fn read_log(path: &Path) -> io::Result<Vec<u8>> {
    if path.extension().is_none_or(|ending| ending != "gz") {
        return std::fs::read(path);
    }
    unpack(File::open(path)?, UNPACKED_LIMIT).map_err(|fault| match fault {
        Unpackable::Damaged(error) => io::Error::new(io::ErrorKind::InvalidData, error),
        Unpackable::TooLarge => io::Error::new(io::ErrorKind::InvalidData, "larger than any recording"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_up_to_the_limit() {
        let packed = pack(&[b'x'; 1_000]).unwrap();
        assert!(packed.len() < 100);
        assert_eq!(unpack(&packed[..], 1_000).unwrap(), [b'x'; 1_000]);
        assert!(matches!(unpack(&packed[..], 999), Err(Unpackable::TooLarge)));
    }

    #[test]
    fn what_is_no_gzip_or_was_cut_is_damaged() {
        let packed = pack(b"a recording").unwrap();
        for bytes in [&b"a recording"[..], &packed[..packed.len() - 1], &[]] {
            assert!(matches!(unpack(bytes, 100), Err(Unpackable::Damaged(_))), "{bytes:?}");
        }
    }
}
