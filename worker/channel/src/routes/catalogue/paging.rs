//! Which part of a list a request wants, and lists that are sent whole.

use serde::Deserialize;
use touchline_protocol::envelope::{Meta, Page};

use crate::catalogue::listing::{DEFAULT_LIMIT, MAX_LIMIT, Part};
use crate::http::{ApiError, ApiResult};

/// A list as a whole.
pub(super) fn whole<T>(data: Vec<T>) -> Page<T> {
    let total = data.len() as u64;
    Page { data, meta: Meta { total, limit: total, offset: 0 } }
}

/// Which part of a list is asked for.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PartQuery {
    /// At most so many items: 1 to 100; 24 when nothing is said.
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u64>,
    /// Leaving out so many.
    #[param(minimum = 0, maximum = 1_000_000)]
    pub offset: Option<u64>,
    /// 1 for all of them.
    #[param(minimum = 0, maximum = 1)]
    pub no_limit: Option<u8>,
}

impl PartQuery {
    /// The part, `default` items when nothing is said.
    ///
    /// # Errors
    /// 400 for numbers out of bounds.
    pub fn part(&self, default: u64) -> ApiResult<Part> {
        let limit = self.limit.unwrap_or(default);
        let offset = self.offset.unwrap_or(0);
        let no_limit = self.no_limit.unwrap_or(0);
        in_bounds("limit", (1..=MAX_LIMIT).contains(&limit), "1 to 100")?;
        in_bounds("offset", offset <= 1_000_000, "0 to 1000000")?;
        in_bounds("no_limit", no_limit <= 1, "0 or 1")?;
        Ok(Part { limit: (no_limit == 0).then_some(limit), offset })
    }

    /// The part, with the default of lists.
    ///
    /// # Errors
    /// 400 for numbers out of bounds.
    pub fn usual(&self) -> ApiResult<Part> {
        self.part(DEFAULT_LIMIT)
    }
}

pub(super) fn in_bounds(field: &str, holds: bool, bounds: &str) -> ApiResult<()> {
    if holds { Ok(()) } else { Err(ApiError::malformed(field, format!("{field} must be {bounds}"))) }
}
