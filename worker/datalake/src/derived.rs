//! Columns computed from others: the same value in a type that suits it better.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, BooleanArray, TimestampMicrosecondArray};
use jiff::Timestamp;

use crate::schema::Kind;

/// The values of `array` as `kind`; a value that has no such form is empty. `None` if no column of this kind is derived.
pub(crate) fn derived(kind: Kind, array: &ArrayRef) -> Option<ArrayRef> {
    Some(match kind {
        Kind::Integer => {
            #[expect(clippy::cast_possible_truncation, reason = "amounts and days stay far below 2^53")]
            let whole = |number: f64| number.round() as i64;
            Arc::new(array.as_primitive_opt::<Float64Type>()?.unary::<_, Int64Type>(whole))
        }
        Kind::Flag => {
            let flag = |text: Option<&str>| text?.parse().ok();
            Arc::new(array.as_string_opt::<i32>()?.iter().map(flag).collect::<BooleanArray>())
        }
        Kind::Moment => {
            let moment = |text: Option<&str>| Some(text?.parse::<Timestamp>().ok()?.as_microsecond());
            let moments: TimestampMicrosecondArray = array.as_string_opt::<i32>()?.iter().map(moment).collect();
            Arc::new(moments.with_timezone("UTC"))
        }
        Kind::Text | Kind::Json | Kind::Number => return None,
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::types::TimestampMicrosecondType;
    use arrow_array::{Array, Float64Array, StringArray};

    use super::*;

    #[test]
    fn amounts_become_whole_and_empty_cells_stay_empty() {
        let amounts: ArrayRef = Arc::new(Float64Array::from(vec![Some(1_199.999_999), None, Some(-200.0)]));
        let whole = derived(Kind::Integer, &amounts).unwrap();
        let whole: Vec<_> = whole.as_primitive::<Int64Type>().iter().collect();
        assert_eq!(whole, [Some(1200), None, Some(-200)]);
    }

    #[test]
    fn texts_become_flags_and_moments_unless_they_are_something_else() {
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("true"), Some("false"), Some("yes"), None]));
        let flags = derived(Kind::Flag, &texts).unwrap();
        assert_eq!(flags.as_boolean().iter().collect::<Vec<_>>(), [Some(true), Some(false), None, None]);
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["1970-01-01T00:00:01Z", "soon"]));
        let moments = derived(Kind::Moment, &texts).unwrap();
        let moments = moments.as_primitive::<TimestampMicrosecondType>();
        assert_eq!((moments.value(0), moments.is_null(1)), (1_000_000, true));
    }
}
