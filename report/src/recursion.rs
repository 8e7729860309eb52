//! Calls that call themselves: a stretch of a stack in which one function, or a few in turn, follow one another.

/// So many rounds are folded, fewer are shown.
const FOLDED: usize = 4;

/// So many functions at most call each other in turn.
const LONGEST_ROUND: usize = 4;

/// A stretch of a stack that repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounds {
    /// Its first call.
    pub(crate) start: usize,
    /// How many calls one round has.
    pub(crate) calls: usize,
    /// How many rounds there are.
    pub(crate) times: usize,
}

impl Rounds {
    /// The call behind the last round.
    pub(crate) fn end(self) -> usize {
        self.start + self.calls * self.times
    }

    /// The calls of all rounds that stand where one of the first round does.
    pub(crate) fn alike(self, at: usize) -> impl Iterator<Item = usize> + Clone {
        (at..self.end()).step_by(self.calls)
    }
}

/// The stretches of `count` calls that repeat, in their order. `same` says whether two calls are of one function.
pub(crate) fn rounds(count: usize, same: &dyn Fn(usize, usize) -> bool) -> Vec<Rounds> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < count {
        let longest = (1..=LONGEST_ROUND).map(|calls| {
            let repeats = (at + calls..count)
                .take_while(|&next| same(next - calls, next))
                .count();
            Rounds {
                start: at,
                calls,
                times: 1 + repeats / calls,
            }
        });
        // Of several ways to see it the shortest round.
        let folded = longest.into_iter().find(|rounds| rounds.times >= FOLDED);
        at = folded.map_or(at + 1, Rounds::end);
        found.extend(folded);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_is_found() {
        let of = |text: &str| {
            let calls = text.as_bytes();
            let found = rounds(calls.len(), &|a, b| calls[a] == calls[b]);
            Vec::from_iter(found.iter().map(|each| (each.start, each.calls, each.times)))
        };
        assert_eq!(of("mrrrrrb"), [(1, 1, 5)]);
        assert_eq!(of("mrrrb"), []);
        assert_eq!(of("meoeoeoeoeb"), [(1, 2, 4)]);
        assert_eq!(of("mabcabcabcabcaaaa"), [(1, 3, 4), (13, 1, 4)]);
        assert_eq!(of(""), []);
    }
}
