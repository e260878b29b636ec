//! The paths of the site's pages (`ROUTE`); any other path gets the shell with status 404.

/// The site's pages; a segment `#` is a positive integer, `*` is anything. A test compares them with
/// `web/src/navigation/routes.ts`.
pub(crate) const PAGES: &[&str] = &[
    "/",
    "/login",
    "/registration",
    "/auth/login/*/callback",
    "/verify-notice",
    "/verify-email",
    "/device",
    "/password-reset-request",
    "/password-reset",
    "/confirm-account-deletion",
    "/search",
    "/packages",
    "/passes",
    "/vod_library",
    "/vod_library/#",
    "/about",
    "/contacts",
    "/faq",
    "/simulate",
    "/buy",
    "/select-package/#",
    "/watch/#",
    "/watch_embed/#",
    "/watch_library/#",
    "/share/#/*",
    "/upcoming",
    "/vod",
    "/live",
    "/schedule",
    "/profile",
    "/profile/transactions",
    "/profile/receipts/#",
    "/profile/clips",
    "/profile/favourites",
    "/profile/sessions/add",
    "/profile/edit",
    "/privacy_policy",
    "/terms_conditions",
];

/// Whether `path` is a page of the site or a content page of the channel. A trailing slash makes no difference.
pub(crate) fn is_page<'a>(path: &str, content_pages: impl IntoIterator<Item = &'a str>) -> bool {
    PAGES.iter().copied().any(|page| fits(page, path)) || content_pages.into_iter().any(|page| fits_exactly(page, path))
}

/// First segments that are never pages: calls, and built files, which an outdated page may still request.
const RESERVED: [&str; 10] = ["api", "assets", "datalake", "demo", "docs", "icons", "keys", "media", "storage", "sync"];

/// Whether an unknown path gets an error instead of the 404 page.
pub(crate) fn is_reserved(path: &str) -> bool {
    segments(path).next().is_some_and(|first| RESERVED.contains(&first))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject<'a> {
    Event(i64),
    Video(i64),
    Package(i64),
    /// The owner's page of a clip.
    Clip(i64),
    /// By the id and uuid in its link.
    SharedClip {
        id: i64,
        uuid: &'a str,
    },
}

/// The subject of the page at a path; `None` if it is the same for everyone or private.
pub(crate) fn subject_of(path: &str) -> Option<Subject<'_>> {
    let mut remaining = segments(path);
    let (name, number, rest, end) = (remaining.next()?, remaining.next()?, remaining.next(), remaining.next());
    let id = number.parse().ok().filter(|_| segment_fits("#", number))?;
    match (name, rest, end) {
        ("watch" | "watch_embed", None, None) => Some(Subject::Event(id)),
        ("vod_library", None, None) => Some(Subject::Video(id)),
        ("select-package", None, None) => Some(Subject::Package(id)),
        ("watch_library", None, None) => Some(Subject::Clip(id)),
        ("share", Some(uuid), None) => Some(Subject::SharedClip { id, uuid }),
        _ => None,
    }
}

/// The filter of the home page, as its address has it: an alias, an id or, except for a division, a name (`NAV-8`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Narrowing {
    School(String),
    Team(String),
    Division(String),
    Sport(String),
}

/// The filter in a query. School comes before team, division and sport, as in `web/src/screens/home/Narrowed.tsx`; a
/// division is more specific than its sport.
pub(crate) fn narrowing_of(path: &str, query: Option<&str>) -> Option<Narrowing> {
    if segments(path).next().is_some() {
        return None;
    }
    let first = |key: &str| {
        let mut pairs = url::form_urlencoded::parse(query?.as_bytes());
        let value = pairs.find(|(name, _)| name == key)?.1;
        (!value.is_empty()).then(|| value.into_owned())
    };
    let school = first("group").or_else(|| first("school")).map(Narrowing::School);
    let team = || first("participant").or_else(|| first("team")).map(Narrowing::Team);
    let division = || first("division").map(Narrowing::Division);
    school.or_else(team).or_else(division).or_else(|| first("sport").map(Narrowing::Sport))
}

/// Parameters that do not filter a list.
const NOT_NARROWING: [&str; 2] = ["lang", "channel"];

/// Whether a path is a list that its query filters, for example by day, sport or title.
pub(crate) fn is_narrowed_list(path: &str, query: Option<&str>) -> bool {
    let is_list = matches!(segments(path).next(), Some("upcoming" | "schedule" | "live" | "vod" | "vod_library"));
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    is_list
        && segments(path).nth(1).is_none()
        && pairs.any(|(name, value)| {
            let name = name.as_ref();
            !value.is_empty() && !name.starts_with("utm_") && !NOT_NARROWING.contains(&name)
        })
}

/// Whether a path is the replayer's while the channel does not offer it and the query lacks `qa` (`ROUTE-8`), as in
/// `web/src/simulate/Simulate.tsx`.
pub(crate) fn is_closed_replayer(path: &str, query: Option<&str>, is_offered: bool) -> bool {
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    fits("/simulate", path) && !is_offered && !pairs.any(|(name, _)| name == "qa")
}

/// Whether other sites may frame the page.
pub(crate) fn is_embeddable(path: &str) -> bool {
    fits("/watch_embed/#", path)
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

fn fits(page: &str, path: &str) -> bool {
    let mut remaining = segments(path);
    let all = segments(page).all(|expected| remaining.next().is_some_and(|segment| segment_fits(expected, segment)));
    all && remaining.next().is_none()
}

fn segment_fits(expected: &str, segment: &str) -> bool {
    match expected {
        "*" => true,
        "#" => segment.len() <= 15 && !segment.starts_with('0') && segment.bytes().all(|byte| byte.is_ascii_digit()),
        exact => exact == segment,
    }
}

/// A content page's path is the operator's text, so nothing in it is a wildcard.
fn fits_exactly(page: &str, path: &str) -> bool {
    let decoded = |path: &str| segments(path).map(percent_decoded).collect::<Vec<_>>();
    decoded(page) == decoded(path)
}

fn percent_decoded(segment: &str) -> String {
    percent_encoding::percent_decode_str(segment).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_paths_match_with_ids_and_wildcards() {
        for page in
            ["/", "/login", "/login/", "/watch/12", "/share/7/3f2a", "/live", "/profile/sessions/add", "/vod_library/9"]
        {
            assert!(is_page(page, []), "{page}");
        }
        for unknown in
            ["/watch", "/watch/abc", "/watch/0", "/watch/-1", "/watch/1/2", "/share/7", "/404", "/wp-admin", "/logins"]
        {
            assert!(!is_page(unknown, []), "{unknown}");
        }
    }

    #[test]
    fn a_content_page_matches_only_its_exact_path() {
        let pages = ["/partners", "/club/à-propos", "/odd/*"];
        assert!(is_page("/partners/", pages));
        assert!(is_page("/club/%C3%A0-propos", pages));
        assert!(!is_page("/odd/anything", pages));
        assert!(!is_page("/partners/x", pages));
    }

    #[test]
    fn the_home_page_is_filtered_by_the_first_nonempty_key() {
        let of = |query| narrowing_of("/", Some(query));
        assert_eq!(of("sport=hockey&team=7"), Some(Narrowing::Team("7".into())));
        assert_eq!(of("group=&school=lakes%20ide&participant=7"), Some(Narrowing::School("lakes ide".into())));
        assert_eq!(of("sport=hockey&division=22"), Some(Narrowing::Division("22".into())));
        assert_eq!(of("sport=hockey"), Some(Narrowing::Sport("hockey".into())));
        assert_eq!((of("sport=&trk=a"), narrowing_of("/", None)), (None, None));
        assert_eq!(narrowing_of("/upcoming", Some("sport=hockey")), None);
    }

    #[test]
    fn tracking_parameters_do_not_filter_a_list() {
        for (path, query) in
            [("/upcoming", "sport=hockey"), ("/schedule/", "date=2026-11-21"), ("/vod_library", "title=a")]
        {
            assert!(is_narrowed_list(path, Some(query)), "{path}?{query}");
        }
        for (path, query) in
            [("/upcoming", "lang=fr&utm_source=x&sport="), ("/", "sport=hockey"), ("/vod_library/1", "a=b")]
        {
            assert!(!is_narrowed_list(path, Some(query)), "{path}?{query}");
        }
        assert!(!is_narrowed_list("/live", None));
    }

    /// `ROUTE-8`.
    #[test]
    fn the_replayer_is_a_page_only_where_offered_or_requested() {
        assert!(is_closed_replayer("/simulate", None, false) && is_closed_replayer("/simulate/", Some("a=qa"), false));
        assert!(!is_closed_replayer("/simulate", Some("qa"), false) && !is_closed_replayer("/simulate", None, true));
        assert!(!is_closed_replayer("/", None, false));
    }

    #[test]
    fn reserved_paths_are_not_pages() {
        assert!(is_reserved("/api/nothing") && is_reserved("/media") && is_reserved("//api/x"));
        assert!(!is_reserved("/apiary") && !is_reserved("/") && !is_reserved("/watch/api"));
    }

    #[test]
    fn a_page_about_one_thing_has_a_subject() {
        for (path, subject) in [
            ("/watch/12", Some(Subject::Event(12))),
            ("/watch_embed/12/", Some(Subject::Event(12))),
            ("/vod_library/3", Some(Subject::Video(3))),
            ("/select-package/4", Some(Subject::Package(4))),
            ("/watch_library/5", Some(Subject::Clip(5))),
            ("/share/7/3f2a", Some(Subject::SharedClip { id: 7, uuid: "3f2a" })),
        ] {
            assert_eq!(subject_of(path), subject, "{path}");
        }
        for path in ["/", "/watch", "/watch/0", "/watch/+1", "/watch/1/2", "/share/7", "/watch_library", "/live"] {
            assert_eq!(subject_of(path), None, "{path}");
        }
    }

    #[test]
    fn only_the_embedded_player_may_be_framed() {
        assert!(is_embeddable("/watch_embed/12"));
        assert!(!is_embeddable("/watch/12"));
    }
}
