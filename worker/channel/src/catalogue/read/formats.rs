//! Fields with a special format: colours, aliases, paths, time zones, countries, pictures.

use std::collections::BTreeSet;

use super::folder::IMAGE_ENDINGS;
use super::folder::fields::{Fields, LINE};

impl Fields<'_> {
    pub(super) fn color(&self, field: &'static str) -> Option<String> {
        self.required(field, self.maybe_color(field))
    }

    pub(super) fn maybe_color(&self, field: &'static str) -> Option<String> {
        let color = self.maybe_string(field, LINE)?;
        let fits =
            color.len() == 7 && color.starts_with('#') && color.bytes().skip(1).all(|digit| digit.is_ascii_hexdigit());
        if !fits {
            self.fault(field, "must be a colour like `#1a2b3c`");
        }
        fits.then_some(color)
    }

    /// A text of lower-case letters, digits and hyphens, for links.
    pub(super) fn alias(&self, field: &'static str) -> Option<String> {
        let alias = self.line(field)?;
        let fits = alias.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !fits {
            self.fault(field, "must consist of lower-case letters, digits and hyphens");
        }
        fits.then_some(alias)
    }

    /// A path of the site: `/about`.
    pub(super) fn site_path(&self, field: &'static str) -> Option<String> {
        let path = self.line(field)?;
        let fits = path.starts_with('/') && !path.starts_with("//") && !path.contains(char::is_whitespace);
        if !fits {
            self.fault(field, "must be a path of the site that starts with one `/`");
        }
        fits.then_some(path)
    }

    pub(super) fn time_zone(&self, field: &'static str) -> Option<String> {
        let name = self.line(field)?;
        // A machine without a time zone database cannot check.
        let fits = jiff::tz::db().is_definitively_empty() || jiff::tz::TimeZone::get(&name).is_ok();
        if !fits {
            self.fault(field, format!("`{name}` is not a time zone like `America/Chicago`"));
        }
        fits.then_some(name)
    }

    /// ISO 3166-1 alpha-2 codes, upper case.
    pub(super) fn countries(&self, field: &'static str) -> BTreeSet<String> {
        let mut countries = BTreeSet::new();
        for (path, value) in self.values(field) {
            match value.as_str().filter(|code| is_country(code)) {
                Some(code) => drop(countries.insert(code.to_owned())),
                None => self.fault(&path, "must be a country code of two capital letters, like `US`"),
            }
        }
        countries
    }

    pub(super) fn country(&self, field: &'static str) -> Option<String> {
        let code = self.line(field)?;
        if !is_country(&code) {
            self.fault(field, "must be a country code of two capital letters, like `US`");
        }
        is_country(&code).then_some(code)
    }

    /// URL of a picture of the channel.
    pub(super) fn maybe_image(&self, field: &'static str) -> Option<String> {
        let path = self.maybe_string(field, LINE).filter(|path| !path.is_empty())?;
        self.image_url(field, &path)
    }

    /// URLs of pictures of the channel.
    pub(super) fn images(&self, field: &'static str) -> Vec<String> {
        let mut urls = Vec::new();
        for (position, value) in self.values(field) {
            match value.as_str() {
                Some(path) => urls.extend(self.image_url(&position, path)),
                None => self.fault(&position, "must be the path of a picture"),
            }
        }
        urls
    }

    pub(super) fn image_url(&self, field: &str, path: &str) -> Option<String> {
        if !is_image(path) {
            self.fault(field, format!("`{path}` is not a picture ({})", IMAGE_ENDINGS.join(", ")));
            return None;
        }
        self.is_file(field, path).then(|| format!("/media/{}/{path}", self.folder.key))
    }

    /// Checks that a file exists in `media/`.
    pub(super) fn is_file(&self, field: &str, path: &str) -> bool {
        let exists = self.folder.files.contains_key(format!("media/{path}").as_str());
        if !exists {
            self.fault(field, format!("media/{path} does not exist"));
        }
        exists
    }
}

/// Whether browsers display this file as a picture, by its extension.
pub(crate) fn is_image(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| IMAGE_ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}

fn is_country(code: &str) -> bool {
    code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase())
}
