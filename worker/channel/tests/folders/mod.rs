//! Reports about channel folders.

mod check;
mod check_anything;
mod demo;
mod probe;
