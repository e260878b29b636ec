//! The settings as given, with their source: flags override variables, variables override the file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::settings::{Kind, PREFIX, SETTINGS, Setting};

/// An error for the operator, in one line, reported before the worker listens.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ConfigError(pub(crate) String);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Flag,
    Variable,
    File(PathBuf),
}

#[derive(Debug)]
struct RawValue {
    source: Source,
    values: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Layers {
    values: BTreeMap<&'static str, RawValue>,
    /// Variables that Kubernetes sets for a service, which are ignored.
    pub(super) of_kubernetes: Vec<String>,
}

/// The file read if no other is given.
const DEFAULT_FILE: &str = "touchline.toml";

/// Variables with our prefix that are not settings: one of the browser journeys, and the one for `--config`.
const NOT_SETTINGS: &[&str] = &["TOUCHLINE_BIN", "TOUCHLINE_CONFIG"];

impl Layers {
    pub(crate) fn collect(
        flags: &ArgMatches,
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Self, ConfigError> {
        let variables: BTreeMap<_, _> = variables
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            // A container's environment leaves a setting out by an empty value.
            .filter(|(name, value)| name.starts_with(PREFIX) && !value.is_empty())
            .collect();
        let mut layers = Self::default();
        let named = flags.get_one::<PathBuf>("config").cloned();
        match named.or_else(|| variables.get("TOUCHLINE_CONFIG").map(PathBuf::from)) {
            Some(file) => layers.add_file(&file)?,
            None if Path::new(DEFAULT_FILE).exists() => layers.add_file(Path::new(DEFAULT_FILE))?,
            None => {}
        }
        layers.add_variables(variables)?;
        layers.add_flags(flags);
        Ok(layers)
    }

    fn add_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let fault = |fault: String| ConfigError(format!("{}: {fault}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            fault(format!("line {line}: {}", error.message().replace('\n', " ")))
        })?;
        self.add_table("", table, path)
    }

    fn add_table(&mut self, prefix: &str, table: toml::Table, path: &Path) -> Result<(), ConfigError> {
        for (name, value) in table {
            let key = format!("{prefix}{name}");
            let fault = |fault: &str| ConfigError(format!("{}: {key}: {fault}", path.display()));
            let Some(setting) = Setting::of(&key) else {
                match value {
                    toml::Value::Table(inner) => self.add_table(&format!("{key}."), inner, path)?,
                    _ => return Err(fault(&unknown(&key, |setting| setting.key.to_owned()))),
                }
                continue;
            };
            let values = match (value, setting.kind) {
                (toml::Value::Array(values), Kind::Many) => values
                    .into_iter()
                    .map(scalar)
                    .collect::<Option<Vec<_>>>()
                    .ok_or_else(|| fault("not a list of strings"))?,
                (value, _) => vec![scalar(value).ok_or_else(|| fault("not a string, number, true or false"))?],
            };
            self.values.insert(setting.key, RawValue { source: Source::File(path.to_owned()), values });
        }
        Ok(())
    }

    fn add_variables(&mut self, variables: BTreeMap<String, OsString>) -> Result<(), ConfigError> {
        for (name, value) in variables {
            let Some(setting) = SETTINGS.iter().find(|setting| setting.variable() == name) else {
                if is_of_kubernetes(&name) {
                    self.of_kubernetes.push(name);
                    continue;
                }
                // Another program's variable is ignored; a misspelled setting is an error.
                if !NOT_SETTINGS.contains(&name.as_str()) && nearest(&name, Setting::variable).is_some() {
                    return Err(ConfigError(format!("{name}: {}", unknown(&name, Setting::variable))));
                }
                continue;
            };
            let value = value.into_string().map_err(|_| ConfigError(format!("{name}: not UTF-8")))?;
            self.values.insert(setting.key, RawValue { source: Source::Variable, values: split(setting, value) });
        }
        Ok(())
    }

    fn add_flags(&mut self, flags: &ArgMatches) {
        for setting in SETTINGS {
            let is_set = flags.try_contains_id(setting.key).unwrap_or(false)
                && flags.value_source(setting.key) == Some(ValueSource::CommandLine);
            if is_set {
                let values = flags.get_many::<String>(setting.key).into_iter().flatten();
                let values = values.flat_map(|value| split(setting, value.clone())).collect();
                self.values.insert(setting.key, RawValue { source: Source::Flag, values });
            }
        }
    }

    pub(crate) fn one<T>(
        &self,
        key: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        Ok(self.many(key, read)?.and_then(|mut values| values.pop()))
    }

    pub(crate) fn many<T>(
        &self,
        key: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<Vec<T>>, ConfigError> {
        let Some(raw) = self.values.get(key) else { return Ok(None) };
        let values =
            raw.values.iter().map(|value| read(value).map_err(|expected| self.fault(key, Some(value), &expected)));
        values.collect::<Result<_, _>>().map(Some)
    }

    /// An error about `key`, named as the operator gave it.
    pub(crate) fn fault(&self, key: &'static str, value: Option<&str>, expected: &str) -> ConfigError {
        let setting = Setting::of(key);
        let name = match (self.values.get(key).map(|raw| &raw.source), setting) {
            (Some(Source::Flag), Some(setting)) => format!("--{}", setting.flag()),
            (Some(Source::Variable), Some(setting)) => setting.variable(),
            (Some(Source::File(path)), _) => format!("{}: {key}", path.display()),
            _ => key.to_owned(),
        };
        let secret = setting.is_some_and(|setting| setting.kind == Kind::Secret);
        match value.filter(|_| !secret) {
            Some(value) => ConfigError(format!("{name}: {value:?}: {expected}")),
            None => ConfigError(format!("{name}: {expected}")),
        }
    }
}

/// Whether Kubernetes sets a variable of this name for a service called `touchline` or `touchline-…`: `…_SERVICE_HOST`,
/// `…_SERVICE_PORT`, `…_SERVICE_PORT_NAME`, `…_PORT`, `…_PORT_8080_TCP`, `…_PORT_8080_TCP_ADDR`.
fn is_of_kubernetes(name: &str) -> bool {
    let of_port = |rest: &str| {
        let (number, rest) = rest.split_once('_').unwrap_or_default();
        let (protocol, field) = rest.split_once('_').unwrap_or((rest, "ADDR"));
        number.parse::<u16>().is_ok()
            && matches!(protocol, "TCP" | "UDP" | "SCTP")
            && matches!(field, "PROTO" | "PORT" | "ADDR")
    };
    name.ends_with("_SERVICE_HOST")
        || name.ends_with("_PORT")
        || name.contains("_SERVICE_PORT_")
        || name.split_once("_PORT_").is_some_and(|(_, rest)| of_port(rest))
}

fn split(setting: &Setting, value: String) -> Vec<String> {
    match setting.kind {
        Kind::Many => value.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect(),
        Kind::One | Kind::Secret | Kind::Switch => vec![value],
    }
}

fn scalar(value: toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        toml::Value::Boolean(switch) => Some(switch.to_string()),
        toml::Value::Datetime(_) | toml::Value::Array(_) | toml::Value::Table(_) => None,
    }
}

fn nearest(input: &str, name: impl Fn(&Setting) -> String) -> Option<String> {
    let close = |setting| (strsim::damerau_levenshtein(input, &name(setting)), name(setting));
    SETTINGS.iter().map(close).min().filter(|(distance, _)| *distance <= 3).map(|(_, name)| name)
}

fn unknown(input: &str, name: impl Fn(&Setting) -> String) -> String {
    match nearest(input, name) {
        Some(near) => format!("no such setting; did you mean {near}?"),
        None => "no such setting".to_owned(),
    }
}
