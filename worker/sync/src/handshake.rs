//! Opens a socket: either resumes it completely, or sends a snapshot.

use axum::body::Bytes;
use touchline_protocol::sync::{Mode, Resume, ServerFrame, Status};

use crate::hub_state::text_of;
use crate::limits::Limits;
use crate::snapshots::{Snapshots, items_of};
use crate::source::{Identity, Scope, SourceError, StatusSource};

/// The first messages of a socket, and its positions after them.
#[derive(Debug)]
pub(crate) struct Handshake {
    /// The source's epoch, to which the positions belong.
    pub(crate) epoch: Box<str>,
    /// The answer to `hello`, in parts. The channel's part is shared by all sockets.
    pub(crate) welcome: Vec<Bytes>,
    /// Missed statuses; empty after a snapshot.
    pub(crate) missed: Vec<Status>,
    /// Each stream's position after these messages, the channel's first.
    pub(crate) positions: Vec<(Scope, u64)>,
}

/// Opens a socket for `identity`. It must be registered already, because positions are read before the data.
pub(crate) async fn open(
    source: &dyn StatusSource,
    snapshots: &Snapshots,
    identity: &Identity,
    resume: Option<Resume>,
    limits: &Limits,
) -> Result<Handshake, SourceError> {
    let sources = source.epoch().await?;
    let epoch = epoch_of(&sources, identity);
    let channel = Scope::Channel(identity.channel_key.clone());
    let user = identity.user.map(Scope::User);

    if let Some(resume) = resume.filter(|resume| resume.epoch == epoch)
        && resume.user_seq.is_some() == user.is_some()
    {
        let claims = std::iter::once((channel.clone(), resume.channel_seq)).chain(user.clone().zip(resume.user_seq));
        if let Some((missed, positions)) = all_missed(source, claims, limits.backlog).await? {
            let welcome = ServerFrame::Welcome {
                epoch,
                user_seq: resume.user_seq,
                channel_seq: resume.channel_seq,
                mode: Mode::Resumed,
                snapshot: None,
                ping_ms: ping_ms(limits),
            };
            return Ok(Handshake { welcome: vec![text_of(&welcome)], missed, positions, epoch: sources.into() });
        }
    }

    let (head, items) = snapshots.of_channel(source, &sources, &channel).await?;
    let mut positions = vec![(channel, head)];
    let mut parts = vec![items];
    if let Some(user) = user {
        let head = source.head(&user).await?;
        parts.push(items_of(&source.snapshot(&user).await?));
        positions.push((user, head));
    }
    let welcome = ServerFrame::Welcome {
        epoch,
        user_seq: positions.get(1).map(|(_, seq)| *seq),
        channel_seq: head,
        mode: Mode::Snapshot,
        snapshot: Some(Vec::new()),
        ping_ms: ping_ms(limits),
    };
    Ok(Handshake { welcome: filled(text_of(&welcome), parts), missed: Vec::new(), positions, epoch: sources.into() })
}

/// Inserts items into a welcome with an empty snapshot.
fn filled(welcome: Bytes, parts: Vec<Bytes>) -> Vec<Bytes> {
    /// No text within the frame can look like this: its quotes would be escaped.
    const EMPTY: &[u8] = b"\"snapshot\":[]";
    let Some(at) = welcome.windows(EMPTY.len()).position(|part| part == EMPTY) else { return vec![welcome] };
    let (head, tail) = (welcome.slice(..at + EMPTY.len() - 1), welcome.slice(at + EMPTY.len() - 1..));
    let mut filled = vec![head];
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        if filled.len() > 1 {
            filled.push(Bytes::from_static(b","));
        }
        filled.push(part);
    }
    filled.push(tail);
    filled
}

/// All statuses after `seq`; `None` if the log does not reach back that far, or there are more than `limit`.
pub(crate) async fn missed(
    source: &dyn StatusSource,
    scope: &Scope,
    seq: u64,
    limit: usize,
) -> Result<Option<Vec<Status>>, SourceError> {
    let head = source.head(scope).await?;
    let Some(behind) = head.checked_sub(seq) else { return Ok(None) };
    if behind == 0 {
        return Ok(Some(Vec::new()));
    }
    if behind > limit as u64 {
        return Ok(None);
    }
    let statuses = source.since(scope, seq, limit).await?;
    let gapless = statuses.iter().zip(seq + 1..).all(|(status, expected)| status.seq == expected);
    Ok((gapless && statuses.len() as u64 >= behind).then_some(statuses))
}

async fn all_missed(
    source: &dyn StatusSource,
    claims: impl Iterator<Item = (Scope, u64)>,
    limit: usize,
) -> Result<Option<(Vec<Status>, Vec<(Scope, u64)>)>, SourceError> {
    let mut all = Vec::new();
    let mut positions = Vec::new();
    for (scope, seq) in claims {
        let Some(statuses) = missed(source, &scope, seq, limit).await? else { return Ok(None) };
        positions.push((scope, statuses.last().map_or(seq, |status| status.seq)));
        all.extend(statuses);
    }
    Ok(Some((all, positions)))
}

/// An epoch that identifies the source, the channel and the viewer, because positions are specific to all three.
fn epoch_of(source: &str, identity: &Identity) -> String {
    let viewer = identity.user.map_or_else(|| "anyone".to_owned(), |id| id.to_string());
    format!("{source}.{}.{viewer}", identity.channel_key)
}

fn ping_ms(limits: &Limits) -> u64 {
    limits.ping.as_millis().try_into().unwrap_or(u64::MAX)
}
