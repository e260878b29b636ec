//! `touchline serve`: the parts put together, the two listeners, start and end.
//!
//! | module | what |
//! |---|---|
//! | [`data_folder`] | the data folder, held by one worker |
//! | [`telemetry`] | log and metrics |
//! | [`listener`] | connections |
//! | [`front`] | what every request passes first, with [`client_address`] and [`rate`] |

pub(crate) mod client_address;
pub(crate) mod data_folder;
pub(crate) mod front;
pub(crate) mod listener;
pub(crate) mod rate;
pub(crate) mod telemetry;
