//! What the first screen of a page shows before any script has run (`FAST-1`): the frame's head, the slide that leads the
//! home page, an event's head, a list's name. The same markup under the site's own style sheets as the site's screens
//! have, which take its place.

use touchline_channel::catalogue::EventRecord;
use touchline_channel::catalogue::records::MediaKind;
use touchline_channel::pictures::sizes;
use touchline_protocol::catalogue::{AccessType, Media, PictureFacts, Slide, StreamStatus};

use super::found::Asking;
use super::routes::{self, Subject};
use crate::pages::escaped;

/// Past so many characters on one side, a title gets the smaller size; `FixtureName.tsx` has the same.
const LONG: usize = 12;
const PLAY: &str = "<svg class=\"icon icon--medium icon--filled\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M7 4.500v15l12-7.500z\"></path></svg>";

/// How wide the leading picture is shown, as `sizes` has it; `Featured.tsx` has the same.
const HERO_SIZES: &str = "(min-width: 900px) 74vw, 100vw";
/// The same of the still of an event; `Stage.tsx` has it too.
const STILL_SIZES: &str = "(min-width: 900px) 66vw, 100vw";

/// The first screen of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FirstScreen {
    /// Elements of the body.
    pub(super) body: String,
    /// The picture that it leads with, to be fetched before anything else.
    pub(super) picture: Option<Leading>,
}

/// The picture that a first screen leads with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leading {
    address: String,
    facts: Option<PictureFacts>,
    /// How wide it is shown.
    sizes: &'static str,
}

impl Leading {
    /// The same elements as `Photograph.tsx` has.
    fn elements(&self) -> String {
        let placeholder = self.facts.as_ref().and_then(|facts| facts.placeholder.as_deref());
        let blurred =
            placeholder.map(|bytes| format!("<img class=\"photograph-blurred\" src=\"{}\" alt=\"\">", escaped(bytes)));
        let srcset = sizes::srcset(&self.address)
            .map(|srcset| format!(" sizes=\"{}\" srcset=\"{}\"", self.sizes, escaped(&srcset)));
        format!(
            "{}<img{} src=\"{}\" alt=\"\" fetchpriority=\"high\">",
            blurred.unwrap_or_default(),
            srcset.unwrap_or_default(),
            escaped(&self.address)
        )
    }
}

impl FirstScreen {
    /// What fetches the leading picture at once, in the size that is shown (`FAST-2`, `FAST-6`).
    pub(super) fn preload(&self) -> String {
        let Some(Leading { address, sizes, .. }) = &self.picture else { return String::new() };
        let srcset = sizes::srcset(address)
            .map(|srcset| format!(" imagesizes=\"{sizes}\" imagesrcset=\"{}\"", escaped(&srcset)));
        format!(
            "<link rel=\"preload\" as=\"image\" fetchpriority=\"high\"{} href=\"{}\">",
            srcset.unwrap_or_default(),
            escaped(address)
        )
    }
}

/// The first screen at `path`; nothing where the site alone knows what stands there.
pub(super) fn screen(asking: &Asking<'_>, path: &str) -> Option<FirstScreen> {
    let first = path.split('/').find(|segment| !segment.is_empty());
    let (main, picture) = match (first, routes::subject_of(path)) {
        (None, _) => hero(asking)?,
        (Some("watch"), Some(Subject::Event(id))) => event(asking, asking.channel.event(id)?)?,
        (Some("vod_library"), None) => list("library", asking.library_title()),
        (Some("upcoming" | "schedule" | "live" | "vod"), None) => list("events", asking.schedule_title()),
        _ => return None,
    };
    let body = format!("<div id=\"first\"><div class=\"frame\">{}<main>{main}</main></div></div>", header(asking));
    Some(FirstScreen { body, picture })
}

fn header(asking: &Asking<'_>) -> String {
    let settings = &asking.channel.settings;
    let short = escaped(&settings.short_name);
    let mark = match settings.logo.as_str() {
        "" => {
            let initial = settings.short_name.chars().next().map(|letter| letter.to_uppercase().to_string());
            format!("<span class=\"brand__mark\" aria-hidden=\"true\">{}</span>", escaped(&initial.unwrap_or_default()))
        }
        logo => format!("<img class=\"brand__logo\" src=\"{}\" alt=\"\" width=\"38\" height=\"38\">", escaped(logo)),
    };
    let rest = match settings.tagline.as_str() {
        "" => String::new(),
        tagline => format!("<small class=\"brand__rest\">{}</small>", escaped(tagline)),
    };
    format!(
        "<header class=\"header\"><div class=\"wrap header__row\"><a class=\"brand\" href=\"/\">{mark}<span>\
         <b class=\"brand__first\">{short}</b> {rest}</span></a></div><div class=\"first__loader\" role=\"status\">\
         <span class=\"visually-hidden\">{}</span><span class=\"loader__run\" aria-hidden=\"true\"></span></div></header>",
        asking.shown_words().opening
    )
}

fn list(name: &str, title: &str) -> (String, Option<Leading>) {
    let heading = format!("<h1 class=\"type-page\">{}</h1>", escaped(title));
    let head = match name {
        "library" => format!("<div class=\"library__head\">{heading}</div>"),
        // The switch that hides scores is higher than the title beside it.
        "events" => {
            format!(
                "<div class=\"events__head\">{heading}<span class=\"hide-scores\" aria-hidden=\"true\"></span></div>"
            )
        }
        _ => heading,
    };
    (format!("<div class=\"wrap {name}\">{head}</div>"), None)
}

/// The slide that the home page begins with.
fn hero(asking: &Asking<'_>) -> Option<(String, Option<Leading>)> {
    let slide = asking.channel.slides.iter().find(|slide| slide.slidable_type.is_none())?;
    let event = slide.event_id.and_then(|id| asking.channel.event(id));
    // What is closed to a region says so in the site's own words.
    if event.is_some_and(|event| asking.is_closed(event)) || slide.image.is_empty() {
        return None;
    }
    let (title, is_long) = match event {
        Some(event) if slide.title.is_empty() => title_of(event),
        _ if slide.title.is_empty() => plain_title(&asking.channel.settings.name),
        _ => plain_title(&slide.title),
    };
    let kicker = event.map(|event| format!("<div class=\"hero__kicker\">{}</div>", kicker(asking, event)));
    let text = match slide.text.as_str() {
        "" => String::new(),
        text => format!("<p class=\"type-lead muted hero__text\">{}</p>", escaped(text)),
    };
    let size = if is_long { " type-hero--long" } else { "" };
    let leading = Leading { address: slide.image.clone(), facts: slide.picture.clone(), sizes: HERO_SIZES };
    let main = format!(
        "<section class=\"hero\"><div class=\"hero__picture\">{picture}</div>\
         <div class=\"wrap hero__words\"><div class=\"hero__lead\">{kicker}<h1 class=\"type-hero{size}\">{title}</h1>{text}\
         {actions}</div>{foot}</div></section>",
        picture = leading.elements(),
        kicker = kicker.unwrap_or_default(),
        actions = actions(asking, slide, event),
        foot = foot(asking),
    );
    Some((main, Some(leading)))
}

/// The lines of the slides, which take their room before they are there.
fn foot(asking: &Asking<'_>) -> String {
    let count = asking.channel.slides.iter().filter(|slide| slide.slidable_type.is_none()).count();
    if count < 2 {
        return String::new();
    }
    let name = "<span class=\"hero__name\">&nbsp;</span>";
    let line = format!("<li><span class=\"hero__choose\"><span class=\"hero__line\"></span>{name}</span></li>");
    format!(
        "<div class=\"hero__foot\" aria-hidden=\"true\"><ol class=\"hero__slides\">{}</ol></div>",
        line.repeat(count)
    )
}

fn actions(asking: &Asking<'_>, slide: &Slide, event: Option<&EventRecord>) -> String {
    let words = asking.shown_words();
    let button = |look: &str, to: &str, text: &str, icon: &str| {
        format!(
            "<a class=\"button button--{look}\" href=\"{}\"><span class=\"button__content\">{icon}{}</span></a>",
            escaped(to),
            escaped(text)
        )
    };
    let buttons = match event {
        Some(event) => {
            let page = format!("/watch/{}", event.id);
            let link = if slide.link.is_empty() { &page } else { &slide.link };
            let text = if slide.button.is_empty() { words.event_details } else { &slide.button };
            let Some((to, offer, capitals, icon)) = offer(asking, event, &page) else {
                let only = button("primary button--big", link, text, "");
                return format!("<div class=\"hero__actions\">{only}</div>");
            };
            let look = if capitals { "primary button--big button--capitals" } else { "primary button--big" };
            button(look, &to, &offer, if icon { PLAY } else { "" }) + &button("second button--big", link, text, "")
        }
        None if slide.link.is_empty() => return String::new(),
        None => {
            let text = if slide.button.is_empty() { words.details } else { &slide.button };
            button("primary button--big", &slide.link, text, "")
        }
    };
    format!("<div class=\"hero__actions\">{buttons}</div>")
}

/// Where the one button of an event leads for a visitor, what it says, whether in capitals, whether with an icon; nothing
/// where it says no more than that the event's page tells more. `OfferButton.tsx` has the same.
fn offer(asking: &Asking<'_>, event: &EventRecord, page: &str) -> Option<(String, String, bool, bool)> {
    let (words, status) = (asking.shown_words(), event.status_at(asking.now_s));
    let is_open = event.access_type == AccessType::Free;
    let price =
        event.single_event_package_id.filter(|_| matches!(event.access_type, AccessType::Paid | AccessType::Ppv));
    Some(match (status, event.access_type) {
        (StreamStatus::Upcoming, _) if price.is_some() => {
            let price = words.money(event.base_price, &asking.channel.settings.currency);
            (page.to_owned(), words.buy_for.replacen("{{price}}", &price, 1), false, false)
        }
        (StreamStatus::Upcoming, _) => return None,
        (StreamStatus::Live, _) if is_open => (page.to_owned(), words.watch_live.to_owned(), false, true),
        (_, AccessType::Free) => (page.to_owned(), words.watch.to_owned(), false, true),
        (_, AccessType::Register) => ("/registration".to_owned(), words.register_to_watch.to_owned(), true, true),
        _ => ("/login".to_owned(), words.login_to_watch.to_owned(), true, true),
    })
}

fn kicker(asking: &Asking<'_>, event: &EventRecord) -> String {
    let words = asking.shown_words();
    let (badge, when) = match event.status_at(asking.now_s) {
        StreamStatus::Live => {
            let ago = words.ago((asking.now_s - event.starts_at).max(0));
            (
                format!("<span class=\"badge badge--live figures\">{}</span>", words.live),
                words.started.replacen("{{ago}}", &ago, 1),
            )
        }
        StreamStatus::Upcoming => (String::new(), words.date(event.starts_at, &event.time_zone)),
        StreamStatus::Finished => (String::new(), words.finished.to_owned()),
    };
    format!("{badge}<span>{}</span><span class=\"muted\">{}</span>", escaped(&asking.event_kind(event)), escaped(&when))
}

/// The title as `FixtureName.tsx` shows it, and whether it is long.
fn title_of(event: &EventRecord) -> (String, bool) {
    match super::found::teams(event) {
        Some((away, home)) => {
            let title = format!(
                "{} <span class=\"fixture-name__home\"><span class=\"fixture-name__at\">@</span> {}</span>",
                escaped(&away.short_name),
                escaped(&home.short_name)
            );
            let longest = away.short_name.chars().count().max(home.short_name.chars().count());
            (title, longest > LONG)
        }
        None => plain_title(&event.name),
    }
}

fn plain_title(title: &str) -> (String, bool) {
    (escaped(title), title.chars().count() > 2 * LONG)
}

/// The head of an event's page.
fn event(asking: &Asking<'_>, event: &EventRecord) -> Option<(String, Option<Leading>)> {
    if asking.is_closed(event) {
        return None;
    }
    let (title, _) = title_of(event);
    let description = match event.description.as_str() {
        "" => String::new(),
        text => format!("<p class=\"muted reading\">{}</p>", escaped(text)),
    };
    let still = still(asking, event);
    let main = format!(
        "<div class=\"wrap\"><div class=\"watch\"><div class=\"watch__main\"><div class=\"watch__stage\">\
         <div class=\"stage\">{still}</div><div class=\"first__line\"></div></div><div class=\"watch__head\"><div class=\"stack stack--tight\">\
         <p class=\"type-label\">{}</p><h1 class=\"type-fixture\">{title}</h1></div>\
         <div class=\"watch__share\" aria-hidden=\"true\">{button}{button}</div></div>{description}</div></div></div>",
        escaped(&asking.event_kind(event)),
        still = still.as_ref().map(Leading::elements).unwrap_or_default(),
        button = "<span class=\"button button--quiet button--alone\"></span>",
    );
    Some((main, still))
}

/// The still of an event that every visitor may watch; `playable.ts` has the same.
fn still(asking: &Asking<'_>, record: &EventRecord) -> Option<Leading> {
    let event = asking.channel.event_for_visitors(record, asking.now_s);
    let is = |medium: &Media, kinds: &[MediaKind]| kinds.iter().any(|kind| *kind as u8 == medium.kind);
    let videos = [MediaKind::Live, MediaKind::Vod, MediaKind::Embedded];
    let is_playable =
        event.media.iter().any(|medium| is(medium, &videos) && (medium.url.is_some() || medium.is_protected));
    let still = event.media.into_iter().find(|medium| is(medium, &[MediaKind::Thumbnails]) && medium.url.is_some())?;
    let address = still.url.filter(|_| event.has_access && is_playable)?;
    Some(Leading { address, facts: still.picture, sizes: STILL_SIZES })
}
