//! `sitemap.xml`, in parts, and `robots.txt`.

use touchline_protocol::catalogue::AccessType;

use super::structured::moment;
use super::{Asking, narrowed};
use crate::pages::escaped;

/// The most pages in one part.
pub(crate) const IN_A_PART: usize = 10_000;
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// `robots.txt`: the sitemap, and paths to exclude. Calls stay allowed, because a search engine that renders a page
/// makes the same ones as a browser.
pub(in crate::site) fn robots(site: &str) -> String {
    format!(
        "User-agent: *\nDisallow: /profile\nDisallow: /buy\nDisallow: /simulate\nDisallow: /demo\n\nSitemap: {site}/sitemap.xml\n"
    )
}

/// `sitemap.xml`, the index of parts.
pub(in crate::site) fn index(asking: &Asking<'_>) -> String {
    let parts = entries(asking).count().div_ceil(IN_A_PART).max(1);
    let parts: String = (1..=parts)
        .map(|part| format!("<sitemap><loc>{}/sitemaps/{part}.xml</loc></sitemap>\n", escaped(asking.site)))
        .collect();
    format!("{HEAD}<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{parts}</sitemapindex>\n")
}

/// A part, counted from one; `None` beyond the last.
pub(in crate::site) fn part(asking: &Asking<'_>, part: usize) -> Option<String> {
    let mut entries = entries(asking).skip(part.checked_sub(1)?.checked_mul(IN_A_PART)?).take(IN_A_PART).peekable();
    entries.peek()?;
    let mut text = format!(
        "{HEAD}<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:video=\"http://www.google.com/schemas/sitemap-video/1.1\">\n"
    );
    for entry in entries {
        text.push_str("<url><loc>");
        text.push_str(&escaped(&asking.url(&entry.path)));
        text.push_str("</loc>");
        if let Some(changed) = &entry.changed {
            text.push_str(&format!("<lastmod>{}</lastmod>", escaped(changed)));
        }
        if let Some(video) = &entry.video {
            text.push_str(&video.xml());
        }
        text.push_str("</url>\n");
    }
    text.push_str("</urlset>\n");
    Some(text)
}

struct Entry {
    path: String,
    changed: Option<String>,
    video: Option<Video>,
}

/// A video that other sites may play.
struct Video {
    picture: String,
    title: String,
    description: String,
    /// The address of a player, or of the video file.
    player: Result<String, String>,
    published: String,
    seconds: i64,
    is_live: bool,
    needs_account: bool,
}

impl Video {
    fn xml(&self) -> String {
        let (name, address) = match &self.player {
            Ok(player) => ("player_loc", player),
            Err(content) => ("content_loc", content),
        };
        let yes_no = |is: bool| if is { "yes" } else { "no" };
        // Live streams have no duration, and the format allows at most eight hours.
        let duration = match self.seconds {
            1..=28_800 if !self.is_live => format!("<video:duration>{}</video:duration>", self.seconds),
            _ => String::new(),
        };
        format!(
            "<video:video><video:thumbnail_loc>{}</video:thumbnail_loc><video:title>{}</video:title>\
             <video:description>{}</video:description><video:{name}>{}</video:{name}>{duration}\
             <video:publication_date>{}</video:publication_date>\
             <video:requires_subscription>{}</video:requires_subscription><video:live>{}</video:live></video:video>",
            escaped(&self.picture),
            escaped(&self.title),
            escaped(&self.description),
            escaped(address),
            escaped(&self.published),
            yes_no(self.needs_account),
            yes_no(self.is_live),
        )
    }
}

/// Every page that may be listed for the visitor.
fn entries<'a>(asking: &'a Asking<'a>) -> impl Iterator<Item = Entry> + 'a {
    let channel = asking.channel;
    let plain = |path: String| Entry { path, changed: None, video: None };
    // Passes and packages are useless where the channel is blocked.
    let is_shut = channel.is_geo_blocked(asking.country);
    let has_passes = !is_shut && channel.packages.iter().any(|package| package.kind == "pass" || package.is_team_pass);
    let own = ["/", "/upcoming", "/vod_library", "/packages", "/faq"].into_iter().map(str::to_owned);
    let passes = has_passes.then(|| "/passes".to_owned());
    let pages = channel.pages.iter().map(|page| page.url.clone());
    let narrowed = narrowed::paths(channel);
    let packages = channel.packages.iter().filter(move |package| package.kind != "single_event" && !is_shut);
    let packages = packages.map(|package| format!("/select-package/{}", package.id));
    let events = channel.events.iter().filter(|event| !asking.is_closed(event)).map(|event| {
        let is_live = event.starts_at <= asking.now_s && asking.now_s < event.ends_at();
        let has_begun = event.starts_at <= asking.now_s;
        Entry {
            path: format!("/watch/{}", event.id),
            changed: Some(moment(event.version_at(asking.now_s), "UTC")).filter(|_| event.version_at(asking.now_s) > 1),
            video: (has_begun && asking.has_video(event)).then(|| Video {
                picture: asking.event_picture(event),
                title: event.name.clone(),
                description: asking.event_description(event),
                player: Ok(asking.url(&format!("/watch_embed/{}", event.id))),
                published: moment(event.starts_at, &event.time_zone),
                seconds: event.duration_s,
                is_live,
                needs_account: event.access_type != AccessType::Free,
            }),
        }
    });
    let videos = channel.vod.iter().filter(move |_| !is_shut).map(|video| Entry {
        path: format!("/vod_library/{}", video.id),
        changed: Some(video.date.clone()),
        video: asking.open_address(video).map(|address| Video {
            picture: asking.video_picture(video),
            title: video.title.clone(),
            description: asking.video_description(video),
            player: Err(address),
            published: video.date.clone(),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a length of a video, which is checked when it is read"
            )]
            seconds: video.duration_s.round() as i64,
            is_live: false,
            needs_account: false,
        }),
    });
    own.chain(passes).chain(pages).chain(narrowed).chain(packages).map(plain).chain(events).chain(videos)
}
