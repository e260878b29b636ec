//! Pages of lists, and complete lists.

use serde::Deserialize;
use touchline_protocol::envelope::{Meta, Page};

use crate::catalogue::listing::{DEFAULT_LIMIT, MAX_LIMIT, PageRange};
use crate::http::{ApiError, ApiResult};

/// A page with the complete list.
pub(super) fn full_page<T>(data: Vec<T>) -> Page<T> {
    let total = data.len() as u64;
    Page { data, meta: Meta { total, limit: total, offset: 0 } }
}

/// Selects a page of a list.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// Maximum number of items: 1 to 100, 24 by default.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u64>,
    /// Number of items to skip.
    #[param(minimum = 0, maximum = 1_000_000)]
    pub(crate) offset: Option<u64>,
    /// `1` returns all items.
    #[param(minimum = 0, maximum = 1)]
    pub(crate) no_limit: Option<u8>,
}

impl PageQuery {
    /// The requested page, of `default` items unless specified.
    ///
    /// # Errors
    /// Fails with 400 for numbers out of range.
    pub(crate) fn part(&self, default: u64) -> ApiResult<PageRange> {
        let limit = self.limit.unwrap_or(default);
        let offset = self.offset.unwrap_or(0);
        let no_limit = self.no_limit.unwrap_or(0);
        in_bounds("limit", (1..=MAX_LIMIT).contains(&limit), "1 to 100")?;
        in_bounds("offset", offset <= 1_000_000, "0 to 1000000")?;
        in_bounds("no_limit", no_limit <= 1, "0 or 1")?;
        Ok(PageRange { limit: (no_limit == 0).then_some(limit), offset })
    }

    /// The requested page, of the default size unless specified.
    ///
    /// # Errors
    /// Fails with 400 for numbers out of range.
    pub(crate) fn range_or_default(&self) -> ApiResult<PageRange> {
        self.part(DEFAULT_LIMIT)
    }
}

pub(super) fn in_bounds(field: &str, is_valid: bool, bounds: &str) -> ApiResult<()> {
    if is_valid { Ok(()) } else { Err(ApiError::malformed(field, format!("{field} must be {bounds}"))) }
}
