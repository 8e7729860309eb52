//! The made-up job.

use engine::{Map, SourceFile, TreeOptions};
use snapshot::{Frame, Task, Value};
use std::collections::BTreeMap;

/// So many tasks does a node run.
pub const PER_NODE: u32 = 256;

/// Nested phases in loops, as solvers have them; every line that a task can stand on is a call.
const SOURCE: &str = "\
static void kernel(int level) {
  for (int j = 0; j < level; j++) {
    gather(j);
    work(j);
    MPI_Waitall(j);
    scatter(j);
  }
}
static void smooth(int level) {
  for (int s = 0; s < level; s++) {
    kernel(s);
    MPI_Allreduce(s);
  }
}
static void cycle(int levels) {
  for (int k = 0; k < levels; k++) {
    smooth(k);
    restrict_residual(k);
    smooth(k);
  }
}
static void advance(int steps) {
  for (int t = 0; t < steps; t++) {
    exchange(t);
    cycle(t);
    MPI_Barrier(t);
  }
}
int main(int argc, char **argv) {
  for (int it = 0; it < 1000000; it++) {
    advance(argc);
    checkpoint(it);
  }
  return 0;
}
";

/// A job: which stack each rank has.
pub struct Job {
    /// The map of its program.
    pub map: Map,
    tasks: u32,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Few,
    Many,
    Skewed,
}

impl Job {
    pub fn new(kind: &str, tasks: u32) -> Result<Self, String> {
        let kind = match kind {
            "few" => Kind::Few,
            "many" => Kind::Many,
            "skewed" => Kind::Skewed,
            _ => return Err(format!("'{kind}' is neither few nor many nor skewed")),
        };
        let source = SourceFile {
            path: "solver.c".to_owned(),
            bytes: SOURCE.as_bytes().to_vec(),
        };
        Ok(Self {
            map: engine::map_sources(vec![source], &|_| {}),
            tasks,
            kind,
        })
    }

    /// How many nodes of the machine the job is on.
    pub fn nodes(&self) -> u32 {
        self.tasks.div_ceil(PER_NODE)
    }

    /// The partial tree of a node, as bytes.
    pub fn partial(&self, node: u32) -> Vec<u8> {
        let first = node * PER_NODE;
        let last = (first + PER_NODE).min(self.tasks);
        let tasks: Vec<Task> = (first..last).map(|rank| self.task(rank)).collect();
        let analysis = engine::Analysis::new(&self.map, &tasks, base::RankSet::default());
        analysis.tree(&TreeOptions::default()).tree.to_bytes()
    }

    /// How many tasks are hindmost, as the job was made.
    pub fn hindmost(&self) -> u64 {
        let least = (0..self.tasks).map(|rank| self.place(rank)).min();
        (0..self.tasks)
            .filter(|&rank| Some(self.place(rank)) == least)
            .count() as u64
    }

    /// Where a rank is, in the order of the program: values of `it`, `t`, `k`, which call of `smooth`, `s`, which line.
    fn place(&self, rank: u32) -> [i64; 6] {
        match self.kind {
            Kind::Few => match rank {
                // One task is behind in a kernel; the others wait for it in three places.
                8 => [41, 7, 3, 0, 2, 3],
                _ => match rank % 3 {
                    0 => [41, 7, 3, 0, 2, 4],
                    1 => [41, 7, 3, 0, 2, 9],
                    _ => [41, 7, 4, 0, 0, 9],
                },
            },
            Kind::Many => {
                let class = i64::from(rank % 64);
                [
                    41,
                    7 + class / 32,
                    class / 8 % 4,
                    class / 4 % 2,
                    class / 2 % 2,
                    3 + class % 2,
                ]
            }
            // No two alike, in no particular order.
            Kind::Skewed => [i64::from(rank.wrapping_mul(2_654_435_761)), 7, 3, 0, 2, 4],
        }
    }

    fn task(&self, rank: u32) -> Task {
        let [it, t, k, second, s, line] = self.place(rank);
        let mut frames = vec![
            frame("main", 31, Some(("it", it))),
            frame("advance", 25, Some(("t", t))),
            frame("cycle", if second == 0 { 17 } else { 19 }, Some(("k", k))),
        ];
        if line == 9 {
            frames.push(frame("smooth", 12, Some(("s", s))));
            frames.push(frame("MPI_Allreduce", 0, None));
        } else {
            frames.push(frame("smooth", 11, Some(("s", s))));
            frames.push(frame("kernel", if line == 3 { 4 } else { 5 }, Some(("j", 1))));
            frames.push(frame(if line == 3 { "work" } else { "MPI_Waitall" }, 0, None));
        }
        Task {
            task: rank.to_string(),
            rank: Some(rank),
            frames,
            ..Task::default()
        }
    }
}

fn frame(function: &str, line: u32, value: Option<(&str, i64)>) -> Frame {
    let values = value.map(|(name, value)| (name.to_owned(), Value::Integer(value)));
    Frame {
        function: function.to_owned(),
        line: (line > 0).then_some(line),
        values: BTreeMap::from_iter(values),
        ..Frame::default()
    }
}
