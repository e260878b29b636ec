//! A video, a package, a shared clip.

use serde_json::{Value, json};
use touchline_channel::catalogue::records::{MediaKind, MediaLocation, VodRecord};
use touchline_protocol::catalogue::{AccessType, Package};

use super::events::is_picture;
use super::general::DESCRIPTION;
use super::structured::{breadcrumbs, length, offer};
use super::{ICON, PageContext, PageFacts, shortened};

impl PageContext<'_> {
    /// The picture of a video, or the channel's icon.
    pub(super) fn video_picture(&self, video: &VodRecord) -> String {
        let picture = video.assets.iter().find(|asset| asset.kind == "image" && is_picture(&asset.path));
        self.url(picture.map_or(ICON, |asset| &asset.path))
    }

    /// The meta description of a video.
    pub(super) fn video_description(&self, video: &VodRecord) -> String {
        if video.description.is_empty() { video.title.clone() } else { shortened(&video.description, DESCRIPTION) }
    }

    /// The address of a video that everyone may watch; `None` if it needs an account.
    pub(super) fn open_address(&self, video: &VodRecord) -> Option<String> {
        if video.access_type != AccessType::Free || self.channel.is_geo_blocked(self.country) {
            return None;
        }
        if let (MediaLocation::Url(address), MediaKind::Vod) = (&video.media.location, video.media.kind) {
            return Some(self.url(address));
        }
        let mount = format!("v{}", video.media.id);
        self.channel.files.open_address(self.channel.key(), &mount).map(|path| self.url(&path))
    }

    pub(super) fn video(&self, video: &VodRecord) -> PageFacts {
        if self.channel.is_geo_blocked(self.country) {
            return self.closed();
        }
        let canonical = format!("/vod_library/{}", video.id);
        let facts = PageFacts::listed(Some(video.title.clone()), self.video_description(video), &canonical);
        let trail = breadcrumbs(&[
            (self.texts().home.to_owned(), self.url("/")),
            (self.texts().library.to_owned(), self.url("/vod_library")),
            (video.title.clone(), self.url(&canonical)),
        ]);
        PageFacts {
            picture: Some((self.video_picture(video), video.title.clone())),
            kind: "video.other",
            structured: vec![self.video_object(video), trail],
            ..facts
        }
    }

    fn video_object(&self, video: &VodRecord) -> Value {
        let url = self.url(&format!("/vod_library/{}", video.id));
        let mut object = json!({
            "@context": "https://schema.org", "@type": "VideoObject", "@id": url, "url": url, "name": video.title,
            "description": self.video_description(video), "thumbnailUrl": [self.video_picture(video)],
            "uploadDate": video.date, "duration": length(video.duration_s),
            "isAccessibleForFree": video.access_type == AccessType::Free,
            "publisher": { "@type": "Organization", "name": self.name(), "url": self.url("/") },
        });
        if let Some(address) = self.open_address(video) {
            object["contentUrl"] = json!(address);
        }
        object
    }

    pub(super) fn package(&self, package: &Package) -> PageFacts {
        if self.channel.is_geo_blocked(self.country) {
            return self.closed();
        }
        let canonical = format!("/select-package/{}", package.id);
        let texts = self.texts();
        let description = match package.description.as_str() {
            "" => texts.about_packages(self.name()),
            text => shortened(text, DESCRIPTION),
        };
        let facts = PageFacts::listed(Some(package.name.clone()), description.clone(), &canonical);
        let url = self.url(&canonical);
        let product = json!({
            "@context": "https://schema.org", "@type": "Product", "name": package.name, "description": description,
            "url": url, "image": [self.url(ICON)],
            "brand": { "@type": "Brand", "name": self.name() },
            "offers": offer(None, package.price, &package.currency, &url),
        });
        let trail = breadcrumbs(&[
            (texts.home.to_owned(), self.url("/")),
            (texts.packages.to_owned(), self.url("/packages")),
            (package.name.clone(), url),
        ]);
        PageFacts { structured: vec![product, trail], ..facts }
    }

    /// A shared clip: its link has a preview, but search engines must not index it.
    pub(crate) fn shared_clip(&self, name: &str, event_id: Option<i64>, vod_id: Option<i64>) -> PageFacts {
        let (picture, of) = if let Some(event) = event_id.and_then(|id| self.channel.event(id)) {
            if self.is_closed(event) {
                return self.closed();
            }
            (self.event_picture(event), event.name.clone())
        } else if let Some(video) = vod_id.and_then(|id| self.channel.video(id)) {
            if self.channel.is_geo_blocked(self.country) {
                return self.closed();
            }
            (self.video_picture(video), video.title.clone())
        } else {
            return PageFacts::private(Some(name.to_owned()), self.texts().about_channel(self.name()));
        };
        let description = self.texts().about_clip(&of);
        PageFacts {
            picture: Some((picture, of)),
            kind: "video.other",
            ..PageFacts::private(Some(name.to_owned()), description)
        }
    }
}
