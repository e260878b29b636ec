//! Verbs about viewers' clips and form submissions.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, Command};

use super::{group, listing, record, records_verb, required};

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
