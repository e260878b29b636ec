//! Channels by key and by host, and the rules of hosts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::catalogue::fault::Faults;
use crate::catalogue::hosts::host_name;
use crate::catalogue::read::Claims;
use crate::catalogue::snapshot::ChannelSnapshot;
use crate::source::SourceFile;

/// Owners of hosts, stored so that a second claim of a host is refused after a restart too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostOwners {
    /// Keys of channels by host.
    pub hosts: BTreeMap<String, String>,
    /// The key of the fallback channel.
    pub fallback: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Current {
    pub(super) by_key: HashMap<String, ChannelState>,
    /// Keys of the channels that hold a host. Looked up by every request.
    pub(super) by_host: foldhash::HashMap<String, String>,
    pub(super) fallback: Option<String>,
}

/// The state of one channel folder.
#[derive(Debug, Default)]
pub(super) struct ChannelState {
    /// `None` if the folder is faulty and no sound state is known.
    pub(super) served: Option<Arc<ChannelSnapshot>>,
    /// The files of the served state.
    pub(super) files: Vec<SourceFile>,
    pub(super) refusal: Option<Refusal>,
}

/// A refused state of a folder.
#[derive(Debug)]
pub(super) struct Refusal {
    /// `None` if the files could not be listed.
    pub(super) files: Option<Vec<SourceFile>>,
    pub(super) faults: Faults,
    /// The claims of a sound folder that was refused because another channel holds one of them.
    pub(super) conflicting_claims: Option<Claims>,
}

impl Current {
    /// Faults of a channel whose claims another channel holds.
    pub(super) fn conflicts(&self, key: &str, claims: &Claims) -> Option<Faults> {
        let owner = |host: &str| self.by_host.get(host).map(String::as_str);
        let faults = claims.conflicts(key, owner, self.fallback.as_deref());
        (!faults.is_empty()).then_some(Faults(faults))
    }

    /// Gives a channel the hosts of its claims that no other channel has, and takes its others away. If one became free,
    /// channels that were refused for their claims are loaded again.
    pub(super) fn hold(&mut self, key: &str, claims: &Claims) {
        let count_before = self.by_host.len() + usize::from(self.fallback.is_some());
        self.by_host.retain(|host, owner| owner != key || claims.hosts.contains(host));
        if self.fallback.as_deref() == Some(key) && !claims.fallback {
            self.fallback = None;
        }
        if count_before != self.by_host.len() + usize::from(self.fallback.is_some()) {
            let refusals = self.by_key.values_mut().filter_map(|state| state.refusal.as_mut());
            refusals.filter(|refusal| refusal.conflicting_claims.is_some()).for_each(|refusal| refusal.files = None);
        }
        for host in &claims.hosts {
            self.by_host.entry(host.clone()).or_insert_with(|| key.to_owned());
        }
        if claims.fallback && self.fallback.is_none() {
            self.fallback = Some(key.to_owned());
        }
    }

    /// Lets channels exchange hosts: if every holder of a claim was itself refused for a conflict and no longer claims it,
    /// all of them get their hosts at once. Returns whether they did; the others are then loaded again.
    pub(super) fn exchange(&mut self, key: &str, claims: &Claims) -> bool {
        let Some(claims_by_key) = self.exchangeable(key, claims).filter(|claims_by_key| claims_by_key.len() > 1) else {
            return false;
        };
        for key in claims_by_key.keys() {
            self.hold(key, &Claims::default());
        }
        for (key, claims) in &claims_by_key {
            self.hold(key, claims);
        }
        true
    }

    /// The channels of an exchange, with their claims. `None` if a holder still claims a host, or if two of them do.
    fn exchangeable(&self, key: &str, claims: &Claims) -> Option<HashMap<String, Claims>> {
        let mut claims_by_key = HashMap::new();
        let mut waiting = vec![(key.to_owned(), claims.clone())];
        while let Some((key, claims)) = waiting.pop() {
            let fallback = self.fallback.as_ref().filter(|_| claims.fallback);
            let holders: Vec<&String> =
                claims.hosts.iter().filter_map(|host| self.by_host.get(host)).chain(fallback).collect();
            claims_by_key.insert(key, claims.clone());
            for holder in holders {
                if claims_by_key.contains_key(holder) || waiting.iter().any(|(key, _)| key == holder) {
                    continue;
                }
                let refusal = self.by_key.get(holder)?.refusal.as_ref()?;
                waiting.push((holder.clone(), refusal.conflicting_claims.clone()?));
            }
        }
        let mut hosts = HashSet::new();
        let are_distinct = claims_by_key.values().flat_map(|claims| &claims.hosts).all(|host| hosts.insert(host));
        let fallbacks = claims_by_key.values().filter(|claims| claims.fallback).count();
        (are_distinct && fallbacks <= 1).then_some(claims_by_key)
    }

    pub(super) fn key_of_host(&self, host: &str) -> Option<&String> {
        self.by_host.get(&*host_name(host)).or(self.fallback.as_ref())
    }

    pub(super) fn served(&self, key: &str) -> Option<&Arc<ChannelSnapshot>> {
        self.by_key.get(key)?.served.as_ref()
    }
}

pub(super) fn claims_of(snapshot: &ChannelSnapshot) -> Claims {
    Claims { hosts: snapshot.config.hosts.clone(), fallback: snapshot.config.fallback }
}
