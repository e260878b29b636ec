//! Keys, passwords, links, limits: how the channel knows who asks.

pub mod keyring;
