//! The `touchline` binary: configuration, command line, wiring.
//!
//! | module | what |
//! |---|---|
//! | [`cli`] | verbs and flags |
//! | [`config`] | flags, variables and file, checked whole |
//! | [`serve`] | `touchline serve`: parts put together, listeners, start and end |
//! | [`site`] | the static web: the channel's shell, manifest, assets |
//! | [`pages`] | the calls as a page that reads, the demo's mail |
//! | [`admin`] | the second listener: metrics, and what the other verbs ask for |
//! | [`commands`] | the other verbs |
//! | [`journal`] | which calls were answered, for a timeline of a session |
//! | [`openapi`] | the rooms' documents as one |
//! | [`error_response`] | failures that no room answers |
//! | `limits` | the limits table of `docs/security.md`: made in tests alone |
//!
//! Exit status: 0 done; 1 an operation failed; 2 it could not begin, with one line on stderr that names why.

mod admin;
mod audit;
mod cli;
mod commands;
mod config;
mod error_response;
mod journal;
#[cfg(test)]
mod limits;
mod openapi;
mod own_host;
mod pages;
mod serve;
mod site;

use std::future::Future;
use std::io::Write;
use std::process::ExitCode;

use clap::ArgMatches;
use config::{Config, ConfigError};

/// Each request allocates some dozens of times: the system's allocator costs a sixth of what answering one does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Whatever is made from here on is its owner's alone: records, letters, backups are about people.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let matches = match cli::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => return could_not_begin(&cli::one_line(&error)),
        Err(help) => return print(&help.render().to_string()),
    };
    let (words, verb) = cli::chosen(&matches);
    let config = match Config::load(verb, std::env::vars_os()) {
        Ok(config) => config,
        Err(error) => return could_not_begin(&error.to_string()),
    };
    // Nothing that speaks TLS chooses its cryptography by itself.
    if rustls::crypto::ring::default_provider().install_default().is_err() {
        return could_not_begin("the cryptography was chosen twice");
    }
    run(&words, verb, config)
}

fn run(words: &str, verb: &ArgMatches, config: Config) -> ExitCode {
    match words {
        "serve" => within_runtime(async {
            match serve::run(config).await {
                Ok(serve::Ended::BySignal) => ExitCode::SUCCESS,
                Ok(serve::Ended::Broken) => ExitCode::FAILURE,
                Err(error) => could_not_begin(&error.to_string()),
            }
        }),
        "openapi" => within_runtime(async {
            match openapi::text().await {
                Ok(text) => print(&text),
                Err(error) => failed(&format!("{error:#}"), 1),
            }
        }),
        "check" => within_runtime(async {
            match commands::check(&config, verb.get_flag("ask_media")).await {
                Ok(text) => print(&text),
                Err(faults) => failed(&faults, 2),
            }
        }),
        "restore" => within_runtime(async {
            match commands::restore(&config, verb).await {
                Ok(text) => print(&text),
                Err(error) => could_not_begin(&format!("{error:#}")),
            }
        }),
        "migrate" => within_runtime(async {
            match commands::migrate(&config).await {
                Ok(text) => print(&text),
                Err(error) => could_not_begin(&format!("{error:#}")),
            }
        }),
        "store accept-loss" => within_runtime(async {
            match commands::accept_loss(&config).await {
                Ok(text) => print(&text),
                Err(error) => could_not_begin(&format!("{error:#}")),
            }
        }),
        "store copy" => within_runtime(async {
            match commands::store_copy(verb).await {
                Ok(text) => print(&text),
                Err(error) => could_not_begin(&format!("{error:#}")),
            }
        }),
        _ => within_runtime(async {
            match commands::ask(words, verb, &config).await {
                Ok(answer) if answer.is_failure => {
                    print(&answer.text);
                    ExitCode::FAILURE
                }
                Ok(answer) => print(&answer.text),
                Err(error) => failed(&format!("{error:#}"), 1),
            }
        }),
    }
}

fn within_runtime(work: impl Future<Output = ExitCode>) -> ExitCode {
    match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime.block_on(work),
        Err(error) => could_not_begin(&ConfigError(format!("no runtime: {error}")).to_string()),
    }
}

fn print(text: &str) -> ExitCode {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        // A reader that had enough, such as `head`, is no failure.
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn could_not_begin(why: &str) -> ExitCode {
    failed(&why.replace('\n', " "), 2)
}

fn failed(why: &str, status: u8) -> ExitCode {
    // With stderr closed, the status still tells.
    let _told = writeln!(std::io::stderr().lock(), "touchline: {why}").is_ok();
    ExitCode::from(status)
}
