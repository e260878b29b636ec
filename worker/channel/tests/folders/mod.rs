//! What checking a channel folder tells.

mod check;
mod check_anything;
mod demo;
mod probe;
