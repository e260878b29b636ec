//! The calls under `/api`, a file a noun, as their paths are.

pub mod catalogue;
