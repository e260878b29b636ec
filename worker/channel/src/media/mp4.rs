//! Boxes of MP4 files (ISO/IEC 14496-12).

/// Maximum number of boxes before the movie box, and within it before its header.
const MAX_BOXES: usize = 256;
/// Size of the movie header, with its timestamps of 64 bits, in bytes.
const HEADER_BYTES: usize = 32;

/// Returns the length of a file in seconds, from its movie header. `read` returns a range of the file by offset
/// and length.
pub(crate) fn duration_s(len: u64, read: impl Fn(u64, usize) -> Option<bytes::Bytes>) -> Option<f64> {
    let (from, to) = find(b"moov", 0, len, &read)?;
    let (from, to) = find(b"mvhd", from, to, &read)?;
    let header = read(from, HEADER_BYTES.min(usize::try_from(to - from).ok()?))?;
    let number = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    let (scale, duration) = match header.first()? {
        1 => (number(20)?, u64::from(number(24)?) << 32 | u64::from(number(28)?)),
        _ => (number(12)?, u64::from(number(16)?)),
    };
    // All bits are set if the length is unknown, and it is 0 for a file in fragments.
    let is_valid = scale > 0 && duration > 0 && duration != u64::MAX && duration != u64::from(u32::MAX);
    is_valid.then(|| duration as f64 / f64::from(scale))
}

/// Returns the content of the first box of a kind between two offsets.
fn find(
    kind: &[u8; 4],
    mut from: u64,
    to: u64,
    read: &impl Fn(u64, usize) -> Option<bytes::Bytes>,
) -> Option<(u64, u64)> {
    for _ in 0..MAX_BOXES {
        let head = read(from, usize::try_from(to.checked_sub(from)?.min(16)).ok()?)?;
        let (size, name) = (u32::from_be_bytes(head.get(..4)?.try_into().ok()?), head.get(4..8)?);
        let (head_len, size) = match size {
            0 => (8, to - from),
            1 => (16, u64::from_be_bytes(head.get(8..16)?.try_into().ok()?)),
            size => (8, u64::from(size)),
        };
        let end = from.checked_add(size).filter(|&end| size >= head_len && end <= to)?;
        if name == kind {
            return Some((from + head_len, end));
        }
        from = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn part(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
        [&(content.len() as u32 + 8).to_be_bytes(), &kind[..], content].concat()
    }

    fn of(file: &[u8]) -> Option<f64> {
        let file = Bytes::copy_from_slice(file);
        duration_s(file.len() as u64, |from, len| {
            let from = usize::try_from(from).ok()?;
            (from + len <= file.len()).then(|| file.slice(from..from + len))
        })
    }

    fn movie(header: &[u8]) -> Vec<u8> {
        part(b"moov", &[part(b"free", b""), part(b"mvhd", header)].concat())
    }

    #[test]
    fn the_movie_header_tells_the_length() {
        let header = [&[0; 12][..], &1000u32.to_be_bytes(), &12_500u32.to_be_bytes()].concat();
        let long = [&[1][..], &[0; 19], &90_000u32.to_be_bytes(), &180_000u64.to_be_bytes()].concat();
        for (header, expected) in [(header, 12.5), (long, 2.0)] {
            let movie = movie(&header);
            assert_eq!(of(&[part(b"ftyp", b"isom"), movie.clone()].concat()), Some(expected));
            let data = [&1u32.to_be_bytes()[..], b"mdat", &20u64.to_be_bytes(), b"data"].concat();
            assert_eq!(of(&[part(b"ftyp", b"isom"), data, movie].concat()), Some(expected), "at the end");
        }
    }

    #[test]
    fn damaged_files_have_no_length() {
        let whole = [part(b"ftyp", b"isom"), movie(&[0xff; 100])].concat();
        assert_eq!(of(&whole), None);
        for len in 0..whole.len() {
            assert_eq!(of(&whole[..len]), None);
        }
        assert_eq!(of(&[0; 64]), None);
        assert_eq!(of(&[0xff; 64]), None);
        assert_eq!(of(&part(b"free", b"").repeat(1000)), None);
    }
}
