//! A photograph of the operator's, as `Photograph.tsx` has it.

use touchline_channel::pictures::sizes;
use touchline_protocol::catalogue::PictureFacts;

use crate::pages::escaped;

/// A photograph of the operator's.
#[derive(Debug, Clone)]
pub(super) struct Photograph {
    address: String,
    facts: Option<PictureFacts>,
    /// How wide it is shown.
    sizes: &'static str,
}

impl Photograph {
    pub(super) fn new(address: String, facts: Option<PictureFacts>, sizes: &'static str) -> Self {
        Self { address, facts, sizes }
    }

    /// The picture that leads its page: fetched at once, and before anything else.
    pub(super) fn leading(&self, class: &str) -> String {
        self.elements(class, self.sizes, "fetchpriority=\"high\"")
    }

    /// One of many, which waits until it comes near the window.
    pub(super) fn waiting(&self, class: &str) -> String {
        self.elements(class, &format!("auto, {}", self.sizes), "decoding=\"async\" loading=\"lazy\"")
    }

    fn elements(&self, class: &str, sizes: &str, how: &str) -> String {
        let facts = self.facts.as_ref();
        let placeholder = facts.and_then(|facts| facts.placeholder.as_deref());
        let blurred =
            placeholder.map(|bytes| format!("<img class=\"photograph-blurred\" src=\"{}\" alt=\"\">", escaped(bytes)));
        let srcset =
            sizes::srcset(&self.address).map(|srcset| format!(" sizes=\"{sizes}\" srcset=\"{}\"", escaped(&srcset)));
        format!(
            "{}<img{class}{} src=\"{}\" alt=\"\" {how}>",
            blurred.unwrap_or_default(),
            srcset.unwrap_or_default(),
            escaped(&self.address)
        )
    }

    /// What fetches the leading picture at once, in the size that is shown (`FAST-2`, `FAST-6`).
    pub(super) fn preload(&self) -> String {
        let srcset = sizes::srcset(&self.address)
            .map(|srcset| format!(" imagesizes=\"{}\" imagesrcset=\"{}\"", self.sizes, escaped(&srcset)));
        format!(
            "<link rel=\"preload\" as=\"image\" fetchpriority=\"high\"{} href=\"{}\">",
            srcset.unwrap_or_default(),
            escaped(&self.address)
        )
    }
}
