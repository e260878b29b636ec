//! Recordings are stored compressed, since their JSON is repetitive.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Largest unpacked report, and largest recording within one, in bytes.
pub const UNPACKED_LIMIT: usize = 32 << 20;

#[derive(Debug)]
pub(crate) enum UnpackError {
    /// More than the limit, whatever the compressed size.
    TooLarge,
    /// Not gzip, or incomplete.
    Damaged(io::Error),
}

pub(super) fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes)?;
    packed.finish()
}

/// Decompresses at most `limit` bytes of gzip. No more than that is ever in memory.
pub(crate) fn unpack(packed: impl Read, limit: usize) -> Result<Vec<u8>, UnpackError> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).take(limit as u64 + 1).read_to_end(&mut bytes).map_err(UnpackError::Damaged)?;
    if bytes.len() > limit { Err(UnpackError::TooLarge) } else { Ok(bytes) }
}

/// Reads the recording in a report's file. Files of earlier versions are not compressed.
///
/// # Errors
/// Fails when the file cannot be read, with `InvalidData` when it is damaged.
pub fn read_log(path: &Path) -> io::Result<Vec<u8>> {
    if path.extension().is_none_or(|ending| ending != "gz") {
        return std::fs::read(path);
    }
    unpack(File::open(path)?, UNPACKED_LIMIT).map_err(|fault| match fault {
        UnpackError::Damaged(error) => io::Error::new(io::ErrorKind::InvalidData, error),
        UnpackError::TooLarge => io::Error::new(io::ErrorKind::InvalidData, "exceeds the size limit for a recording"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_data_unpacks_up_to_the_limit() {
        let packed = pack(&[b'x'; 1_000]).unwrap();
        assert!(packed.len() < 100);
        assert_eq!(unpack(&packed[..], 1_000).unwrap(), [b'x'; 1_000]);
        assert!(matches!(unpack(&packed[..], 999), Err(UnpackError::TooLarge)));
    }

    #[test]
    fn invalid_or_truncated_gzip_is_damaged() {
        let packed = pack(b"a recording").unwrap();
        for bytes in [&b"a recording"[..], &packed[..packed.len() - 1], &[]] {
            assert!(matches!(unpack(bytes, 100), Err(UnpackError::Damaged(_))), "{bytes:?}");
        }
    }
}
