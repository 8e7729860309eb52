//! The program whose tasks are put in order, and their stacks.

use progress::{ExecutionPoint, Frame, Value};
use progress_map::Map;

const SOURCE: &str = "\
int work(int); int limit(void);
static void smooth(int level) {
  int j = 0;
  while (j < limit()) {
    work(j);
    j++;
    if (j % 7 == 3) { work(level); continue; }
    work(-j);
  }
}
static void cycle(int levels) {
  for (int k = 0; k < levels; k++) {
    smooth(k);
    if (k % 2) { work(k); } else { smooth(levels - k); }
  }
}
int main(int argc, char **argv) {
  for (int it = 0; it < 1000000; it++) {
    cycle(argc);
    work(it);
  }
  return 0;
}
";

/// The map of the program.
pub fn map() -> Map {
    lov::analyse(&units(&[("solver.c".to_owned(), SOURCE.as_bytes().to_vec())]))
}

/// Parses C sources, given by path and text.
pub fn units(files: &[(String, Vec<u8>)]) -> Vec<ir::Unit> {
    let sources = || files.iter().map(|(path, text)| frontend::Source { path, text });
    let macros = frontend::Macros::gather(sources());
    sources()
        .map(|source| frontend::parse(&source, &macros))
        .collect()
}

/// How much the tasks differ.
#[derive(Clone, Copy)]
pub enum Spread {
    /// As in a job that hangs: a few tasks behind, the others in two places.
    Few,
    /// Every task in an iteration of its own.
    Own,
}

/// `count` stacks.
pub fn tasks(count: u32, spread: Spread) -> Vec<ExecutionPoint> {
    (0..count).map(|rank| task(rank, spread)).collect()
}

fn task(rank: u32, spread: Spread) -> ExecutionPoint {
    let (it, k, j) = match spread {
        Spread::Few => (
            i128::from(41 - u32::from(rank % 50_000 == 8)),
            3,
            i128::from(rank % 5),
        ),
        // No two alike, in no particular order.
        Spread::Own => {
            let mixed = i128::from(u64::from(rank) * 7_919 % 1_000_003);
            (mixed, mixed % 11, mixed % 13)
        }
    };
    let in_cycle = [("main", 19, "it", it), ("cycle", 13, "k", k)];
    let outer = in_cycle.map(|(function, line, name, value)| frame(function, line, &[(name, value)]));
    let line = [5, 7, 8][rank as usize % 3];
    let inner = frame("smooth", line, &[("j", j)]);
    ExecutionPoint {
        task: rank.to_string(),
        rank: Some(rank),
        frames: Vec::from_iter(outer.into_iter().chain([inner, frame("work", 0, &[])])),
        ..ExecutionPoint::default()
    }
}

fn frame(function: &str, line: u32, values: &[(&str, i128)]) -> Frame {
    let values = values
        .iter()
        .map(|&(name, value)| (name.to_owned(), Value::Int(value)));
    Frame {
        function: function.to_owned(),
        line: Some(line).filter(|&line| line > 0),
        values: values.collect(),
        ..Frame::default()
    }
}
