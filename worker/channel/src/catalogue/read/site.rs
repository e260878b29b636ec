//! `menu.json`, `pages.json`, `slides.json`, `faq.json`, `forms.json`, `popups.json`, `storage/settings/player.json`:
//! content and settings of the site's pages.

use std::collections::BTreeSet;

use touchline_domain::accounts::is_email;
use touchline_protocol::catalogue::{
    ContentPage, CustomForm, CustomFormField, Faq, Menu, MenuItem, MenuLink, Participant, ParticipantGroup, Popup,
    Slide,
};

use super::config::{check_unique, email_address};
use super::folder::fields::{Fields, TEXT};
use super::folder::{Folder, Ids, ItemList};
use crate::catalogue::records::FormRecord;

/// Targets of slides.
pub(super) struct Targets<'a> {
    pub(super) categories: &'a Ids,
    pub(super) participants: &'a Ids,
    pub(super) groups: &'a Ids,
    pub(super) events: &'a Ids,
}

pub(super) fn menu(folder: &Folder<'_>) -> Menu {
    let links = |fields: &Fields<'_>, field| {
        fields.objects(field, |link| {
            let (name, url) = (link.line("name"), link.site_path("url"));
            Some(MenuLink { name: name?, url: url? })
        })
    };
    let menu = folder.object("menu.json", false, |fields| {
        Some(Menu { header: links(fields, "header"), footer: links(fields, "footer"), ..Menu::default() })
    });
    menu.unwrap_or_default()
}

/// The menu with the channel's schools and teams (`NAV-7`).
pub(super) fn whole_menu(links: Menu, groups: &[ParticipantGroup], participants: &[Participant]) -> Menu {
    let groups = groups.iter().map(|group| MenuItem {
        id: group.id,
        name: group.name.clone(),
        alias: group.alias.clone(),
        images: group.images.clone(),
    });
    let participants = participants.iter().map(|team| MenuItem {
        id: team.id,
        name: team.name.clone(),
        alias: team.alias.clone(),
        images: team.images.clone(),
    });
    Menu { groups: groups.collect(), participants: participants.collect(), ..links }
}

pub(super) fn pages(folder: &Folder<'_>) -> Vec<ContentPage> {
    let mut urls = BTreeSet::new();
    let listed = folder.list("pages.json", false, |fields| {
        let (id, url, name) = (fields.id("id"), fields.site_path("url"), fields.line("name"));
        check_unique(fields, "url", url.as_ref(), &mut urls);
        let alt_name = fields.line("alt_name");
        let content = fields.maybe_string("content", TEXT).unwrap_or_default();
        Some(ContentPage { id: id?, url: url?, alt_name: alt_name?, name: name?, content: Some(content) })
    });
    listed.items
}

pub(super) fn slides(folder: &Folder<'_>, targets: &Targets<'_>) -> Vec<Slide> {
    let listed = folder.list("slides.json", false, |fields| {
        let id = fields.id("id");
        let kinds = [
            ("category", ("category", targets.categories)),
            ("participant", ("participant", targets.participants)),
            ("group", ("group", targets.groups)),
        ];
        let owner = fields.maybe_one_of("slidable_type", &kinds);
        let slidable_id = match owner {
            Some((_, ids)) => fields.reference("slidable_id", ids),
            None => {
                if fields.maybe_id("slidable_id").is_some() && !fields.has("slidable_type") {
                    fields.fault("slidable_id", "needs a `slidable_type`");
                }
                None
            }
        };
        let event_id = fields.maybe_reference("event_id", targets.events);
        let link = if fields.line_or_empty("link").is_empty() { Some(String::new()) } else { fields.site_path("link") };
        Some(Slide {
            slidable_type: owner.map(|(name, _)| name.to_owned()),
            slidable_id,
            title: fields.line_or_empty("title"),
            text: fields.text_or_empty("text"),
            image: fields.maybe_image("image").unwrap_or_default(),
            picture: None,
            button: fields.line_or_empty("button"),
            event_id,
            id: id?,
            link: link?,
        })
    });
    listed.items
}

pub(super) fn faq(folder: &Folder<'_>) -> Vec<Faq> {
    let listed = folder.list("faq.json", false, |fields| {
        let (id, question) = (fields.id("id"), fields.line("question"));
        let (answer, section) = (fields.text_or_empty("answer"), fields.line_or_empty("section"));
        Some(Faq { id: id?, question: question?, answer, section })
    });
    listed.items
}

/// The forms, each with the recipient of its submissions: its own, or `contact`.
pub(super) fn forms(folder: &Folder<'_>, contact: Option<&str>) -> Vec<FormRecord> {
    let mut aliases = BTreeSet::new();
    let listed = folder.list("forms.json", false, |fields| {
        let (id, alias, name) = (fields.id("id"), fields.alias("alias"), fields.line("name"));
        check_unique(fields, "alias", alias.as_ref(), &mut aliases);
        let mut names = BTreeSet::new();
        let form_fields = fields.objects("fields", |field| {
            let (name, label) = (field.line("name"), field.line("label"));
            check_unique(field, "name", name.as_ref(), &mut names);
            let kinds = ["text", "email", "phone", "textarea", "select"].map(|kind| (kind, kind));
            let kind = field.one_of("type", &kinds);
            let (required, options) = (field.flag("required"), field.lines("options"));
            if kind.is_some_and(|kind| (kind == "select") == options.is_empty()) {
                field.fault("options", "must be present for a `select` and only then");
            }
            Some(CustomFormField { name: name?, label: label?, kind: kind?.to_owned(), required, options })
        });
        let recipient = email_address(fields, "to");
        let to = recipient.or_else(|| contact.filter(|contact| is_email(contact)).map(str::to_owned));
        Some(FormRecord { form: CustomForm { id: id?, alias: alias?, name: name?, fields: form_fields }, to })
    });
    listed.items
}

pub(super) fn popups(folder: &Folder<'_>) -> Vec<Popup> {
    let Some(value) = folder.json("popups.json", false) else { return Vec::new() };
    let mut listed = ItemList { items: Vec::new(), ids: Ids::default() };
    let mut components = BTreeSet::new();
    folder.items("popups.json", "", &value, &mut listed, |fields| {
        let component = fields.line("component");
        check_unique(fields, "component", component.as_ref(), &mut components);
        let attributes = fields.required("attributes", fields.maybe_object("attributes")).map(|fields| {
            let title = fields.line("title").unwrap_or_default();
            let (text, button) = (fields.text_or_empty("text"), fields.line_or_empty("button"));
            let link = fields.has("link").then(|| fields.site_path("link")).flatten().unwrap_or_default();
            if button.is_empty() != link.is_empty() {
                fields.fault("button", "must be present together with `link`");
            }
            let all = [("title", title), ("text", text), ("button", button), ("link", link)];
            let present = all.into_iter().filter(|(_, value)| !value.is_empty());
            present.map(|(name, value)| (name.to_owned(), value.into())).collect()
        });
        Some(Popup { component: component?, attributes: attributes? })
    });
    listed.items
}

/// The only settings file. Browsers load it unchanged (`SET-1`).
pub(super) const PLAYER_SETTINGS: &str = "storage/settings/player.json";

/// Validates the player's settings file, which browsers load unchanged.
pub(super) fn check_player_settings(folder: &Folder<'_>) {
    folder.object(PLAYER_SETTINGS, false, |fields| {
        fields.maybe_integer("start_level", -1..=99);
        fields.flag("low_latency");
        Some(())
    });
}
