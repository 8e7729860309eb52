//! Advice is tried before it is given: a loop for which `hindmost counters` would print nothing is not sent there.

use crate::files::SourceFinder;
use engine::{Answer, CounterRequest, PathLookup, SourceFile};
use std::collections::BTreeMap;

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
    let Some(bytes) = finder.read_regular(path, LARGEST) else {
        return false;
    };
    let files = vec![SourceFile {
        path: path.to_owned(),
        bytes,
    }];
    let map = engine::map_sources(files.clone(), &|_| {});
    let PathLookup::Found(file) = engine::find_file(&map, path) else {
        return false;
    };
    let request = CounterRequest {
        without_calls: true,
        lines: vec![(file, line)],
        root: String::new(),
    };
    !engine::counters(&map, &files, &request).added.is_empty()
}
