//! Counting what stands in the way, largest first, with an example of each.

use crate::percent;
use std::collections::BTreeMap;

/// How many examples are shown of a cause.
const EXAMPLES: usize = 3;

/// Causes with how often each was met, and places where it was.
#[derive(Default)]
pub(crate) struct Causes(BTreeMap<String, (usize, Vec<String>)>);

impl Causes {
    pub(crate) fn add(&mut self, cause: String, example: impl FnOnce() -> String) {
        let (count, examples) = self.0.entry(cause).or_default();
        *count += 1;
        // The first of all, and then ones far from each other: neighbours are often alike.
        if count.is_power_of_two() {
            if examples.len() == EXAMPLES {
                examples.remove(1);
            }
            examples.push(example());
        }
    }

    /// Prints the most frequent ones, as shares of `whole`.
    pub(crate) fn print(&self, whole: usize, most: usize) {
        let mut sorted: Vec<_> = self.0.iter().collect();
        sorted.sort_by_key(|(cause, (count, _))| (std::cmp::Reverse(*count), *cause));
        for (cause, (count, examples)) in sorted.iter().take(most) {
            println!("      {count:>7} ({:5.2} %)  {cause}", percent(*count, whole));
            for example in examples {
                println!("                          as at {example}");
            }
        }
        let rest: usize = sorted.iter().skip(most).map(|(_, (count, _))| count).sum();
        if rest > 0 {
            println!("      {rest:>7} ({:5.2} %)  other causes", percent(rest, whole));
        }
    }
}
