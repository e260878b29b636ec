use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};

use crate::config::{Kind, SETTINGS, Setting};

mod money;
mod submissions;

pub(crate) fn command() -> Command {
    let folder = ["data"];
    let records = ["data", "store", "origin"];
    Command::new("touchline")
        .version(env!("BUILD_NAME"))
        .about("White-label video streaming and sales for sports and events channels.")
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .subcommand(serve())
        .subcommand(check())
        .subcommand(verb("openapi", "Prints the OpenAPI document"))
        .subcommand(
            group("datalake", "The state of the analytics pipeline")
                .subcommand(json(with(
                    &folder,
                    verb("status", "Counts of accepted, queued, shipped and dead events by sink and table"),
                )))
                .subcommand(
                    letters(json(with(&folder, verb("dead-letters", "Events that a sink rejected permanently")))).arg(
                        Arg::new("limit")
                            .long("limit")
                            .value_parser(value_parser!(u32).range(1..=1000))
                            .default_value("50"),
                    ),
                )
                .subcommand(letters(json(with(
                    &folder,
                    verb("requeue", "Requeues dead letters; without a filter, all of them"),
                )))),
        )
        .subcommand(event())
        .subcommand(money::order())
        .subcommand(money::subscription())
        .subcommand(submissions::clip())
        .subcommand(submissions::forms())
        .subcommand(money::promo())
        .subcommand(money::audit_log())
        .subcommand(money::sales())
        .subcommand(money::audit())
        .subcommand(
            group("user", "Users and their accounts")
                .subcommand(money::find_user())
                .subcommand(person(json(with(&folder, verb("show", "A user's account and orders")))))
                .subcommand(person(json(with(&folder, verb("block", "Ends a user's sessions and blocks new ones")))))
                .subcommand(person(json(with(&folder, verb("unblock", "Unblocks a user")))))
                .subcommand(setting(person(json(with(
                    &folder,
                    verb("set", "Sets a user's capabilities or a temporary password"),
                )))))
                .subcommand(person(json(with(
                    &folder,
                    verb("erase", "Erases a user from the channel and the datalake"),
                )))),
        )
        .subcommand(group("visitors", "Viewers who are not signed in").subcommand(
            records_verb("end-keys", "Ends all keys of a channel's visitors, who get new ones without noticing")
                .arg(required("channel", "KEY")),
        ))
        .subcommand(with(&folder, verb("backup", "Backs up the channel's records to a file")).arg(file()))
        .subcommand(
            with(&records, verb("restore", "Replaces the records with a backup; the worker must be stopped"))
                .arg(file()),
        )
        .subcommand(with(
            &records,
            verb("migrate", "Migrates the records to this version; a worker on SQLite must be stopped"),
        ))
        .subcommand(submissions::reports())
        .subcommand(
            group("store", "The channel's records")
                .subcommand(
                    verb(
                        "copy",
                        "Moves the records of a data folder into an empty PostgreSQL database; the worker must be stopped",
                    )
                    .arg(Arg::new("from").value_name("sqlite:DIR").required(true))
                    .arg(Arg::new("to").value_name("postgres://…").required(true)),
                )
                .subcommand(with(
                    &["data", "origin"],
                    verb(
                        "accept-loss",
                        "Continues without the commits lost from a damaged journal; the damaged files are retained",
                    ),
                )),
        )
}

/// Accepts the settings of `serve`: the notes of a check depend on them.
fn check() -> Command {
    // `--media` is a flag of the verb here; the media bucket comes from the variable or the file.
    let keys: Vec<_> = SETTINGS.iter().map(|setting| setting.key).filter(|key| *key != "media").collect();
    with(&keys, verb("check", "Checks the channel folders and reports every error and likely mistake; with --origin, also which features work with that API")).arg(
        Arg::new("ask_media")
            .long("media")
            .action(ArgAction::SetTrue)
            .help("Also requests each remote medium and reports what is wrong with it"),
    )
}

fn serve() -> Command {
    let keys: Vec<_> = SETTINGS.iter().map(|setting| setting.key).collect();
    with(&keys, verb("serve", "Serves the site, the channel API, the status websocket and the datalake"))
}

fn verb(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).arg(
        Arg::new("config")
            .long("config")
            .value_name("FILE")
            .help("The settings file [default: touchline.toml, if it exists]")
            .value_parser(value_parser!(PathBuf)),
    )
}

fn records_verb(name: &'static str, about: &'static str) -> Command {
    json(with(&["data"], verb(name, about)))
}

fn group(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).subcommand_required(true).disable_help_subcommand(true)
}

fn with(keys: &[&str], command: Command) -> Command {
    let settings = SETTINGS.iter().filter(|setting| keys.contains(&setting.key));
    settings.fold(command, |command, setting| command.arg(flag(setting)))
}

fn flag(setting: &'static Setting) -> Arg {
    let arg = Arg::new(setting.key).long(setting.flag()).value_name(setting.value).help(setting.help);
    match setting.kind {
        // A value may start with a dash. The setting rejects a bad one and names what it expects.
        Kind::One | Kind::Secret => arg.action(ArgAction::Set).allow_hyphen_values(true),
        Kind::Many => arg.action(ArgAction::Append),
        Kind::Switch => arg.action(ArgAction::Set).num_args(0..=1).default_missing_value("true"),
    }
}

fn json(command: Command) -> Command {
    command.arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Prints the result as JSON"))
}

fn letters(command: Command) -> Command {
    let filter = |name, value, help| Arg::new(name).long(name).value_name(value).help(help);
    command
        .arg(filter("sink", "SINK", "Only those rejected by this sink"))
        .arg(filter("table", "TABLE", "Only those of this table"))
        .arg(filter("id", "UUID", "Only this one"))
}

fn id(name: &'static str) -> Arg {
    Arg::new(name).value_name("ID").required(true).value_parser(value_parser!(i64).range(1..))
}

/// A verb about a record. With a channel, it refuses records of others.
fn record(command: Command) -> Command {
    command.arg(id("ID")).arg(text("channel", "KEY", "Fails if it belongs to another channel"))
}

fn event() -> Command {
    let side = |name: &'static str, help| {
        Arg::new(name).help(help).value_parser(value_parser!(i64).range(0..)).required_unless_present("clear")
    };
    group("event", "Events").subcommand(
        json(with(&["data"], verb("score", "Sets an event's score; viewers see it immediately")))
            .arg(id("ID"))
            .arg(side("AWAY", "The away team's score").requires("HOME"))
            .arg(side("HOME", "The home team's score"))
            .arg(required("channel", "KEY"))
            .arg(
                Arg::new("period")
                    .long("period")
                    .value_name("TEXT")
                    .help("The part of the game, such as \"3rd quarter\""),
            )
            .arg(
                Arg::new("clear")
                    .long("clear")
                    .action(ArgAction::SetTrue)
                    .conflicts_with_all(["AWAY", "HOME", "period"])
                    .help("Restores the score from the channel's folder"),
            ),
    )
}

fn person(command: Command) -> Command {
    let id = id("ID").required(false).required_unless_present("email").conflicts_with("email");
    let channel = text("channel", "KEY", "The user's channel; fails if the ID belongs to another");
    command.arg(id).arg(channel).arg(required("email", "ADDRESS").required(false).requires("channel"))
}

/// At least one of these is required.
fn setting(command: Command) -> Command {
    command
        .arg(
            Arg::new("capabilities")
                .long("capabilities")
                .value_name("LIST")
                .help("The user's new capabilities, separated by commas, or none: watch, download, clipping, download_clip, no_ads, vod_media"),
        )
        .arg(
            Arg::new("temporary-password")
                .long("temporary-password")
                .help("Generates a password and prints it once. The user is logged out everywhere and must change it after logging in")
                .action(ArgAction::SetTrue),
        )
        .arg(
            Arg::new("verified")
                .long("verified")
                .help("Marks the user's email address as verified, for channels that send no email. Clips require it")
                .action(ArgAction::SetTrue),
        )
        .group(ArgGroup::new("setting").args(["capabilities", "temporary-password", "verified"]).required(true).multiple(true))
}

fn text(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn listing(command: Command) -> Command {
    let limit =
        text("limit", "COUNT", "The maximum number of results").value_parser(value_parser!(u32).range(1..=1000));
    command.arg(limit.default_value("50"))
}

fn required(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).required(true).value_parser(NonEmptyStringValueParser::new())
}

fn file() -> Arg {
    Arg::new("file").value_name("FILE").required(true).value_parser(value_parser!(PathBuf))
}

/// Returns the verb, such as `datalake status`, and its own matches.
pub(crate) fn selected_verb(matches: &ArgMatches) -> (String, &ArgMatches) {
    let mut names = Vec::new();
    let mut inner = matches;
    while let Some((word, next)) = inner.subcommand() {
        names.push(word);
        inner = next;
    }
    (names.join(" "), inner)
}

/// A command line error in one line.
pub(crate) fn one_line(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let mut lines = rendered.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    // Clap continues "required arguments were not provided:" on the lines below, and its tips too.
    let more = lines.take_while(|line| !line.starts_with("Usage:")).collect::<Vec<_>>().join(" ");
    format!("{first} {more}").trim_start_matches("error: ").trim().to_owned()
}
