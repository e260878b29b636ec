//! Devices' names in emails, as the profile lists them (`web/src/screens/profile/deviceName.ts`).
//! `fixtures/contracts/device-names.json` tests both.

/// Browsers and their user agent tokens. Browsers that also contain another one's token come first.
const BROWSERS: [(&str, &[&str]); 6] = [
    ("Edge", &["Edg/", "EdgA/"]),
    ("Opera", &["OPR/"]),
    ("Samsung Internet", &["SamsungBrowser/"]),
    ("Firefox", &["Firefox/", "FxiOS/"]),
    ("Chrome", &["Chrome/", "Chromium/", "CriOS/"]),
    ("Safari", &["Safari/"]),
];
const SYSTEMS: [(&str, &[&str]); 8] = [
    ("iPhone", &["iPhone"]),
    ("iPad", &["iPad"]),
    ("Android TV", &[" TV", "; AFT"]),
    ("Android", &["Android"]),
    ("Windows", &["Windows"]),
    ("Mac", &["Macintosh", "Mac OS"]),
    ("ChromeOS", &["CrOS"]),
    ("Linux", &["Linux", "X11"]),
];

/// `Chrome, Android` for a browser's user agent. `None` for any other, which could be a message of its own.
pub(super) fn device_name(user_agent: &str) -> Option<String> {
    let first = |names: &[(&'static str, &[&str])]| {
        names.iter().find(|(_, tokens)| tokens.iter().any(|token| user_agent.contains(token))).map(|(name, _)| *name)
    };
    let names: Vec<_> = [first(&BROWSERS), first(&SYSTEMS)].into_iter().flatten().collect();
    if names.is_empty() { None } else { Some(names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::device_name;

    /// `AUTH-15`
    #[test]
    fn a_device_is_named_by_browser_and_system() {
        let contract: serde_json::Value =
            serde_json::from_str(include_str!("../../../../fixtures/contracts/device-names.json")).unwrap();
        let cases = contract["cases"].as_array().unwrap();
        assert!(cases.len() > 5);
        for case in cases {
            let user_agent = case["user_agent"].as_str().unwrap();
            assert_eq!(device_name(user_agent).as_deref(), case["name"].as_str(), "{user_agent}");
        }
        assert_eq!(device_name("Call +1 555 0100 to keep your account"), None);
    }
}
