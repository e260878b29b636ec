//! Verbs about viewers' clips, form submissions and problem reports.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, Command, value_parser};
use touchline_channel::reports::OutcomeFilter;

use super::{group, json, listing, record, records_verb, required, text, verb, with};

pub(super) fn clip() -> Command {
    group("clip", "Viewers' clips")
        .subcommand(
            listing(records_verb("list", "Clips of a channel, newest first"))
                .arg(required("channel", "KEY"))
                .arg(Arg::new("public").long("public").action(ArgAction::SetTrue).help("Only public clips")),
        )
        .subcommand(record(records_verb("hide", "Hides a clip from everyone; its owner sees that it is hidden")))
        .subcommand(record(records_verb("unhide", "Makes a hidden clip visible again")))
}

pub(super) fn forms() -> Command {
    listing(records_verb("forms", "Submissions of a channel's forms, newest first"))
        .arg(required("channel", "KEY"))
        .arg(Arg::new("FORM").help("Only the form with this alias").value_parser(NonEmptyStringValueParser::new()))
}

pub(super) fn reports() -> Command {
    let about = "Problem reports, newest first; with an ID, only that one. Works without a running worker too";
    let flag =
        |name: &'static str, help| Arg::new(name).long(name).action(ArgAction::SetTrue).requires("report").help(help);
    json(with(&["data"], verb("reports", about)))
        .arg(text("channel", "KEY", "Only this channel"))
        .args(
            [
                text("build", "BUILD", "Only sessions of builds whose name begins so; `unknown` without a summary"),
                text("language", "LANGUAGE", "Only sessions in this language"),
                text("device", "TEXT", "Only browsers whose name contains this"),
                text(
                    "outcome",
                    "KIND[:CODE]",
                    "Only sessions with this outcome, such as purchase_failed or refused:price_changed",
                )
                .value_parser(value_parser!(OutcomeFilter)),
                text("waited", "SECONDS", "Only sessions in which a call was open for at least this time")
                    .value_parser(value_parser!(u32)),
            ]
            .map(|filter| filter.conflicts_with("report")),
        )
        .arg(Arg::new("report").value_name("ID").value_parser(NonEmptyStringValueParser::new()))
        .arg(flag("recording", "Prints only its recording, decompressed").conflicts_with("json"))
        .arg(
            flag("server", "Prints the recording and the server's requests as one timeline; needs a running worker")
                .conflicts_with("recording"),
        )
}
