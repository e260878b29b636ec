//! Texts of pages. A test compares the site's own titles and labels with these.

use touchline_protocol::isolated::isolated;
use touchline_protocol::money::in_units;

#[derive(Debug)]
pub(super) struct Texts {
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
    pub(super) live_now: &'static str,
    pub(super) all_live: &'static str,
    pub(super) upcoming: &'static str,
    pub(super) full_schedule: &'static str,
    pub(super) on_demand: &'static str,
    pub(super) all_on_demand: &'static str,
    pub(super) next_up: &'static str,
    pub(super) buy: &'static str,
    pub(super) free: &'static str,
    pub(super) register_short: &'static str,
    pub(super) all: &'static str,
    pub(super) search_title: &'static str,
    pub(super) filters: &'static str,
    pub(super) gender: &'static str,
    pub(super) sport: &'static str,
    pub(super) city: &'static str,
    pub(super) state: &'static str,
    pub(super) rows: &'static str,
    pub(super) cards: &'static str,
    pub(super) hide_scores: &'static str,
    pub(super) today: &'static str,
    pub(super) time: &'static str,
    pub(super) event: &'static str,
    pub(super) venue: &'static str,
    pub(super) starts: &'static str,
    pub(super) price: &'static str,
    ago: &'static str,
    just_now: &'static str,
    about_channel: &'static str,
    about_schedule: &'static str,
    about_library: &'static str,
    about_packages: &'static str,
    about_passes: &'static str,
    about_faq: &'static str,
    about_clip: &'static str,
    about_narrowed: &'static str,
    pub(super) needs_javascript: &'static str,
    pub(super) needs_newer_browser: &'static str,
    needs_origin: &'static str,
    watch_on: &'static str,
}

static EN: Texts = Texts {
    home: "Home",
    schedule: "Schedule",
    library: "Library",
    packages: "Packages",
    passes: "Passes",
    faq: "Questions and answers",
    login: "Log in",
    register: "Register",
    profile: "Your profile",
    lost: "Page not found",
    opening: "Loading",
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
    live_now: "Live now",
    all_live: "All live",
    upcoming: "Upcoming",
    full_schedule: "Full schedule",
    on_demand: "On demand",
    all_on_demand: "All on demand",
    next_up: "Next up",
    buy: "Buy",
    free: "Free",
    register_short: "Register",
    all: "All",
    search_title: "Search by title",
    filters: "Filters",
    gender: "Gender",
    sport: "Sport",
    city: "City",
    state: "State",
    rows: "List",
    cards: "Cards",
    hide_scores: "Hide scores",
    today: "Today",
    time: "Time",
    event: "Event",
    venue: "Venue",
    starts: "Starts",
    price: "Price",
    ago: "{} ago",
    just_now: "just now",
    about_channel: "{}: live events, recordings and videos.",
    about_schedule: "All events from {}: live, upcoming and on demand.",
    about_library: "Videos from {}, ready to watch any time.",
    about_packages: "Packages, passes and subscriptions from {}, and what each includes.",
    about_passes: "Passes from {}: one payment, no renewal.",
    about_faq: "Answers to common questions about watching {}.",
    about_clip: "A clip from {}.",
    about_narrowed: "{}: live and upcoming events, results and recordings.",
    needs_javascript: "This site needs JavaScript. Turn it on and reload the page.",
    needs_newer_browser: "This browser is too old for this site. Update it, or open the site in another one.",
    needs_origin: "The page that embeds this video prevents it from playing.",
    watch_on: "Watch on {}",
};

static FR: Texts = Texts {
    home: "Accueil",
    schedule: "Calendrier",
    library: "Vidéothèque",
    packages: "Forfaits",
    passes: "Laissez-passer",
    faq: "Questions et réponses",
    login: "Connexion",
    register: "S’inscrire",
    profile: "Votre profil",
    lost: "Page introuvable",
    opening: "Chargement",
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
    live_now: "En direct",
    all_live: "Tout le direct",
    upcoming: "À venir",
    full_schedule: "Calendrier complet",
    on_demand: "Sur demande",
    all_on_demand: "Tout sur demande",
    next_up: "Prochain match",
    buy: "Acheter",
    free: "Gratuit",
    register_short: "Inscription",
    all: "Tout",
    search_title: "Chercher par titre",
    filters: "Filtres",
    gender: "Genre",
    sport: "Sport",
    city: "Ville",
    state: "Province ou État",
    rows: "Liste",
    cards: "Cartes",
    hide_scores: "Masquer les scores",
    today: "Aujourd’hui",
    time: "Heure",
    event: "Match",
    venue: "Lieu",
    starts: "Début",
    price: "Prix",
    ago: "il y a {}",
    just_now: "à l’instant",
    about_channel: "{} : matchs en direct, reprises et vidéos.",
    about_schedule: "Tous les matchs de {} : en direct, à venir et sur demande.",
    about_library: "Les vidéos de {}, à regarder quand vous voulez.",
    about_packages: "Forfaits, laissez-passer et abonnements de {}, et ce que chacun comprend.",
    about_passes: "Les laissez-passer de {} : un seul paiement, sans renouvellement.",
    about_faq: "Les réponses aux questions courantes sur {}.",
    about_clip: "Un extrait de {}.",
    about_narrowed: "{} : matchs en direct et à venir, résultats et reprises.",
    needs_javascript: "Ce site a besoin de JavaScript. Activez-le, puis rechargez la page.",
    needs_newer_browser: "Ce navigateur est trop ancien pour ce site. Mettez-le à jour, ou ouvrez le site dans un autre.",
    needs_origin: "La page qui intègre cette vidéo en empêche la lecture.",
    watch_on: "Regarder sur {}",
};

impl Texts {
    pub(super) fn of(language: &str) -> &'static Self {
        if language == "fr" { &FR } else { &EN }
    }

    pub(super) fn about_channel(&self, channel: &str) -> String {
        format_text(self.about_channel, channel)
    }

    pub(super) fn about_schedule(&self, channel: &str) -> String {
        format_text(self.about_schedule, channel)
    }

    pub(super) fn about_library(&self, channel: &str) -> String {
        format_text(self.about_library, channel)
    }

    pub(super) fn about_packages(&self, channel: &str) -> String {
        format_text(self.about_packages, channel)
    }

    pub(super) fn about_passes(&self, channel: &str) -> String {
        format_text(self.about_passes, channel)
    }

    pub(super) fn about_faq(&self, channel: &str) -> String {
        format_text(self.about_faq, channel)
    }

    pub(super) fn about_clip(&self, event: &str) -> String {
        format_text(self.about_clip, event)
    }

    pub(super) fn about_narrowed(&self, subject: &str) -> String {
        format_text(self.about_narrowed, subject)
    }

    /// The sentence of a frame that its page denies an origin, and its link to the channel.
    pub(super) fn needs_origin(&self, channel: &str) -> [String; 2] {
        [self.needs_origin.to_owned(), format_text(self.watch_on, channel)]
    }
}

/// As abbreviated by French browsers.
const FRENCH_MONTHS: [&str; 12] =
    ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."];

impl Texts {
    /// An elapsed time, such as `40 min ago`, rounded as the site does.
    pub(super) fn ago(&self, seconds: i64) -> String {
        let minutes = (seconds + 30) / 60;
        let (hours, days) = ((minutes + 30) / 60, (minutes + 720) / 1440);
        let span = match minutes {
            _ if seconds < 60 => return self.just_now.to_owned(),
            ..60 => format!("{minutes} min"),
            60..600 if minutes % 60 == 0 => format!("{} h", minutes / 60),
            60..600 => format!("{} h {} min", minutes / 60, minutes % 60),
            600..2880 => format!("{hours} h"),
            _ if self.is_french() => format!("{days} jours"),
            _ => format!("{days} days"),
        };
        format_text(self.ago, &span)
    }

    /// Minor units as an amount in this language.
    pub(super) fn money(&self, minor: i64, currency: &str) -> String {
        let sign = if matches!(currency, "USD" | "CAD") { "$" } else { currency };
        if self.is_french() {
            format!("{}\u{a0}{sign}", in_units(minor, currency, ','))
        } else {
            format!("{sign}{}", in_units(minor, currency, '.'))
        }
    }

    pub(super) fn count(&self, value: usize) -> String {
        let digits = value.to_string();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                text.push(if self.is_french() { '\u{202f}' } else { ',' });
            }
            text.push(digit);
        }
        text
    }

    /// A local date and time, about as long as the site's.
    pub(super) fn date(&self, at_s: i64, time_zone: &str) -> String {
        local_time(at_s, time_zone)
            .strftime(if self.is_french() { "%d/%m, %H h %M" } else { "%A, %B %-d, %-I:%M %p" })
            .to_string()
    }

    /// A local day as the site writes it, such as `Nov 21, 2026`.
    pub(super) fn day(&self, at_s: i64, time_zone: &str) -> String {
        let at = local_time(at_s, time_zone);
        if !self.is_french() {
            return at.strftime("%b %-d, %Y").to_string();
        }
        let month = usize::try_from(at.month() - 1).ok().and_then(|month| FRENCH_MONTHS.get(month)).copied();
        format!("{} {} {}", at.day(), month.unwrap_or_default(), at.year())
    }

    /// A local time of day as the site writes it, such as `7:00 PM`.
    pub(super) fn time_of_day(&self, at_s: i64, time_zone: &str) -> String {
        local_time(at_s, time_zone).strftime(if self.is_french() { "%-H:%M" } else { "%-I:%M %p" }).to_string()
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
        let mut rest = text.chars();
        rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
    }

    fn is_french(&self) -> bool {
        std::ptr::eq(self, &FR)
    }
}

pub(super) fn local_time(at_s: i64, time_zone: &str) -> jiff::Zoned {
    let zone = jiff::tz::TimeZone::get(time_zone).unwrap_or(jiff::tz::TimeZone::UTC);
    jiff::Timestamp::from_second(at_s).unwrap_or_default().to_zoned(zone)
}

fn format_text(sentence: &str, name: &str) -> String {
    sentence.replacen("{}", &isolated(name), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same cases as in `web/src/i18n/format.test.ts`.
    #[test]
    fn elapsed_times_are_rounded_as_on_the_site() {
        for (seconds, english, french) in [
            (59, "just now", "à l’instant"),
            (60, "1 min ago", "il y a 1 min"),
            (90, "2 min ago", "il y a 2 min"),
            (3_600, "1 h ago", "il y a 1 h"),
            (134 * 60, "2 h 14 min ago", "il y a 2 h 14 min"),
            (19 * 3_600 + 1_800, "20 h ago", "il y a 20 h"),
            (72 * 3_600, "3 days ago", "il y a 3 jours"),
        ] {
            assert_eq!((EN.ago(seconds).as_str(), FR.ago(seconds).as_str()), (english, french), "{seconds}");
        }
    }

    #[test]
    fn the_titles_match_those_of_the_site() {
        macro_rules! texts {
            ($language:literal) => {
                concat!(
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/account.ts")),
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/pages.ts")),
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/purchase.ts")),
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/shell.ts")),
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/events.ts")),
                    include_str!(concat!("../../../../web/src/i18n/", $language, "/find.ts")),
                )
            };
        }
        for (texts, source) in [(&EN, texts!("en")), (&FR, texts!("fr"))] {
            let titles = [
                texts.home,
                texts.schedule,
                texts.library,
                texts.packages,
                texts.passes,
                texts.faq,
                texts.login,
                texts.register,
                texts.profile,
                texts.lost,
                texts.live,
                texts.started,
                texts.finished,
                texts.login_to_watch,
                texts.register_to_watch,
                texts.watch,
                texts.watch_live,
                texts.details,
                texts.event_details,
                texts.buy_for,
                texts.men,
                texts.women,
                texts.live_now,
                texts.all_live,
                texts.upcoming,
                texts.full_schedule,
                texts.on_demand,
                texts.all_on_demand,
                texts.next_up,
                texts.buy,
                texts.free,
                texts.register_short,
                texts.all,
                texts.search_title,
                texts.filters,
                texts.gender,
                texts.sport,
                texts.city,
                texts.state,
                texts.rows,
                texts.cards,
                texts.hide_scores,
                texts.today,
                texts.time,
                texts.event,
                texts.venue,
                texts.starts,
                texts.price,
            ];
            for title in titles {
                assert!(source.contains(&format!("\"{title}\"")), "{title}");
            }
        }
    }
}
