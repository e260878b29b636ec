//! Responses that are negotiated: the best encoding that the client accepts, or 304 if it has the body (RFC 9110,
//! sections 12.5.3 and 13.1.2).
//!
//! | module | contents |
//! |---|---|
//! | [`encoding`] | encodings, and the header `Accept-Encoding` |
//! | [`conditional`] | the headers `If-None-Match` and `If-Range` |
//! | [`body`] | a body with its type, tag and encodings |
//! | [`cache`] | bodies in memory, up to a size |

pub mod body;
pub mod cache;
pub mod conditional;
pub mod encoding;

pub use body::{Effort, NegotiatedBody, hash_of};
pub use cache::BodyCache;
