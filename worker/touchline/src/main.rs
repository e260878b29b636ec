//! The `touchline` binary: configuration, command line, wiring.
//!
//! | module | what |
//! |---|---|
//! | [`cli`] | verbs and flags |
//! | [`config`] | settings from flags, variables and file, validated together |
//! | [`serve`] | `touchline serve`: the components, listeners, startup and shutdown |
//! | [`site`] | the web client: each channel's shell, manifest and assets |
//! | [`pages`] | API reference, playback quality, the demo mailbox |
//! | [`admin`] | the admin listener: metrics and the API of the other verbs |
//! | [`commands`] | the other verbs |
//! | [`journal`] | the journal of API requests, for session timelines |
//! | [`openapi`] | the OpenAPI documents of all crates, merged |
//! | [`error_response`] | errors raised outside the API crates |
//! | `limits` | the limits table of `docs/security.md`; test builds only |
//!
//! Exit status: 0 success; 1 the operation failed; 2 it could not start, with the reason in one line on stderr.

mod admin;
mod audit;
mod cli;
mod commands;
mod config;
mod error_response;
mod journal;
#[cfg(test)]
mod limits;
mod local_host;
mod openapi;
mod pages;
mod serve;
mod site;

use std::future::Future;
use std::io::Write;
use std::process::ExitCode;

use clap::ArgMatches;
use config::{Config, ConfigError};

/// A request makes dozens of allocations; the system allocator costs a sixth of the time to answer one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // New files are readable by their owner only: records, emails and backups are personal data.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let matches = match cli::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => return start_failed(&cli::one_line(&error)),
        Err(help) => return print(&help.render().to_string()),
    };
    let (verb_name, verb) = cli::selected_verb(&matches);
    let config = match Config::load(verb, std::env::vars_os()) {
        Ok(config) => config,
        Err(error) => return start_failed(&error.to_string()),
    };
    // No TLS library may choose a cryptography provider on its own.
    if rustls::crypto::ring::default_provider().install_default().is_err() {
        return start_failed("a TLS cryptography provider is already installed");
    }
    run(&verb_name, verb, config)
}

fn run(verb_name: &str, verb: &ArgMatches, config: Config) -> ExitCode {
    match verb_name {
        "serve" => block_on(async {
            match serve::run(config).await {
                Ok(serve::StopCause::Signal) => ExitCode::SUCCESS,
                Ok(serve::StopCause::Failure) => ExitCode::FAILURE,
                Err(error) => start_failed(&error.to_string()),
            }
        }),
        "openapi" => block_on(async {
            match openapi::text().await {
                Ok(text) => print(&text),
                Err(error) => exit_with(&format!("{error:#}"), 1),
            }
        }),
        "check" => block_on(async {
            match commands::check(&config, verb.get_flag("ask_media")).await {
                Ok(text) => print(&text),
                Err(faults) => exit_with(&faults, 2),
            }
        }),
        "restore" => block_on(async {
            match commands::restore(&config, verb).await {
                Ok(text) => print(&text),
                Err(error) => start_failed(&format!("{error:#}")),
            }
        }),
        "migrate" => block_on(async {
            match commands::migrate(&config).await {
                Ok(text) => print(&text),
                Err(error) => start_failed(&format!("{error:#}")),
            }
        }),
        "store accept-loss" => block_on(async {
            match commands::accept_loss(&config).await {
                Ok(text) => print(&text),
                Err(error) => start_failed(&format!("{error:#}")),
            }
        }),
        "store copy" => block_on(async {
            match commands::store_copy(verb).await {
                Ok(text) => print(&text),
                Err(error) => start_failed(&format!("{error:#}")),
            }
        }),
        _ => block_on(async {
            match commands::run(verb_name, verb, &config).await {
                Ok(answer) if answer.is_failure => {
                    print(&answer.text);
                    ExitCode::FAILURE
                }
                Ok(answer) => print(&answer.text),
                Err(error) => exit_with(&format!("{error:#}"), 1),
            }
        }),
    }
}

fn block_on(work: impl Future<Output = ExitCode>) -> ExitCode {
    match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime.block_on(work),
        Err(error) => start_failed(&ConfigError(format!("the async runtime cannot start: {error}")).to_string()),
    }
}

fn print(text: &str) -> ExitCode {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        // A reader that closes the pipe early, such as `head`, is not a failure.
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn start_failed(reason: &str) -> ExitCode {
    exit_with(&reason.replace('\n', " "), 2)
}

fn exit_with(reason: &str, status: u8) -> ExitCode {
    // If stderr is closed, the exit status still reports the failure.
    let _written = writeln!(std::io::stderr().lock(), "touchline: {reason}").is_ok();
    ExitCode::from(status)
}
