//! Advice is tried before it is given: a loop for which `hindmost counters` would print nothing is not sent there.

use crate::files::SourceFinder;
use engine::{Answer, CounterRequest, PathLookup, SourceFile};
use std::collections::{BTreeMap, BTreeSet};

/// The largest source that is looked into for that: nobody waits for an answer because of its advice.
const LARGEST: u64 = 4 << 20;

/// Takes back the advice of an answer that cannot be followed.
pub fn check(answer: &mut Answer, finder: &SourceFinder) {
    let mut known: BTreeMap<(String, u32), bool> = BTreeMap::new();
    answer.check_advice(&mut |file, line| {
        *known
            .entry((file.to_owned(), line))
            .or_insert_with(|| gets_counter(file, line, finder))
    });
}

fn gets_counter(path: &str, line: u32, finder: &SourceFinder) -> bool {
    lines_that_get_counters(path, &[line], finder).contains(&line)
}

/// For the loops at which of these lines of a file `hindmost counters` prints a change.
pub fn lines_that_get_counters(path: &str, lines: &[u32], finder: &SourceFinder) -> BTreeSet<u32> {
    let none = BTreeSet::new();
    let Some(bytes) = finder.read_regular(path, LARGEST) else {
        return none;
    };
    let files = vec![SourceFile {
        path: path.to_owned(),
        bytes,
    }];
    let map = engine::map_sources(files.clone(), &|_| {});
    let PathLookup::Found(file) = engine::find_file(&map, path) else {
        return none;
    };
    let request = CounterRequest {
        without_calls: true,
        lines: lines.iter().map(|&line| (file, line)).collect(),
        root: String::new(),
    };
    let added = engine::counters(&map, &files, &request).added;
    added.into_iter().map(|(_, line, _)| line).collect()
}
