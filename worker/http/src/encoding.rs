//! Choice of a response's encoding.

use axum::http::{HeaderMap, HeaderValue, header};

/// Encoding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// The body itself.
    Plain,
    /// `gzip`
    Gzip,
    /// `br`
    Brotli,
}

impl Encoding {
    /// Value of `Content-Encoding`.
    pub fn name(self) -> Option<HeaderValue> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some(HeaderValue::from_static("gzip")),
            Self::Brotli => Some(HeaderValue::from_static("br")),
        }
    }
}

/// The header `Accept-Encoding`, over all its lines: the weight of each coding that it names.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AcceptEncoding {
    identity: Option<f32>,
    gzip: Option<f32>,
    x_gzip: Option<f32>,
    brotli: Option<f32>,
    any: Option<f32>,
}

impl AcceptEncoding {
    /// Reads a request's header.
    pub fn of(headers: &HeaderMap) -> Self {
        let mut accepted = Self::default();
        let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
        for member in lines.flat_map(|line| line.split(',')) {
            let (coding, parameters) = member.split_once(';').unwrap_or((member, ""));
            if let Some(weight) = accepted.weight_mut(coding.trim()) {
                weight.get_or_insert_with(|| quality(parameters));
            }
        }
        accepted
    }

    fn weight_mut(&mut self, coding: &str) -> Option<&mut Option<f32>> {
        let weights = [
            ("identity", &mut self.identity),
            ("gzip", &mut self.gzip),
            ("x-gzip", &mut self.x_gzip),
            ("br", &mut self.brotli),
            ("*", &mut self.any),
        ];
        weights.into_iter().find(|(name, _)| coding.eq_ignore_ascii_case(name)).map(|(_, weight)| weight)
    }

    /// Returns the preferred encoding. Of equal ones Brotli is chosen, then gzip.
    pub fn best(&self) -> Encoding {
        let mut best = (Encoding::Plain, self.identity.unwrap_or(0.0));
        // `*` does not make a plain body preferred.
        let gzip = self.gzip.or(self.x_gzip).or(self.any).unwrap_or(0.0);
        let brotli = self.brotli.or(self.any).unwrap_or(0.0);
        for (encoding, weight) in [(Encoding::Gzip, gzip), (Encoding::Brotli, brotli)] {
            if weight > 0.0 && weight >= best.1 {
                best = (encoding, weight);
            }
        }
        best.0
    }
}

/// Returns the weight among parameters: 1 without one, 0 for an invalid one.
fn quality(parameters: &str) -> f32 {
    let mut named = parameters.split(';').filter_map(|parameter| parameter.split_once('='));
    let value = named.find(|(name, _)| name.trim().eq_ignore_ascii_case("q")).map(|(_, value)| value.trim());
    value.map_or(1.0, |value| value.parse().ok().filter(|weight| (0.0..=1.0).contains(weight)).unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_accepted_encoding_is_chosen() {
        let cases: [(&[&str], Encoding); 18] = [
            (&["gzip, deflate, br"], Encoding::Brotli),
            (&["gzip, deflate"], Encoding::Gzip),
            (&["gzip;q=1.0"], Encoding::Gzip),
            (&["x-gzip"], Encoding::Gzip),
            (&["gzip;q=1.0, br;q=0.5"], Encoding::Gzip),
            (&["br;q=0, gzip;q=0.5"], Encoding::Gzip),
            (&["br ; Q=0.000, GZIP ; q=0.5"], Encoding::Gzip),
            (&["deflate", "gzip"], Encoding::Gzip),
            (&["gzip", "br"], Encoding::Brotli),
            (&["BR;q=0.1"], Encoding::Brotli),
            (&["*"], Encoding::Brotli),
            (&["*, br;q=0"], Encoding::Gzip),
            (&["*;q=0"], Encoding::Plain),
            (&["identity"], Encoding::Plain),
            (&["gzip;q=0.5, identity"], Encoding::Plain),
            (&["gzip;q=x"], Encoding::Plain),
            (&["", "brotli"], Encoding::Plain),
            (&[], Encoding::Plain),
        ];
        for (lines, best) in cases {
            let lines = lines.iter().map(|line| (header::ACCEPT_ENCODING, HeaderValue::from_static(line)));
            assert_eq!(AcceptEncoding::of(&lines.clone().collect()).best(), best, "{:?}", lines.collect::<Vec<_>>());
        }
    }
}
