//! `sitemap.xml`, in parts, and `robots.txt`.

use touchline_protocol::catalogue::AccessType;

use super::structured::moment;
use super::{PageContext, narrowed};
use crate::pages::escaped;

/// The most pages in one part.
pub(crate) const PART_SIZE: usize = 10_000;
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// `robots.txt`: the sitemap, and paths to exclude. Calls stay allowed, because a search engine that renders a page
/// makes the same ones as a browser.
pub(in crate::site) fn robots(site: &str) -> String {
    format!(
        "User-agent: *\nDisallow: /profile\nDisallow: /buy\nDisallow: /simulate\nDisallow: /demo\n\nSitemap: {site}/sitemap.xml\n"
    )
}

/// `sitemap.xml`, the index of parts.
pub(in crate::site) fn index(context: &PageContext<'_>) -> String {
    let parts = entries(context).count().div_ceil(PART_SIZE).max(1);
    let parts: String = (1..=parts)
        .map(|part| format!("<sitemap><loc>{}/sitemaps/{part}.xml</loc></sitemap>\n", escaped(context.site)))
        .collect();
    format!("{HEAD}<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{parts}</sitemapindex>\n")
}

/// A part, counted from one; `None` beyond the last.
pub(in crate::site) fn part(context: &PageContext<'_>, part: usize) -> Option<String> {
    let mut entries = entries(context).skip(part.checked_sub(1)?.checked_mul(PART_SIZE)?).take(PART_SIZE).peekable();
    entries.peek()?;
    let mut text = format!(
        "{HEAD}<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:video=\"http://www.google.com/schemas/sitemap-video/1.1\">\n"
    );
    for entry in entries {
        text.push_str("<url><loc>");
        text.push_str(&escaped(&context.url(&entry.path)));
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
        let yes_or_no = |is: bool| if is { "yes" } else { "no" };
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
            yes_or_no(self.needs_account),
            yes_or_no(self.is_live),
        )
    }
}

/// Every page that may be listed for the visitor.
fn entries<'a>(context: &'a PageContext<'a>) -> impl Iterator<Item = Entry> + 'a {
    let channel = context.channel;
    let plain = |path: String| Entry { path, changed: None, video: None };
    // Passes and packages are useless where the channel is blocked.
    let is_blocked = channel.is_geo_blocked(context.country);
    let has_passes =
        !is_blocked && channel.packages.iter().any(|package| package.kind == "pass" || package.is_team_pass);
    let site_pages = ["/", "/upcoming", "/vod_library", "/packages", "/faq"].into_iter().map(str::to_owned);
    let passes = has_passes.then(|| "/passes".to_owned());
    let pages = channel.pages.iter().map(|page| page.url.clone());
    let narrowed = narrowed::paths(channel);
    let packages = channel.packages.iter().filter(move |package| package.kind != "single_event" && !is_blocked);
    let packages = packages.map(|package| format!("/select-package/{}", package.id));
    let events = channel.events.iter().filter(|event| !context.is_closed(event)).map(|event| {
        let is_live = event.starts_at <= context.now_s && context.now_s < event.ends_at();
        let has_started = event.starts_at <= context.now_s;
        Entry {
            path: format!("/watch/{}", event.id),
            changed: Some(moment(event.version_at(context.now_s), "UTC"))
                .filter(|_| event.version_at(context.now_s) > 1),
            video: (has_started && context.has_video(event)).then(|| Video {
                picture: context.event_picture(event),
                title: event.name.clone(),
                description: context.event_description(event),
                player: Ok(context.url(&format!("/watch_embed/{}", event.id))),
                published: moment(event.starts_at, &event.time_zone),
                seconds: event.duration_s,
                is_live,
                needs_account: event.access_type != AccessType::Free,
            }),
        }
    });
    let videos = channel.vod.iter().filter(move |_| !is_blocked).map(|video| Entry {
        path: format!("/vod_library/{}", video.id),
        changed: Some(video.date.clone()),
        video: context.open_address(video).map(|address| Video {
            picture: context.video_picture(video),
            title: video.title.clone(),
            description: context.video_description(video),
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
    site_pages.chain(passes).chain(pages).chain(narrowed).chain(packages).map(plain).chain(events).chain(videos)
}
