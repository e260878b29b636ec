//! Operations of the worker's command line, not reachable by any path of the site.

pub mod accounts;
pub mod clips;
pub mod forms;
pub mod orders;
pub mod promo;
pub mod scores;
pub mod visitors;
