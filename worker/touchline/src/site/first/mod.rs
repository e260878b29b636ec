//! The first screen of a page, before any script has run (`FAST-1`): the same markup and style sheets as the screens
//! that replace it. It contains nothing about any viewer.
//!
//! | module | what |
//! |---|---|
//! | [`hero`], [`event`] | the first slide of the home page, the head of an event |
//! | [`rails`], [`cards`] | the first rails of the home page and the library |
//! | [`rows`] | the first day of the schedule |
//! | [`pictures`], [`photograph`], [`offers`], [`names`], [`icons`] | parts of cards and rows |

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

use super::found::PageContext;
use super::routes::{self, Subject};
use crate::pages::escaped;
use photograph::Photograph;
use rows::Tab;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FirstScreen {
    pub(super) body: String,
    /// A head element that preloads the leading picture.
    pub(super) preload: String,
}

/// The part below the header, with its leading picture.
#[derive(Debug, Default)]
struct Part {
    html: String,
    picture: Option<Photograph>,
}

struct Canvas<'a> {
    context: &'a PageContext<'a>,
    /// The channel's small drawings as data URLs, by address.
    drawings: &'a BTreeMap<String, String>,
    /// The number of drawing ids used so far.
    named: Cell<u32>,
}

impl Canvas<'_> {
    /// An id for a part of a drawing, unique on the page.
    fn next_id(&self) -> String {
        self.named.set(self.named.get() + 1);
        format!("first-{}", self.named.get())
    }
}

/// The first screen at `path`; `None` if only the site can render it. A filtered list gets its title only, since the
/// site does the filtering.
pub(super) fn screen(
    context: &PageContext<'_>,
    drawings: &BTreeMap<String, String>,
    path: &str,
    is_narrowed: bool,
) -> Option<FirstScreen> {
    let canvas = Canvas { context, drawings, named: Cell::new(0) };
    let first = path.split('/').find(|segment| !segment.is_empty());
    let Part { html, picture } = match (first, routes::subject_of(path)) {
        (None, _) => {
            let hero = hero::hero(context)?;
            Part { html: hero.html + &canvas.first_rail(), ..hero }
        }
        (Some("watch"), Some(Subject::Event(id))) => event::event(context, context.channel.event(id)?)?,
        (Some("vod_library"), None) => canvas.library(is_narrowed),
        (Some(segment), None) => Part { html: canvas.schedule(Tab::of(segment)?, is_narrowed), picture: None },
        _ => return None,
    };
    let body = format!("<div id=\"first\"><div class=\"frame\">{}<main>{html}</main></div></div>", header(context));
    let preload = picture.as_ref().map(Photograph::preload).unwrap_or_default();
    Some(FirstScreen { body, preload })
}

fn header(context: &PageContext<'_>) -> String {
    let settings = &context.channel.settings;
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
        context.texts().opening
    )
}
