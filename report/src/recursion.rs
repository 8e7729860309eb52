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

/// So many values of loops stand in a sentence, fewer than half of them the outermost ones.
const IN_A_SENTENCE: usize = 12;

/// The values of the loops around a place, outermost first, as a sentence bears them: those of all rounds of a recursion once, if they are
/// the same, and of very many the first and the last.
pub fn sentence_of_values(values: &[String]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut at = 0;
    for rounds in rounds(values.len(), &|a, b| values[a] == values[b]) {
        words.extend_from_slice(&values[at..rounds.start]);
        let round = values[rounds.start..rounds.start + rounds.calls].join(", ");
        words.push(match rounds.calls {
            1 => format!("{round} ×{}", rounds.times),
            _ => format!("({round}) ×{}", rounds.times),
        });
        at = rounds.end();
    }
    words.extend_from_slice(&values[at..]);
    if let Some(more @ 1..) = words.len().checked_sub(IN_A_SENTENCE) {
        let first = IN_A_SENTENCE / 3;
        words.splice(first..first + more, ["…".to_owned()]);
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_few_values_whatever_the_depth() {
        let said = |of: &[&str]| sentence_of_values(&Vec::from_iter(of.iter().map(|&text| text.to_owned())));
        assert_eq!(said(&["it=3", "k=1", "k=1"]), "it=3, k=1, k=1");
        let deep = ["it=3"]
            .into_iter()
            .chain(std::iter::repeat_n("k=0", 10_000))
            .chain(["k=7"]);
        assert_eq!(said(&Vec::from_iter(deep)), "it=3, k=0 ×10000, k=7");
        assert_eq!(said(&["a=1", "b=2"].repeat(5)), "(a=1, b=2) ×5");
        let all = Vec::from_iter((0..10_000).map(|k| format!("k={k}")));
        let long = sentence_of_values(&all);
        assert!(long.starts_with("k=0, k=1, k=2, k=3, …, k=9992,"), "{long}");
        assert!(long.ends_with("k=9999") && long.len() < 200, "{long}");
        assert_eq!(sentence_of_values(&all[..12]).matches("k=").count(), 12);
    }

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
