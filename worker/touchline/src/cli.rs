use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};

use crate::config::{Kind, SETTINGS, Setting};

mod money;
mod submissions;

pub(crate) fn command() -> Command {
    let folder = ["data"];
    let records = ["data", "store"];
    Command::new("touchline")
        .version(env!("BUILD_NAME"))
        .about("A white-label video streaming and sales site for one sports or events channel at a time.")
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .subcommand(serve())
        .subcommand(check())
        .subcommand(verb("openapi", "Prints the OpenAPI document"))
        .subcommand(
            group("datalake", "What became of analytics")
                .subcommand(json(with(
                    &folder,
                    verb("status", "Accepted, queued, shipped and dead per sink and table"),
                )))
                .subcommand(
                    letters(json(with(&folder, verb("dead-letters", "What a sink refused for good")))).arg(
                        Arg::new("limit")
                            .long("limit")
                            .value_parser(value_parser!(u32).range(1..=1000))
                            .default_value("50"),
                    ),
                )
                .subcommand(letters(json(with(
                    &folder,
                    verb("requeue", "Puts dead letters back; without a filter, all"),
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
            group("user", "People")
                .subcommand(money::find_user())
                .subcommand(person(json(with(&folder, verb("show", "A person's account and orders")))))
                .subcommand(person(json(with(&folder, verb("block", "Ends a person's sessions and refuses new ones")))))
                .subcommand(person(json(with(&folder, verb("unblock", "Lets a blocked person log in again")))))
                .subcommand(setting(person(json(with(
                    &folder,
                    verb("set", "Sets what a person may do, or gives them a temporary password"),
                )))))
                .subcommand(person(json(with(
                    &folder,
                    verb("erase", "Removes a person, in the channel and in the datalake"),
                )))),
        )
        .subcommand(with(&folder, verb("backup", "Writes the channel's records to a file")).arg(file()))
        .subcommand(
            with(&records, verb("restore", "Puts a backup in the place of the records; the worker must not run"))
                .arg(file()),
        )
        .subcommand(with(
            &records,
            verb("migrate", "Brings the records up to this version; a worker on SQLite must not run"),
        ))
        .subcommand(
            json(with(
                &folder,
                verb("reports", "What viewers told about problems, newest first; with an ID that one alone"),
            ))
            .arg(Arg::new("report").value_name("ID").value_parser(NonEmptyStringValueParser::new()))
            .arg(
                Arg::new("recording")
                    .long("recording")
                    .action(ArgAction::SetTrue)
                    .requires("report")
                    .conflicts_with("json")
                    .help("Prints its recording, unpacked, and nothing else"),
            )
            .arg(
                Arg::new("server")
                    .long("server")
                    .action(ArgAction::SetTrue)
                    .requires("report")
                    .conflicts_with("recording")
                    .help("Prints its recording and what the server did in one timeline"),
            ),
        )
        .subcommand(
            group("store", "The records")
                .subcommand(
                    verb(
                        "copy",
                        "Moves the records of a data folder into an empty PostgreSQL database; the worker must not run",
                    )
                    .arg(Arg::new("from").value_name("sqlite:DIR").required(true))
                    .arg(Arg::new("to").value_name("postgres://…").required(true)),
                )
                .subcommand(with(
                    &["data", "origin"],
                    verb(
                        "accept-loss",
                        "Goes on without the commits that a damaged journal lost; the damaged files are kept",
                    ),
                )),
        )
}

/// Accepts the settings of `serve`: the notes of a check depend on them.
fn check() -> Command {
    // `--media` is a flag of the verb here; the media bucket comes from the variable or the file.
    let keys: Vec<_> = SETTINGS.iter().map(|setting| setting.key).filter(|key| *key != "media").collect();
    with(&keys, verb("check", "Checks the channel folders and names every fault, and what is seldom meant; with --origin, which features work there")).arg(
        Arg::new("ask_media")
            .long("media")
            .action(ArgAction::SetTrue)
            .help("Asks for each medium that comes from elsewhere too, and says what is wrong with it"),
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
            .help("The file of settings [default: touchline.toml, when it is there]")
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
        // A value may begin with a dash. The setting rejects a bad one and says what it expects.
        Kind::One | Kind::Secret => arg.action(ArgAction::Set).allow_hyphen_values(true),
        Kind::Many => arg.action(ArgAction::Append),
        Kind::Switch => arg.action(ArgAction::Set).num_args(0..=1).default_missing_value("true"),
    }
}

fn json(command: Command) -> Command {
    command.arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Prints the worker's answer as JSON"))
}

fn letters(command: Command) -> Command {
    let filter = |name, value, help| Arg::new(name).long(name).value_name(value).help(help);
    command
        .arg(filter("sink", "SINK", "Only what this sink refused"))
        .arg(filter("table", "TABLE", "Only what is of this table"))
        .arg(filter("id", "UUID", "Only this one"))
}

fn id(name: &'static str) -> Arg {
    Arg::new(name).value_name("ID").required(true).value_parser(value_parser!(i64).range(1..))
}

fn event() -> Command {
    let side = |name: &'static str, help| {
        Arg::new(name).help(help).value_parser(value_parser!(i64).range(0..)).required_unless_present("clear")
    };
    group("event", "Events").subcommand(
        json(with(&["data"], verb("score", "Says how an event stands; everyone who looks sees it at once")))
            .arg(id("ID"))
            .arg(side("AWAY", "Of the team that is not at home").requires("HOME"))
            .arg(side("HOME", "Of the team at home"))
            .arg(required("channel", "KEY"))
            .arg(
                Arg::new("period")
                    .long("period")
                    .value_name("TEXT")
                    .help("Which part of the game it is of, such as \"3rd quarter\""),
            )
            .arg(
                Arg::new("clear")
                    .long("clear")
                    .action(ArgAction::SetTrue)
                    .conflicts_with_all(["AWAY", "HOME", "period"])
                    .help("Forgets it: the event stands as the channel's folder says"),
            ),
    )
}

fn person(command: Command) -> Command {
    let id = id("ID").required(false).required_unless_present("email").conflicts_with_all(["channel", "email"]);
    let (channel, email) = (required("channel", "KEY"), required("email", "ADDRESS"));
    command.arg(id).arg(channel.required(false).requires("email")).arg(email.required(false).requires("channel"))
}

/// At least one of these is required.
fn setting(command: Command) -> Command {
    command
        .arg(
            Arg::new("capabilities")
                .long("capabilities")
                .value_name("LIST")
                .help("All that the person may do from now on, with commas between, or nothing: watch, download, clipping, download_clip, no_ads, vod_media"),
        )
        .arg(
            Arg::new("temporary-password")
                .long("temporary-password")
                .help("Draws a password and tells it once. The person is logged out everywhere and must change it first")
                .action(ArgAction::SetTrue),
        )
        .arg(
            Arg::new("verified")
                .long("verified")
                .help("Counts the person's address as verified, as where no letters are sent. Clips need it")
                .action(ArgAction::SetTrue),
        )
        .group(ArgGroup::new("setting").args(["capabilities", "temporary-password", "verified"]).required(true).multiple(true))
}

fn text(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn listing(command: Command) -> Command {
    let limit = text("limit", "COUNT", "At most so many").value_parser(value_parser!(u32).range(1..=1000));
    command.arg(limit.default_value("50"))
}

fn required(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).required(true).value_parser(NonEmptyStringValueParser::new())
}

fn file() -> Arg {
    Arg::new("file").value_name("FILE").required(true).value_parser(value_parser!(PathBuf))
}

/// Returns the verb, such as `datalake status`, and its own matches.
pub(crate) fn chosen(matches: &ArgMatches) -> (String, &ArgMatches) {
    let mut words = Vec::new();
    let mut inner = matches;
    while let Some((word, next)) = inner.subcommand() {
        words.push(word);
        inner = next;
    }
    (words.join(" "), inner)
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
