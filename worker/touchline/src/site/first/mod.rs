//! What the first screen of a page shows before any script has run (`FAST-1`): the same markup under the site's own style
//! sheets as the site's screens have, which take its place. Nothing in it is of any viewer.
//!
//! | module | what |
//! |---|---|
//! | [`hero`], [`event`] | the slide that leads the home page, an event's head |
//! | [`rails`], [`cards`] | the home page's first rail, the library's first ones |
//! | [`rows`] | the schedule's first day |
//! | [`pictures`], [`photograph`], [`offers`], [`names`], [`icons`] | what cards and rows are made of |

mod cards;
mod event;
mod hero;
mod icons;
mod names;
mod offers;
mod photograph;
mod pictures;
mod rails;
mod rows;

use std::cell::Cell;
use std::collections::BTreeMap;

use super::found::Asking;
use super::routes::{self, Subject};
use crate::pages::escaped;
use photograph::Photograph;
use rows::Tab;

/// The first screen of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FirstScreen {
    /// Elements of the body.
    pub(super) body: String,
    /// An element of the head, which has the picture that it leads with fetched before anything else.
    pub(super) preload: String,
}

/// What stands below the frame's head, and the picture that leads it.
#[derive(Debug, Default)]
struct Part {
    html: String,
    picture: Option<Photograph>,
}

/// What a first screen is drawn from.
struct Canvas<'a> {
    asking: &'a Asking<'a>,
    /// The channel's tiny drawings, by address, as data.
    drawings: &'a BTreeMap<String, String>,
    /// How many drawings have a name so far.
    named: Cell<u32>,
}

impl Canvas<'_> {
    /// A name for a part of a drawing that no other of the page has.
    fn next_id(&self) -> String {
        self.named.set(self.named.get() + 1);
        format!("first-{}", self.named.get())
    }
}

/// The first screen at `path`; nothing where the site alone knows what stands there. What a list is narrowed to is the
/// site's to find: it has its name alone.
pub(super) fn screen(
    asking: &Asking<'_>,
    drawings: &BTreeMap<String, String>,
    path: &str,
    is_narrowed: bool,
) -> Option<FirstScreen> {
    let canvas = Canvas { asking, drawings, named: Cell::new(0) };
    let first = path.split('/').find(|segment| !segment.is_empty());
    let Part { html, picture } = match (first, routes::subject_of(path)) {
        (None, _) => {
            let hero = hero::hero(asking)?;
            Part { html: hero.html + &canvas.first_rail(), ..hero }
        }
        (Some("watch"), Some(Subject::Event(id))) => event::event(asking, asking.channel.event(id)?)?,
        (Some("vod_library"), None) => canvas.library(is_narrowed),
        (Some(segment), None) => Part { html: canvas.schedule(Tab::of(segment)?, is_narrowed), picture: None },
        _ => return None,
    };
    let body = format!("<div id=\"first\"><div class=\"frame\">{}<main>{html}</main></div></div>", header(asking));
    let preload = picture.as_ref().map(Photograph::preload).unwrap_or_default();
    Some(FirstScreen { body, preload })
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
