//! What the operator does: the worker's own commands call it, under no path of the site.

pub mod accounts;
pub mod clips;
pub mod forms;
pub mod orders;
pub mod promo;
pub mod scores;
