//! A photograph of the operator's, as in `Photograph.tsx`.

use touchline_channel::pictures::sizes;
use touchline_protocol::catalogue::PictureFacts;

use crate::pages::escaped;

#[derive(Debug, Clone)]
pub(super) struct Photograph {
    address: String,
    facts: Option<PictureFacts>,
    sizes: &'static str,
}

impl Photograph {
    pub(super) fn new(address: String, facts: Option<PictureFacts>, sizes: &'static str) -> Self {
        Self { address, facts, sizes }
    }

    /// The leading picture of a page, loaded immediately with high priority.
    pub(super) fn leading(&self, class: &str) -> String {
        self.elements(class, self.sizes, "fetchpriority=\"high\"")
    }

    /// A picture that is loaded when it comes near the viewport.
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

    /// A head element that preloads the leading picture in the displayed size (`FAST-2`, `FAST-6`).
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
