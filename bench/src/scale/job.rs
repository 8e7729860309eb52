//! The made-up job.

use engine::{Map, SourceFile, TreeOptions};
use snapshot::{Frame, Frames, Task, Value};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

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
    kind: JobKind,
}

#[derive(Clone, Copy)]
enum JobKind {
    Few,
    Many,
    Skewed,
    /// 64 classes, each of ranks that follow one another.
    Runs,
    /// 10,000 classes, dealt in turn.
    Crowd,
    /// 10,000 classes, dealt at random.
    Shuffled,
}

impl Job {
    pub fn new(kind: &str, tasks: u32) -> Result<Self, String> {
        let kind = match kind {
            "few" => JobKind::Few,
            "many" => JobKind::Many,
            "skewed" => JobKind::Skewed,
            "runs" => JobKind::Runs,
            "crowd" => JobKind::Crowd,
            "shuffled" => JobKind::Shuffled,
            _ => return Err(format!("'{kind}' is no kind of job")),
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
        let tasks = Vec::from_iter(self.tasks(self.ranks_of(node)));
        let analysis = engine::Analysis::new(&self.map, &tasks, base::RankSet::default());
        analysis.tree(&TreeOptions::default()).to_bytes()
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
            JobKind::Few => match rank {
                // One task is behind in a kernel; the others wait for it in three places.
                8 => [41, 7, 3, 0, 2, 3],
                _ => match rank % 3 {
                    0 => [41, 7, 3, 0, 2, 4],
                    1 => [41, 7, 3, 0, 2, 9],
                    _ => [41, 7, 4, 0, 0, 9],
                },
            },
            JobKind::Many => of_class(rank % 64),
            JobKind::Runs => of_class(rank / self.tasks.div_ceil(64)),
            JobKind::Crowd => of_class(rank % CROWD),
            JobKind::Shuffled => of_class((rank.wrapping_mul(2_654_435_761) >> 8) % CROWD),
            // No two alike, in no particular order.
            JobKind::Skewed => [i64::from(rank.wrapping_mul(2_654_435_761)), 7, 3, 0, 2, 4],
        }
    }

    /// Its program and what a look at it would have recorded.
    pub fn record(&self, directory: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(directory)?;
        std::fs::write(directory.join("solver.c"), SOURCE)?;
        let mut out = BufWriter::new(File::create(directory.join("stacks.jsonl"))?);
        for node in 0..self.nodes() {
            let tasks = Vec::from_iter(self.tasks(self.ranks_of(node)));
            let text = snapshot::write(&snapshot::Header::default(), &tasks);
            // The tasks of all nodes follow one another, as those of one.
            out.write_all(text.split_once('\n').map_or("", |(_, tasks)| tasks).as_bytes())?;
        }
        out.flush()
    }

    fn ranks_of(&self, node: u32) -> std::ops::Range<u32> {
        let first = node * PER_NODE;
        first..(first + PER_NODE).min(self.tasks)
    }

    /// What is seen of some ranks.
    pub fn tasks(&self, ranks: std::ops::Range<u32>) -> impl Iterator<Item = Task> + '_ {
        // Those at one place share their frames, as those that a probe sends do.
        let mut known: BTreeMap<[i64; 6], Frames> = BTreeMap::new();
        ranks.map(move |rank| {
            let place = self.place(rank);
            let frames = known.entry(place).or_insert_with(|| frames_at(place));
            Task {
                task: rank.to_string(),
                rank: Some(rank),
                frames: frames.clone(),
                ..Task::default()
            }
        })
    }
}

/// The frames of a task at a place.
fn frames_at([it, t, k, second, s, line]: [i64; 6]) -> Frames {
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
    frames.into()
}

/// How many classes there are where there are very many.
const CROWD: u32 = 10_000;

/// The place of a class; the lower its number, the farther behind it is.
fn of_class(class: u32) -> [i64; 6] {
    let class = i64::from(class);
    [
        41 + class / 64,
        7 + class / 32 % 2,
        class / 8 % 4,
        class / 4 % 2,
        class / 2 % 2,
        3 + class % 2,
    ]
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
