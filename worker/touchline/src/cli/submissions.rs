//! Verbs about viewers' clips and form submissions.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, Command};

use super::{group, id, listing, records_verb, required};

pub(super) fn clip() -> Command {
    group("clip", "Clips of viewers")
        .subcommand(
            listing(records_verb("list", "Clips of a channel, newest first")).arg(required("channel", "KEY")).arg(
                Arg::new("public").long("public").action(ArgAction::SetTrue).help("Only those that everyone may find"),
            ),
        )
        .subcommand(
            records_verb("hide", "Hides a clip from everyone; its owner is told that it is hidden").arg(id("ID")),
        )
        .subcommand(records_verb("unhide", "Shows a hidden clip again").arg(id("ID")))
}

pub(super) fn forms() -> Command {
    listing(records_verb("forms", "What viewers wrote in a channel's forms, newest first"))
        .arg(required("channel", "KEY"))
        .arg(Arg::new("FORM").help("Only this form, by its alias").value_parser(NonEmptyStringValueParser::new()))
}
