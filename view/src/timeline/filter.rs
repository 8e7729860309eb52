//! What is left out, as it is typed: `0-3,8 Recv` shows these ranks and these calls.

use super::lane::Call;
use base::RankSet;

/// What is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    pub(super) text: String,
    ranks: Option<RankSet>,
    /// Parts of names of calls, in small letters.
    calls: Vec<String>,
    /// What the identity of the communicator begins with, in hexadecimal digits.
    communicators: Vec<String>,
}

impl Filter {
    /// Words that are sets of ranks, `comm:` and the beginning of an identity, or parts of names of calls. Nothing shows everything.
    pub(super) fn read(text: &str) -> Self {
        let mut filter = Self {
            text: text.trim().to_owned(),
            ..Self::default()
        };
        let mut ranks: Vec<RankSet> = Vec::new();
        for word in text.split_whitespace() {
            if let Some(identity) = word.strip_prefix("comm:") {
                filter.communicators.push(identity.to_lowercase());
            } else if let Ok(set) = word.parse::<RankSet>() {
                ranks.push(set);
            } else {
                filter.calls.push(word.to_lowercase());
            }
        }
        if !ranks.is_empty() {
            filter.ranks = Some(RankSet::union(&ranks));
        }
        filter
    }

    pub(super) fn shows(&self, rank: u32) -> bool {
        self.ranks.as_ref().is_none_or(|ranks| ranks.contains(rank))
    }

    pub(super) fn shows_call(&self, call: &Call) -> bool {
        let name = || call.name.to_lowercase();
        let identity = || call.communicator.map(|identity| format!("{identity:016x}"));
        let begins = |identity: &str| self.communicators.iter().any(|own| identity.starts_with(own));
        (self.calls.is_empty() || self.calls.iter().any(|part| name().contains(part)))
            && (self.communicators.is_empty() || identity().is_some_and(|identity| begins(&identity)))
    }
}
