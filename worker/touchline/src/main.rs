//! The touchline binary.
fn main() {}
