//! Devices' names in emails, as the profile lists them (`web/src/screens/profile/deviceName.ts`).

/// Browsers and their user agent tokens. Browsers that also contain another one's token come first.
const BROWSERS: [(&str, &[&str]); 6] = [
    ("Edge", &["Edg/", "EdgA/"]),
    ("Opera", &["OPR/"]),
    ("Samsung Internet", &["SamsungBrowser/"]),
    ("Firefox", &["Firefox/", "FxiOS/"]),
    ("Chrome", &["Chrome/", "Chromium/", "CriOS/"]),
    ("Safari", &["Safari/"]),
];
const SYSTEMS: [(&str, &[&str]); 7] = [
    ("iPhone", &["iPhone"]),
    ("iPad", &["iPad"]),
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

    #[test]
    fn a_device_is_named_by_browser_and_system() {
        let phone =
            "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";
        assert_eq!(device_name(phone).as_deref(), Some("Chrome, Android"));
        let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15";
        assert_eq!(device_name(mac).as_deref(), Some("Safari, Mac"));
        assert_eq!(device_name("Call +1 555 0100 to keep your account"), None);
    }
}
