//! The checksum of SQLite's write-ahead log: two words that accumulate all previous content.

/// SQLite's cumulative checksum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sum(pub(super) u32, pub(super) u32);

/// Byte order of the summed words.
#[derive(Debug, Clone, Copy)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub(super) fn pair(self, bytes: &[u8]) -> (u32, u32) {
        let number_at = |at: usize| {
            let bytes = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
            match self {
                Self::Little => u32::from_le_bytes(bytes),
                Self::Big => u32::from_be_bytes(bytes),
            }
        };
        (number_at(0), number_at(4))
    }
}

impl Sum {
    /// The checksum after adding `bytes`.
    pub(super) fn then(self, bytes: &[u8], order: Order) -> Self {
        bytes.chunks_exact(8).fold(self, |Self(one, two), bytes| {
            let (first, second) = order.pair(bytes);
            let one = one.wrapping_add(first).wrapping_add(two);
            Self(one, two.wrapping_add(second).wrapping_add(one))
        })
    }

    /// The checksum before `bytes` were added.
    pub(super) fn before(self, bytes: &[u8], order: Order) -> Self {
        bytes.rchunks_exact(8).fold(self, |Self(one, two), bytes| {
            let (first, second) = order.pair(bytes);
            let two = two.wrapping_sub(second).wrapping_sub(one);
            Self(one.wrapping_sub(first).wrapping_sub(two), two)
        })
    }

    /// The checksum of a single page.
    pub(super) fn of_page(bytes: &[u8]) -> Self {
        Self::default().then(bytes, Order::Big)
    }
}
