//! Pairs of task names to compare, one pair per line.

use engine::Analysis;
use project::Failure;
use std::fmt::Write as _;
use std::path::Path;

/// One line of a file of pairs.
struct Pair<'a> {
    a: &'a str,
    b: &'a str,
    tasks: (usize, usize),
}

/// Compares the pairs of `text`, and returns one line per pair, in their order.
///
/// # Errors
/// The first line that does not hold two names of tasks.
pub(crate) fn compare(analysis: &Analysis<'_>, text: &str, path: &Path) -> Result<String, Failure> {
    let mut pairs = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = || format!("{}:{}", path.display(), index + 1);
        let names: Vec<&str> = split(line);
        let (a, b) = match names[..] {
            [] => continue,
            [a, b] => (a, b),
            _ => {
                let count = names.len();
                return Err(
                    Failure::new(format!("{}: two task names expected, found {count}", at()))
                        .hint("names that contain spaces can be parted by a tab"),
                );
            }
        };
        let find = |name: &str| {
            analysis
                .named(name)
                .ok_or_else(|| Failure::new(format!("{}: no task is named '{name}' in the stacks", at())))
        };
        pairs.push(Pair {
            a,
            b,
            tasks: (find(a)?, find(b)?),
        });
    }
    let tasks: Vec<(usize, usize)> = pairs.iter().map(|pair| pair.tasks).collect();
    let mut out = String::new();
    for (pair, (relation, reason)) in pairs.iter().zip(analysis.compare_all(&tasks)) {
        let (a, b) = (report::clean_field(pair.a), report::clean_field(pair.b));
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{a} {b} {} {}", relation.word(), report::clean(&reason));
    }
    Ok(out)
}

/// The names on a line: parted by tabs if there are any, by white space otherwise.
fn split(line: &str) -> Vec<&str> {
    if line.trim().contains('\t') {
        line.split('\t')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect()
    } else {
        line.split_whitespace().collect()
    }
}
