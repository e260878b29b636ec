use std::ffi::OsString;

use super::*;
use crate::cli;

fn load(flags: &[&str], variables: &[(&str, &str)], file: Option<&str>) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("touchline.toml");
    // An empty file by default, so that no test reads one from the working directory.
    std::fs::write(&path, file.unwrap_or_default()).unwrap();
    let mut line = vec!["touchline", "serve", "--config", path.to_str().unwrap()];
    line.extend(flags);
    let matches = cli::command().try_get_matches_from(line).map_err(|error| cli::one_line(&error))?;
    let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let (_, serve) = matches.subcommand().unwrap();
    Config::load(serve, variables).map_err(|error| error.to_string().replace(path.to_str().unwrap(), "FILE"))
}

#[test]
fn without_settings_the_demo_is_served_on_port_8080() {
    let config = load(&[], &[], None).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.admin_listen.to_string(), "127.0.0.1:0");
    assert_eq!((config.data.to_str(), config.channels), (Some("data"), None));
    assert_eq!(config.datalake.sinks[0].to_string(), "lake:data/lake");
    assert_eq!(config.mail, Mail::Folder("data/mail".into()));
    assert!(!config.analytics_allow_localhost);
}

#[test]
fn flags_override_variables_and_variables_override_the_file() {
    let file = Some("listen = \"127.0.0.1:1\"\n[analytics]\nallow_localhost = true\n");
    let variable = ("TOUCHLINE_LISTEN", "127.0.0.1:2");
    let listen = |config: Config| config.listen.port();
    assert_eq!(load(&[], &[], file).map(listen), Ok(1));
    assert_eq!(load(&[], &[variable], file).map(listen), Ok(2));
    assert_eq!(load(&["--listen", "127.0.0.1:3"], &[variable], file).map(listen), Ok(3));

    let allowed = |config: Config| config.analytics_allow_localhost;
    assert_eq!(load(&[], &[], file).map(allowed), Ok(true));
    assert_eq!(load(&[], &[("TOUCHLINE_ANALYTICS_ALLOW_LOCALHOST", "false")], file).map(allowed), Ok(false));
    assert_eq!(load(&["--analytics-allow-localhost"], &[], None).map(allowed), Ok(true));
    assert_eq!(load(&["--analytics-allow-localhost", "true"], &[], None).map(allowed), Ok(true));
    assert_eq!(load(&["--analytics-allow-localhost=false"], &[], file).map(allowed), Ok(false));
}

#[test]
fn lists_are_arrays_in_the_file_and_comma_separated_elsewhere() {
    let sinks = |config: Config| config.datalake.sinks.iter().map(ToString::to_string).collect::<Vec<_>>();
    let wanted = Ok(vec!["lake:/a".to_owned(), "http:https://b.example/".to_owned()]);
    let file = "[datalake]\nsinks = [\"lake:/a\", \"http:https://b.example/\"]";
    assert_eq!(load(&[], &[], Some(file)).map(sinks), wanted);
    assert_eq!(load(&["--datalake-sinks", "lake:/a,http:https://b.example/"], &[], None).map(sinks), wanted);
    let twice = ["--datalake-sinks", "lake:/a", "--datalake-sinks", "http:https://b.example/"];
    assert_eq!(load(&twice, &[], None).map(sinks), wanted);
}

#[test]
fn an_invalid_value_is_quoted_in_its_error() {
    for (key, flag, value) in [
        ("listen", "--listen", "banana"),
        ("admin_listen", "--admin-listen", "1.2.3.4"),
        ("data", "--data", " "),
        ("origin", "--origin", "api.example"),
        ("media", "--media", "gs://bucket"),
        ("payments", "--payments", "cash"),
        ("store_connections", "--store-connections", "3"),
        ("datalake.sinks", "--datalake-sinks", "disk:/x"),
        ("datalake.close_age_s", "--datalake-close-age-s", "0"),
        ("sandbox.delay_ms", "--sandbox-delay-ms", "-1"),
        ("oauth.google.base_url", "--oauth-google-base-url", "google"),
        ("geo.country_header", "--geo-country-header", "a b"),
        ("trusted_proxies", "--trusted-proxies", "10.0.0.0/99"),
        ("limits.connections", "--limits-connections", "none"),
        ("node", "--node", "a-b"),
        ("analytics.allow_localhost", "--analytics-allow-localhost", "maybe"),
        ("clock_offset", "--clock-offset", "1h"),
        ("log", "--log", "a=b=c"),
        ("log_format", "--log-format", "xml"),
    ] {
        let variable = Setting::of(key).unwrap().variable();
        for (result, name) in [
            (load(&[&format!("{flag}={value}")], &[], None), flag.to_owned()),
            (load(&[], &[(&variable, value)], None), variable.clone()),
            (load(&[], &[], Some(&format!("{key} = {value:?}"))), format!("FILE: {key}")),
        ] {
            let fault = result.expect_err(&name);
            assert!(fault.starts_with(&format!("{name}: {value:?}: ")), "{fault}");
            assert!(!fault.contains('\n'), "{fault}");
        }
    }
}

#[test]
fn secrets_are_never_repeated_in_errors() {
    let fault = load(&["--mail", "smtp:/ann:hunter2@"], &[], None).map(|_| ()).err();
    assert_eq!(fault, None, "a folder may have an unusual name");
    let fault = load(&["--store", "mysql://ann:hunter2@db.example/x"], &[], None).unwrap_err();
    assert!(
        fault.starts_with("--store: must be `sqlite` or a postgres:// URL") && !fault.contains("hunter2"),
        "{fault}"
    );
    let fault = load(&[], &[("TOUCHLINE_DATALAKE_SINK_SECRET", "hunter2")], None).unwrap_err();
    assert_eq!(fault, "TOUCHLINE_DATALAKE_SINK_SECRET: needs at least 24 characters");
    let fault = load(&["--mail", "imap://ann:hunter2@mail.example"], &[], None).unwrap_err();
    assert!(fault.starts_with("--mail: ") && !fault.contains("hunter2"), "{fault}");
}

#[test]
fn an_unknown_setting_is_refused_with_a_suggestion() {
    let fault = load(&[], &[], Some("listn = \"127.0.0.1:1\"")).unwrap_err();
    assert_eq!(fault, "FILE: listn: no such setting; did you mean listen?");
    let fault = load(&[], &[], Some("[limits]\nbananas = 1")).unwrap_err();
    assert_eq!(fault, "FILE: limits.bananas: no such setting");
    let fault = load(&[], &[("TOUCHLINE_LISTN", "127.0.0.1:1")], None).unwrap_err();
    assert_eq!(fault, "TOUCHLINE_LISTN: no such setting; did you mean TOUCHLINE_LISTEN?");
    let fault = load(&["--listn", "127.0.0.1:1"], &[], None).unwrap_err();
    assert!(fault.contains("--listn") && fault.contains("--listen") && !fault.contains('\n'), "{fault}");
    assert!(load(&[], &[("TOUCHLINE_BIN", "/usr/bin/touchline")], None).is_ok(), "a variable of the end-to-end tests");
}

/// `OPS-2`.
#[test]
fn an_empty_variable_leaves_every_setting_unset() {
    let unset = format!("{:?}", load(&[], &[], None).unwrap());
    for setting in SETTINGS {
        let variable = setting.variable();
        let empty = load(&[], &[(&variable, "")], None).map(|config| format!("{config:?}"));
        assert_eq!(empty.as_ref(), Ok(&unset), "{variable}");
    }
    assert!(load(&[], &[("TOUCHLINE_CONFIG", "")], None).is_ok());
    let file = Some("listen = \"127.0.0.1:1\"");
    assert_eq!(load(&[], &[("TOUCHLINE_LISTEN", "")], file).map(|config| config.listen.port()), Ok(1));
}

/// `OPS-2`.
#[test]
fn the_variables_of_a_kubernetes_service_are_ignored_with_one_note() {
    for service in ["TOUCHLINE", "TOUCHLINE_ADMIN", "TOUCHLINE_LISTEN"] {
        let variables = [
            ("PORT", "tcp://10.96.0.7:8080"),
            ("SERVICE_HOST", "10.96.0.7"),
            ("SERVICE_PORT", "8080"),
            ("SERVICE_PORT_HTTP", "8080"),
            ("PORT_8080_TCP", "tcp://10.96.0.7:8080"),
            ("PORT_8080_TCP_PROTO", "tcp"),
            ("PORT_8080_TCP_PORT", "8080"),
            ("PORT_8080_TCP_ADDR", "10.96.0.7"),
            ("PORT_53_UDP", "udp://10.96.0.7:53"),
        ]
        .map(|(name, value)| (format!("{service}_{name}"), value));
        let config = load(&[], &variables.each_ref().map(|(name, value)| (name.as_str(), *value)), None).unwrap();
        let advice = config.advice(&[]);
        let notes: Vec<_> = advice.iter().filter(|note| note.contains("Kubernetes")).collect();
        assert_eq!(notes.len(), 1, "{advice:?}");
        assert!(notes[0].starts_with(&format!("{service}_PORT and 8 similar variables are ignored")), "{notes:?}");
    }
    let fault = load(&[], &[("TOUCHLINE_LISTN", "tcp://10.96.0.7:8080")], None).unwrap_err();
    assert!(fault.contains("no such setting"), "{fault}");
    assert!(SETTINGS.iter().all(|setting| !setting.variable().ends_with("_PORT")), "a setting looks like Kubernetes's");
}

/// `OPS-9`.
#[test]
fn a_sink_secret_without_an_http_sink_is_pointed_out() {
    let secret = [("TOUCHLINE_DATALAKE_SINK_SECRET", "abcdefghijklmnopqrstuvwx")];
    let is_noted = |sink: &str| {
        let config = load(&["--channels", ".", "--datalake-sinks", sink], &secret, None).unwrap();
        config.advice(&[]).iter().any(|note| note.contains("sink_secret"))
    };
    assert_eq!([is_noted("lake:/lake"), is_noted("http:https://lake.example/batch")], [true, false]);
}

#[test]
fn an_address_is_numeric_a_name_or_only_a_port() {
    let listen = |text| load(&["--listen", text], &[], None).map(|config| config.listen.to_string());
    assert_eq!(listen("localhost:8080"), Ok("127.0.0.1:8080".to_owned()));
    assert_eq!(listen(":8080"), Ok("0.0.0.0:8080".to_owned()));
    assert_eq!(listen("[::1]:8080"), Ok("[::1]:8080".to_owned()));
    for invalid in [":", "localhost", "8080", ":99999"] {
        assert!(listen(invalid).unwrap_err().contains("such as 127.0.0.1:8080, localhost:8080 or :8080"), "{invalid}");
    }
}

#[test]
fn an_invalid_file_is_reported_with_the_line() {
    let fault = load(&[], &[], Some("listen = \"127.0.0.1:1\"\nthis is not toml\n")).unwrap_err();
    assert!(fault.starts_with("FILE: line 2: ") && !fault.contains('\n'), "{fault}");
}

#[test]
fn dependent_settings_require_each_other() {
    let fault = load(&["--tls-cert", "/x.pem"], &[], None).unwrap_err();
    assert_eq!(fault, "--tls-cert: needs tls.key");
    let fault = load(&["--oauth-google-client-secret", "hush"], &[], None).unwrap_err();
    assert_eq!(fault, "--oauth-google-client-secret: needs oauth.google.client_id");
}

#[test]
fn stripe_keys_must_have_the_right_kind_and_the_same_mode() {
    let keys = |secret: &str, publishable: &str, webhook: &str| {
        let flags = [
            ("--payments", "stripe"),
            ("--stripe-secret-key", secret),
            ("--stripe-publishable-key", publishable),
            ("--stripe-webhook-secret", webhook),
        ];
        let present = flags.into_iter().filter(|(_, key)| !key.is_empty());
        let flags: Vec<&str> = present.flat_map(|(flag, key)| [flag, key]).collect();
        load(&flags, &[], None).map(|config| config.stripe.is_some())
    };
    assert_eq!(keys("sk_test_1234", "pk_test_1234", "whsec_1234"), Ok(true));
    assert_eq!(keys("rk_live_1234", "pk_live_1234", "whsec_1234"), Ok(true));
    let fault = |secret, publishable, webhook| keys(secret, publishable, webhook).unwrap_err();
    for (fault, expected) in [
        (fault("pk_test_1234", "pk_test_1234", "whsec_1234"), "--stripe-secret-key"),
        (fault("sk_test_1234", "sk_test_1234", "whsec_1234"), "--stripe-publishable-key"),
        (fault("sk_test_1234", "pk_live_1234", "whsec_1234"), "not of the same mode"),
        (fault("sk_best_1234", "pk_test_1234", "whsec_1234"), "not a key for test or live mode"),
        (fault("sk_test_1234", "pk_test_1234", "sk_test_1234"), "--stripe-webhook-secret"),
        (fault("sk_test_1234", "pk_test_1234", ""), "needs stripe.webhook_secret"),
        (load(&["--stripe-base-url", "http://localhost"], &[], None).map(drop).unwrap_err(), "needs payments = stripe"),
    ] {
        assert!(fault.contains(expected) && !fault.contains('\n'), "{fault}");
        assert!(!fault.contains("1234"), "the message contains the swapped key: {fault}");
    }
}
