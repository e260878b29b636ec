//! Verbs about money, and those that look up people.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgGroup, Command, value_parser};

use super::{group, id, listing, records_verb, required, text};

pub(super) fn order() -> Command {
    group("order", "Orders of viewers")
        .subcommand(
            listing(days(records_verb("list", "Orders, newest first")))
                .arg(text("channel", "KEY", "Only of this channel"))
                .arg(text("user", "ID", "Only of this person").value_parser(value_parser!(i64).range(1..)))
                .arg(text("status", "STATUS", "Only what is created, failed, paid or refunded"))
                .arg(text("product", "TYPE:ID", "Only of this product, such as package:3")),
        )
        .subcommand(records_verb("show", "An order, and what became of it").arg(id("ID")))
        .subcommand(
            records_verb("refund", "Gives back what is left of an order's last payment, and ends it")
                .arg(id("ID"))
                .arg(
                    text("amount", "CENTS", "Only so much, in the currency's smallest unit: the order stays")
                        .value_parser(value_parser!(i64).range(1..)),
                )
                .arg(
                    text("outside", "HOW", "It was given back so, such as \"in cash\": the card gets nothing")
                        .value_parser(NonEmptyStringValueParser::new()),
                ),
        )
        .subcommand(
            records_verb("grant", "Gives a viewer a product without payment")
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
    group("subscription", "Subscriptions of viewers").subcommand(
        records_verb("cancel", "Ends the renewing: the subscription of this order runs until the end of what is paid")
            .arg(id("ID")),
    )
}

pub(super) fn promo() -> Command {
    let code = || Arg::new("CODE").required(true).value_parser(NonEmptyStringValueParser::new());
    let positive = |name, value, help| text(name, value, help).value_parser(value_parser!(i64).range(1..));
    group("promo", "Promo codes: the channel folder's and the operator's are one list")
        .subcommand(
            records_verb("add", "Adds a code")
                .arg(code())
                .arg(required("channel", "KEY"))
                .arg(positive("percent", "PERCENT", "What it takes off, 1 to 100 percent"))
                .arg(positive("amount", "CENTS", "What it takes off, in the currency's smallest unit"))
                .group(ArgGroup::new("discount").args(["percent", "amount"]).required(true))
                .arg(positive("max-uses", "COUNT", "How many orders may carry it"))
                .arg(text("from", "DAY", "Counts from this day on, UTC"))
                .arg(text("until", "DAY", "Counts up to the end of this day, UTC"))
                .arg(
                    text("product", "TYPE:ID", "What it is for, such as package:3; once for each")
                        .action(ArgAction::Append),
                ),
        )
        .subcommand(records_verb("list", "Every code of a channel").arg(required("channel", "KEY")))
        .subcommand(records_verb("end", "Ends a code at once").arg(code()).arg(required("channel", "KEY")))
}

pub(super) fn audit_log() -> Command {
    let about = "What operators did, newest first: who, when and what";
    listing(records_verb("audit-log", about)).arg(text("subject", "SUBJECT", "Only about this, such as \"order 12\""))
}

pub(super) fn sales() -> Command {
    days(records_verb("sales", "What was sold and given back, by day of UTC and product"))
        .arg(text("channel", "KEY", "Only of this channel"))
        .arg(Arg::new("csv").long("csv").action(ArgAction::SetTrue).conflicts_with("json").help("Prints CSV"))
}

pub(super) fn audit() -> Command {
    records_verb("audit", "Holds provider, orders, charges, access and the lake's files against each other").arg(text(
        "from",
        "DAY",
        "Compares with provider and lake what moved from this day on, UTC [default: 35 days ago]",
    ))
}

pub(super) fn find_user() -> Command {
    listing(days(records_verb("find", "People by a part of their address or name, by card, by day")))
        .arg(
            Arg::new("TEXT")
                .help("A part of the address or of the name")
                .value_parser(NonEmptyStringValueParser::new()),
        )
        .arg(text("channel", "KEY", "Only of this channel"))
        .arg(text("last4", "DIGITS", "Who paid with a card that ends in these four digits"))
}

fn days(command: Command) -> Command {
    command
        .arg(text("day", "DAY", "Only of this day, UTC, such as 2026-11-23").conflicts_with_all(["from", "until"]))
        .arg(text("from", "DAY", "Only from this day on, UTC"))
        .arg(text("until", "DAY", "Only up to the end of this day, UTC"))
}
