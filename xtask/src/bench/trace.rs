//! The tracer of calls: what a call costs with it, what it costs a program, and what its traces take, beside uftrace, callgrind and gprof on the same program in the same run.
//!
//! Rounds are interleaved, and of each way the least processor time counts: what the machine does besides only adds.

use super::measure::print_machine;
use crate::command::{self, cargo, find_program, succeed, work_directory};
use crate::workspace;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Interleaved runs of each way.
const ROUNDS: usize = 3;

/// What is called, how often, and how often under callgrind and uftrace, which are slow.
const KINDS: [(&str, u64, u64); 3] = [
    ("calls", 10_000_000, 500_000),
    ("regular", 3_000_000, 300_000),
    ("irregular", 3_000_000, 300_000),
];

/// A compilation and what runs with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Plain,
    Hooks,
    HooksTraced,
    Places,
    PlacesTraced,
    Rewritten,
    Gprof,
    Uftrace,
    Callgrind,
}

impl Way {
    const ALL: [Self; 9] = [
        Self::Plain,
        Self::Hooks,
        Self::HooksTraced,
        Self::Places,
        Self::PlacesTraced,
        Self::Rewritten,
        Self::Gprof,
        Self::Uftrace,
        Self::Callgrind,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Hooks => "-finstrument-functions, not traced",
            Self::HooksTraced => "-finstrument-functions, traced",
            Self::Places => "-mnop-mcount, not traced",
            Self::PlacesTraced => "-mnop-mcount, traced",
            Self::Rewritten => "rewritten, traced",
            Self::Gprof => "gprof",
            Self::Uftrace => "uftrace",
            Self::Callgrind => "callgrind",
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Plain | Self::Rewritten | Self::Callgrind => &[],
            Self::Hooks | Self::HooksTraced => &["-finstrument-functions"],
            Self::Places | Self::PlacesTraced => &[
                "-no-pie",
                "-fno-pie",
                "-pg",
                "-mfentry",
                "-mnop-mcount",
                "-mrecord-mcount",
                "-minstrument-return=nop5",
                "-mrecord-return",
            ],
            Self::Gprof | Self::Uftrace => &["-pg"],
        }
    }

    /// Whether it is slow enough to be given less to do.
    fn is_slow(self) -> bool {
        matches!(self, Self::Uftrace | Self::Callgrind)
    }

    fn tool(self) -> Option<&'static str> {
        match self {
            Self::Uftrace => Some("uftrace"),
            Self::Callgrind => Some("valgrind"),
            _ => None,
        }
    }
}

/// Runs it; the tables go to standard output.
pub(super) fn run() -> Result<()> {
    // The tracer as it is installed.
    let mut tracer = cargo();
    tracer.args([
        "build",
        "--lib",
        "--profile",
        "dist",
        "--package",
        "runtime-trace",
    ]);
    command::run(&mut tracer)?;
    let mut sizes = cargo();
    sizes.args([
        "build",
        "--release",
        "--package",
        "calltrace",
        "--example",
        "sizes",
    ]);
    command::run(&mut sizes)?;
    let built = workspace::target()?;
    let directory = work_directory("bench-trace")?;
    print_machine();
    let bench = Bench {
        tracer: built.join("dist/libruntime_trace.so"),
        directory: &directory,
    };
    for (kind, count, few) in KINDS {
        bench.kind(kind, count, few)?;
    }
    println!();
    let mut sizes = Command::new(built.join("release/examples/sizes"));
    sizes.args(KINDS.map(|(kind, ..)| directory.join(format!("traces-{kind}"))));
    command::run(&mut sizes)
}

/// What a run took for its calls.
#[derive(Clone, Copy)]
struct Took {
    /// Nanoseconds of processor time.
    time: f64,
    calls: f64,
}

struct Bench<'d> {
    tracer: PathBuf,
    directory: &'d Path,
}

impl Bench<'_> {
    fn kind(&self, kind: &str, count: u64, few: u64) -> Result<()> {
        let ways = Way::ALL
            .into_iter()
            .filter(|way| way.tool().is_none_or(|tool| find_program(tool).is_some()));
        let ways = Vec::from_iter(ways);
        let mut least: BTreeMap<(Way, u64), Took> = BTreeMap::new();
        for _ in 0..ROUNDS {
            for &way in &ways {
                let counts = match way {
                    Way::Plain => &[count, few][..],
                    way if way.is_slow() => &[few],
                    _ => &[count],
                };
                for &count in counts {
                    let took = self.run(way, kind, count)?;
                    let known = least.entry((way, count)).or_insert(took);
                    known.time = known.time.min(took.time);
                }
            }
        }
        println!("\n{kind}: nanoseconds above plain for a call with its return; times as long as plain");
        for way in ways {
            let count = if way.is_slow() { few } else { count };
            let Took { time, calls } = least[&(way, count)];
            let plain = least[&(Way::Plain, count)].time;
            println!(
                "{:>36}  {:>8.1} ns  {:>6.2}",
                way.name(),
                (time - plain) / calls,
                time / plain
            );
        }
        Ok(())
    }

    fn run(&self, way: Way, kind: &str, count: u64) -> Result<Took> {
        let exe = self.compiled(way)?;
        let traces = self.directory.join(format!("traces-{kind}"));
        let mut run = match way {
            Way::Callgrind => {
                let mut run = Command::new("valgrind");
                run.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "-q"])
                    .arg(&exe);
                run
            }
            Way::Uftrace => {
                let data = self.directory.join("uftrace.data");
                let _ = std::fs::remove_dir_all(&data);
                let mut run = Command::new("uftrace");
                run.args(["record", "--no-libcall", "-d"]).arg(data).arg(&exe);
                run
            }
            _ => Command::new(&exe),
        };
        if matches!(way, Way::HooksTraced | Way::PlacesTraced | Way::Rewritten) {
            let _ = std::fs::remove_dir_all(&traces);
            run.env("LD_PRELOAD", &self.tracer).env("HINDMOST_TRACE", &traces);
        }
        if way == Way::Rewritten {
            run.env("HINDMOST_TRACE_REWRITE", exe.file_name().unwrap_or_default());
        }
        // gprof leaves its data where it is.
        run.current_dir(self.directory).args([kind, &count.to_string()]);
        let (output, _) = succeed(&mut run)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut numbers = text.split_whitespace().map_while(|word| word.parse().ok());
        let took = numbers.next().zip(numbers.next());
        took.map(|(time, calls)| Took { time, calls })
            .with_context(|| format!("{} printed {text:?}", way.name()))
    }

    fn compiled(&self, way: Way) -> Result<PathBuf> {
        let exe = self.directory.join(format!("calls-{}", way as u8));
        let source = workspace::root().join("bench/src/trace/calls.c");
        if !exe.exists() || exe.metadata()?.modified()? < source.metadata()?.modified()? {
            succeed(
                Command::new("gcc")
                    .arg("-O2")
                    .args(way.options())
                    .arg("-o")
                    .arg(&exe)
                    .arg(source),
            )?;
        }
        Ok(exe)
    }
}
