//! Verbs about money, and those that look up people.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgGroup, Command, value_parser};

use super::{group, id, listing, record, records_verb, required, text};

pub(super) fn order() -> Command {
    group("order", "Viewers' orders")
        .subcommand(
            listing(days(records_verb("list", "Orders, newest first")))
                .arg(text("channel", "KEY", "Only this channel"))
                .arg(text("user", "ID", "Only this user").value_parser(value_parser!(i64).range(1..)))
                .arg(text("status", "STATUS", "Only with this status: created, failed, paid or refunded"))
                .arg(text("product", "TYPE:ID", "Only this product, such as package:3")),
        )
        .subcommand(record(records_verb("show", "An order with its events and charges")))
        .subcommand(
            record(records_verb("refund", "Refunds the rest of an order's last payment and ends the order"))
                .arg(
                    text(
                        "amount",
                        "CENTS",
                        "Refunds only this amount, in the currency's smallest unit; the order stays active",
                    )
                    .value_parser(value_parser!(i64).range(1..)),
                )
                .arg(
                    text(
                        "outside",
                        "HOW",
                        "Records a refund by other means, such as \"in cash\"; the card gets nothing",
                    )
                    .value_parser(NonEmptyStringValueParser::new()),
                ),
        )
        .subcommand(
            records_verb("grant", "Grants a viewer a product without payment")
                .arg(required("channel", "KEY"))
                .arg(required("email", "ADDRESS"))
                .arg(required("type", "event|package|subscription"))
                .arg(id("id").long("id"))
                .arg(
                    Arg::new("participant-id")
                        .long("participant-id")
                        .help("The team of a team pass")
                        .value_parser(value_parser!(i64)),
                ),
        )
}

pub(super) fn subscription() -> Command {
    group("subscription", "Viewers' subscriptions").subcommand(record(records_verb(
        "cancel",
        "Turns off auto-renew: the order's subscription ends with the paid period",
    )))
}

pub(super) fn promo() -> Command {
    let code = || Arg::new("CODE").required(true).value_parser(NonEmptyStringValueParser::new());
    let positive = |name, value, help| text(name, value, help).value_parser(value_parser!(i64).range(1..));
    group("promo", "Promo codes, from the channel's folder and from the operator")
        .subcommand(
            records_verb("add", "Adds a code")
                .arg(code())
                .arg(required("channel", "KEY"))
                .arg(positive("percent", "PERCENT", "The discount in percent, 1 to 100"))
                .arg(positive("amount", "CENTS", "The discount in the currency's smallest unit"))
                .group(ArgGroup::new("discount").args(["percent", "amount"]).required(true))
                .arg(positive("max-uses", "COUNT", "The maximum number of orders that use it"))
                .arg(text("from", "DAY", "Valid from this day on, UTC"))
                .arg(text("until", "DAY", "Valid through this day, UTC"))
                .arg(
                    text("product", "TYPE:ID", "A product it applies to, such as package:3; can be repeated")
                        .action(ArgAction::Append),
                ),
        )
        .subcommand(records_verb("list", "All codes of a channel").arg(required("channel", "KEY")))
        .subcommand(records_verb("end", "Ends a code immediately").arg(code()).arg(required("channel", "KEY")))
}

pub(super) fn audit_log() -> Command {
    let about = "Actions of operators, newest first";
    listing(records_verb("audit-log", about)).arg(text("channel", "KEY", "Only this channel")).arg(text(
        "subject",
        "SUBJECT",
        "Only about this subject, such as \"order 12\"",
    ))
}

pub(super) fn sales() -> Command {
    days(records_verb("sales", "Sales and refunds by product and day, UTC"))
        .arg(text("channel", "KEY", "Only this channel"))
        .arg(Arg::new("csv").long("csv").action(ArgAction::SetTrue).conflicts_with("json").help("Prints CSV"))
}

pub(super) fn audit() -> Command {
    records_verb("audit", "Compares provider, orders, charges, access and the lake's files with each other")
        .arg(text("channel", "KEY", "Leaves out disagreements about orders of other channels"))
        .arg(text(
            "from",
            "DAY",
            "Compares money moved from this day on with provider and lake, UTC [default: 35 days ago]",
        ))
}

pub(super) fn find_user() -> Command {
    listing(days(records_verb("find", "Finds users by part of their email address or name, by card or by day")))
        .arg(Arg::new("TEXT").help("Part of the email address or name").value_parser(NonEmptyStringValueParser::new()))
        .arg(text("channel", "KEY", "Only this channel"))
        .arg(text("last4", "DIGITS", "Only users who paid with a card ending in these digits"))
}

fn days(command: Command) -> Command {
    command
        .arg(text("day", "DAY", "Only this day, UTC, such as 2026-11-23").conflicts_with_all(["from", "until"]))
        .arg(text("from", "DAY", "Only from this day on, UTC"))
        .arg(text("until", "DAY", "Only through this day, UTC"))
}
