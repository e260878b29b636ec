//! The `touchline` binary: configuration, command line, wiring.
//!
//! | module | what |
//! |---|---|
//! | [`cli`] | verbs and flags |
//! | [`config`] | flags, variables and file, checked whole |
//! | [`site`] | the static web: the channel's shell, manifest, assets |
//! | [`serve`] | `touchline serve`: parts put together, listeners, start and end |
//! | [`admin`] | the second listener: metrics, and what the other verbs ask for |
//! | [`verbs`] | the other verbs |

mod cli;
mod config;
mod refusal;
mod serve;
mod site;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::SUCCESS
}
