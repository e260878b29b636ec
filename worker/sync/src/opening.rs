//! How a socket opens: resumed whole, or from a snapshot. Never partly.

use touchline_protocol::sync::{Mode, Resume, ServerFrame, Status};

use crate::limits::Limits;
use crate::source::{Identity, Scope, SourceError, StatusSource};

/// What a socket is sent first, and where it stands afterwards.
#[derive(Debug)]
pub(crate) struct Opening {
    /// The answer to `hello`.
    pub(crate) welcome: ServerFrame,
    /// What was missed; empty after a snapshot.
    pub(crate) missed: Vec<Status>,
    /// Where each stream stands once these were sent, the channel's first.
    pub(crate) positions: Vec<(Scope, u64)>,
}

/// Opens for `identity`. The socket must be seated by now: positions are read before what they are positions of.
pub(crate) async fn open(
    source: &dyn StatusSource,
    identity: &Identity,
    resume: Option<Resume>,
    limits: &Limits,
) -> Result<Opening, SourceError> {
    let epoch = epoch_of(&source.epoch().await?, identity);
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
            return Ok(Opening { welcome, missed, positions });
        }
    }

    let mut positions = Vec::new();
    let mut snapshot = Vec::new();
    for scope in std::iter::once(channel).chain(user) {
        let head = source.head(&scope).await?;
        snapshot.extend(source.snapshot(&scope).await?);
        positions.push((scope, head));
    }
    let welcome = ServerFrame::Welcome {
        epoch,
        user_seq: positions.get(1).map(|(_, seq)| *seq),
        channel_seq: positions.first().map_or(0, |(_, seq)| *seq),
        mode: Mode::Snapshot,
        snapshot: Some(snapshot),
        ping_ms: ping_ms(limits),
    };
    Ok(Opening { welcome, missed: Vec::new(), positions })
}

/// What came after `seq`, whole, or nothing where the log does not reach back or it is more than `limit`.
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

/// Positions are of one source, one channel and one viewer: the epoch names all three.
fn epoch_of(source: &str, identity: &Identity) -> String {
    let viewer = identity.user.map_or_else(|| "anyone".to_owned(), |id| id.to_string());
    format!("{source}.{}.{viewer}", identity.channel_key)
}

fn ping_ms(limits: &Limits) -> u64 {
    limits.ping.as_millis().try_into().unwrap_or(u64::MAX)
}
