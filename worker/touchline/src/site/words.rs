//! The sentences that pages are described with. The titles are those of the site itself: a test compares them.

use touchline_protocol::money::in_units;

/// The sentences of one language.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) home: &'static str,
    pub(super) schedule: &'static str,
    pub(super) library: &'static str,
    pub(super) packages: &'static str,
    pub(super) passes: &'static str,
    pub(super) faq: &'static str,
    pub(super) login: &'static str,
    pub(super) register: &'static str,
    pub(super) profile: &'static str,
    pub(super) lost: &'static str,
    pub(super) opening: &'static str,
    pub(super) live: &'static str,
    pub(super) started: &'static str,
    pub(super) finished: &'static str,
    pub(super) login_to_watch: &'static str,
    pub(super) register_to_watch: &'static str,
    pub(super) watch: &'static str,
    pub(super) watch_live: &'static str,
    pub(super) details: &'static str,
    pub(super) event_details: &'static str,
    pub(super) buy_for: &'static str,
    pub(super) men: &'static str,
    pub(super) women: &'static str,
    ago: &'static str,
    about_channel: &'static str,
    about_schedule: &'static str,
    about_library: &'static str,
    about_packages: &'static str,
    about_passes: &'static str,
    about_faq: &'static str,
    about_clip: &'static str,
    about_narrowed: &'static str,
}

static EN: Words = Words {
    home: "Home",
    schedule: "Schedule",
    library: "Library",
    packages: "Packages",
    passes: "Passes",
    faq: "Questions and answers",
    login: "Log in",
    register: "Register",
    profile: "Your profile",
    lost: "This page is lost",
    opening: "Opening the channel",
    live: "Live",
    started: "Started {{ago}}",
    finished: "Finished",
    login_to_watch: "LOGIN TO WATCH",
    register_to_watch: "REGISTER TO WATCH FREE",
    watch: "Watch",
    watch_live: "Watch live",
    details: "Details",
    event_details: "Event details",
    buy_for: "Buy for {{price}}",
    men: "Men’s {{sport}}",
    women: "Women’s {{sport}}",
    ago: "{} ago",
    about_channel: "{}: live events, replays and videos.",
    about_schedule: "Every event of {}: on the air now, still to come, and to watch again.",
    about_library: "The videos of {}, to watch whenever you like.",
    about_packages: "Packages, passes and subscriptions of {}, with what each of them opens.",
    about_passes: "Each pass is paid once, with no renewal. The passes of {}.",
    about_faq: "Questions about watching {}, and their answers.",
    about_clip: "A clip of {}.",
    about_narrowed: "{}: live events, what comes, results and recordings.",
};

static FR: Words = Words {
    home: "Accueil",
    schedule: "Calendrier",
    library: "Vidéothèque",
    packages: "Forfaits",
    passes: "Laissez-passer",
    faq: "Questions et réponses",
    login: "Connexion",
    register: "S’inscrire",
    profile: "Votre profil",
    lost: "Cette page est perdue",
    opening: "Ouverture de la chaîne",
    live: "En direct",
    started: "Commencé {{ago}}",
    finished: "Terminé",
    login_to_watch: "SE CONNECTER POUR REGARDER",
    register_to_watch: "S’INSCRIRE ET REGARDER GRATUITEMENT",
    watch: "Regarder",
    watch_live: "Regarder en direct",
    details: "Détails",
    event_details: "Détails",
    buy_for: "Acheter pour {{price}}",
    men: "{{sport}} masculin",
    women: "{{sport}} féminin",
    ago: "il y a {}",
    about_channel: "{} : évènements en direct, reprises et vidéos.",
    about_schedule: "Tous les évènements de {} : en direct, à venir et à revoir.",
    about_library: "Les vidéos de {}, à regarder quand vous voulez.",
    about_packages: "Forfaits, laissez-passer et abonnements de {}, et ce que chacun ouvre.",
    about_passes: "Chaque laissez-passer se paie une fois, sans renouvellement. Les laissez-passer de {}.",
    about_faq: "Des questions sur {}, et leurs réponses.",
    about_clip: "Un extrait de {}.",
    about_narrowed: "{} : en direct, à venir, résultats et enregistrements.",
};

impl Words {
    pub(super) fn of(language: &str) -> &'static Self {
        if language == "fr" { &FR } else { &EN }
    }

    pub(super) fn about_channel(&self, channel: &str) -> String {
        filled(self.about_channel, channel)
    }

    pub(super) fn about_schedule(&self, channel: &str) -> String {
        filled(self.about_schedule, channel)
    }

    pub(super) fn about_library(&self, channel: &str) -> String {
        filled(self.about_library, channel)
    }

    pub(super) fn about_packages(&self, channel: &str) -> String {
        filled(self.about_packages, channel)
    }

    pub(super) fn about_passes(&self, channel: &str) -> String {
        filled(self.about_passes, channel)
    }

    pub(super) fn about_faq(&self, channel: &str) -> String {
        filled(self.about_faq, channel)
    }

    /// Of the title of its event.
    pub(super) fn about_clip(&self, event: &str) -> String {
        filled(self.about_clip, event)
    }

    /// Of what the home page is narrowed to.
    pub(super) fn about_narrowed(&self, subject: &str) -> String {
        filled(self.about_narrowed, subject)
    }
}

/// The months as French browsers shorten them.
const MONTHS_FR: [&str; 12] =
    ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."];

impl Words {
    /// How long ago: `40 min ago`.
    pub(super) fn ago(&self, seconds: i64) -> String {
        let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
        let span = match (days, hours) {
            (0, 0) => format!("{} min", minutes.max(1)),
            (0, _) => format!("{hours} h {} min", minutes % 60),
            _ if self.is_french() => format!("{days} j"),
            _ => format!("{days} days"),
        };
        filled(self.ago, &span)
    }

    /// An amount of minor units as the language writes it, to within a blank.
    pub(super) fn money(&self, minor: i64, currency: &str) -> String {
        let sign = if matches!(currency, "USD" | "CAD") { "$" } else { currency };
        if self.is_french() {
            format!("{}\u{a0}{sign}", in_units(minor, currency, ','))
        } else {
            format!("{sign}{}", in_units(minor, currency, '.'))
        }
    }

    /// A day and an hour at their place, about as long as the site writes them.
    pub(super) fn date(&self, at_s: i64, time_zone: &str) -> String {
        at_place(at_s, time_zone)
            .strftime(if self.is_french() { "%d/%m, %H h %M" } else { "%A, %B %-d, %-I:%M %p" })
            .to_string()
    }

    /// A day at its place, as the site writes it: `Nov 21, 2026`.
    pub(super) fn day(&self, at_s: i64, time_zone: &str) -> String {
        let at = at_place(at_s, time_zone);
        if !self.is_french() {
            return at.strftime("%b %-d, %Y").to_string();
        }
        let month = usize::try_from(at.month() - 1).ok().and_then(|month| MONTHS_FR.get(month)).copied();
        format!("{} {} {}", at.day(), month.unwrap_or_default(), at.year())
    }

    /// "Women’s basketball" (`EVENT-5`).
    pub(super) fn kind(&self, sport: &str, gender: Option<&str>) -> String {
        let pattern = match gender {
            Some("male") => self.men,
            Some("female") => self.women,
            _ => return sport.to_owned(),
        };
        if sport.is_empty() {
            return String::new();
        }
        let text = pattern.replacen("{{sport}}", &sport.to_lowercase(), 1);
        let mut letters = text.chars();
        letters.next().map(|letter| letter.to_uppercase().chain(letters).collect()).unwrap_or_default()
    }

    fn is_french(&self) -> bool {
        std::ptr::eq(self, &FR)
    }
}

fn at_place(at_s: i64, time_zone: &str) -> jiff::Zoned {
    let zone = jiff::tz::TimeZone::get(time_zone).unwrap_or(jiff::tz::TimeZone::UTC);
    jiff::Timestamp::from_second(at_s).unwrap_or_default().to_zoned(zone)
}

fn filled(sentence: &str, name: &str) -> String {
    sentence.replacen("{}", name, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_titles_are_those_that_the_site_gives_its_pages() {
        macro_rules! texts {
            ($language:literal) => {
                concat!(
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/account.ts")),
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/pages.ts")),
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/purchase.ts")),
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/shell.ts")),
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/events.ts")),
                )
            };
        }
        for (words, texts) in [(&EN, texts!("en")), (&FR, texts!("fr"))] {
            let titles = [
                words.home,
                words.schedule,
                words.library,
                words.packages,
                words.passes,
                words.faq,
                words.login,
                words.register,
                words.profile,
                words.lost,
                words.live,
                words.started,
                words.finished,
                words.login_to_watch,
                words.register_to_watch,
                words.watch,
                words.watch_live,
                words.details,
                words.event_details,
                words.buy_for,
                words.men,
                words.women,
            ];
            for title in titles {
                assert!(texts.contains(&format!("\"{title}\"")), "{title}");
            }
        }
    }
}
