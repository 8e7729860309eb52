//! Eleven errors put into programs of the corpus, each of which hangs a job for real: is the faulty line in the slice of the
//! hindmost's stack, and how far down the list must a reader go?
//!
//! Under CI some of them are run; with `HINDMOST_SLICES=all` all.

use crate::hindmost::{PATIENCE, hindmost, my_turn, out, run, said};
use corpus::{Job, JobPlan, Mpi, Program, cpu_ticks};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

/// An error and what hangs because of it.
struct Bug {
    name: &'static str,
    /// The program; a file of `tests/slices/hung`, whose faulty lines are marked `BUG`, if none.
    program: Option<Program>,
    /// Replacements, each on a line of its own; faulty are the lines whose new text holds `/* BUG */`.
    edits: &'static [(&'static str, &'static str)],
    ranks: u32,
    arguments: &'static [&'static str],
    /// Runs under CI too.
    always: bool,
}

impl Bug {
    fn is_cxx(&self) -> bool {
        self.program.is_some_and(Program::is_cxx)
    }
}

const BUGS: [Bug; 11] = [
    Bug {
        name: "off-by-one neighbour",
        program: Some(Program::Poisson),
        edits: &[(
            "band.above = band.rank < size - 1 ?",
            "/* BUG */ band.above = band.rank < size - 2 ?",
        )],
        ranks: 4,
        arguments: &[],
        always: true,
    },
    Bug {
        name: "wrong tag of a receive",
        program: Some(Program::Ring),
        edits: &[(
            "int tag = stall_here(\"lost_token\", step) ? TAG_LOST : TAG_TOKEN;",
            "/* BUG */ int tag = step == 3 && ring->rank == 2 ? TAG_TOKEN + 1 : TAG_TOKEN;",
        )],
        ranks: 4,
        arguments: &[],
        always: true,
    },
    Bug {
        name: "wrong branch on one rank: its own change decides instead of everybody's",
        program: Some(Program::Poisson),
        edits: &[(
            "if (diff <= tolerance || stall_here(\"converged\", it))",
            "/* BUG */ if (norm <= tolerance)",
        )],
        ranks: 4,
        arguments: &["4000", "1e-4"],
        always: false,
    },
    Bug {
        name: "truncated value",
        program: Some(Program::Ring),
        edits: &[(
            "ring.left = (ring.rank + ring.size - 1) % ring.size;",
            "/* BUG */ ring.left = (unsigned char)(ring.rank - 1) % ring.size;",
        )],
        ranks: 3,
        arguments: &[],
        always: false,
    },
    Bug {
        name: "missing reset",
        program: Some(Program::Hybrid),
        edits: &[
            (
                "int source = part->partner, tag = TAG_SWAP;",
                "static int phase; int source = part->partner, tag = TAG_SWAP + phase;",
            ),
            (
                "part->cell[0] = theirs;",
                "part->cell[0] = theirs; if (step % 4 == 3) phase = part->rank % 2; /* BUG */",
            ),
        ],
        ranks: 4,
        arguments: &[],
        always: false,
    },
    Bug {
        name: "counter reset on one path only, in C++",
        program: Some(Program::Relax),
        edits: &[
            ("int reports = 0;", "int reports = 0, since = 0;"),
            (
                "piece.exchange(comm, stall_here(\"lost_end\", sweep) ? TAG_LOST : TAG_END);",
                "piece.exchange(comm, ++since > 20 ? TAG_LOST : TAG_END);",
            ),
            (
                "reports++;",
                "reports++; if (piece.left == MPI_PROC_NULL) since = 0; /* BUG */",
            ),
        ],
        ranks: 3,
        arguments: &[],
        always: false,
    },
    Bug {
        name: "race in a nomination",
        program: None,
        edits: &[],
        ranks: 4,
        arguments: &[],
        always: false,
    },
    Bug {
        name: "wrong tag of a send",
        program: Some(Program::Adi),
        edits: &[(
            "MPI_Send(top, 2 * PLANE, MPI_DOUBLE, box->above, TAG_UP, box->comm);",
            "/* BUG */ MPI_Send(top, 2 * PLANE, MPI_DOUBLE, box->above, box->rank == 1 ? TAG_DOWN : TAG_UP, box->comm);",
        )],
        ranks: 4,
        arguments: &[],
        always: true,
    },
    Bug {
        name: "one cycle less on one rank",
        program: Some(Program::Multigrid),
        edits: &[(
            "while (mg->cycle < cycles) {",
            "/* BUG */ while (mg->cycle < cycles - (mg->rank == 1)) {",
        )],
        ranks: 4,
        arguments: &[],
        always: false,
    },
    Bug {
        name: "message not sent",
        program: Some(Program::Ring),
        edits: &[(
            "send_token(ring, &token, step);",
            "/* BUG */ if (step != 7 || ring->rank != 1) send_token(ring, &token, step);",
        )],
        ranks: 4,
        arguments: &[],
        always: false,
    },
    Bug {
        name: "one rank does not come to a collective",
        program: Some(Program::Poisson),
        edits: &[(
            "MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, band->comm);",
            "diff = norm;\nif (it != 5 || band->rank != 2) /* BUG */\n\
             MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, band->comm);",
        )],
        ranks: 4,
        arguments: &[],
        always: false,
    },
];

/// The text of the program with the error in it.
fn text(bug: &Bug) -> String {
    let file = bug.program.map_or_else(
        || tests::slices::suite::directory().join("hung/nomination.c"),
        Program::source,
    );
    let mut text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    for (from, to) in bug.edits {
        assert_eq!(text.matches(from).count(), 1, "{}: {from}", bug.name);
        text = text.replace(from, to);
    }
    text
}

/// Compiles the text at `source`.
fn compile(source: &Path, exe: &Path) {
    let compiler = if source.extension().is_some_and(|ending| ending == "cpp") {
        "mpicxx.openmpi"
    } else {
        "mpicc.openmpi"
    };
    let output = Command::new(compiler)
        .args(["-g", "-O0", "-fopenmp", "-w", "-I"])
        .arg(corpus::directory())
        .arg(source)
        .args(["-x", "c"])
        .arg(corpus::directory().join("stall.c"))
        .arg("-lm")
        .arg("-o")
        .arg(exe)
        .output()
        .unwrap_or_else(|e| panic!("{compiler}: {e}"));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Waits until every rank has used a second of processor time without coming past a place where it could stall (which
/// is where the corpus counts), and says no more.
pub(crate) fn wait_hung(job: &Job, ranks: u32) {
    const TICKS: u64 = 60;
    let start = Instant::now();
    loop {
        let state = (job.heartbeat(), job.output());
        let pids = job.ranks();
        let used = Vec::from_iter(pids.values().map(|&pid| cpu_ticks(pid)));
        while state == (job.heartbeat(), job.output()) {
            let idle = pids.values().zip(&used).all(|(&pid, before)| {
                cpu_ticks(pid)
                    .zip(*before)
                    .is_some_and(|(now, then)| now >= then + TICKS)
            });
            if pids.len() == ranks as usize && idle {
                return;
            }
            if pids.len() != job.ranks().len() {
                break;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "the job does not hang: {}",
                job.output()
            );
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// What `find --slice` says of a hung job: who is the hindmost, and the lines of its slice, nearest first.
fn slice(launcher: u32) -> Result<(String, Vec<(String, u32)>), String> {
    let pid = launcher.to_string();
    let found = run(hindmost().args(["find", "--format", "json", "--launcher", &pid]));
    let answer: Value = serde_json::from_slice(&found.stdout).map_err(|_| said(&found))?;
    let first = &answer["hindmost"][0];
    // Where all stand at one point there is one class, and nobody is named.
    let class = first["class"].as_u64().unwrap_or(0) as usize;
    let frames = answer["classes"][class]["frames"].as_array().cloned();
    let own = frames
        .unwrap_or_default()
        .into_iter()
        .filter(|frame| frame["line"].is_u64());
    let stack = own.map(|frame| format!("{}:{}", frame["function"].as_str().unwrap_or("?"), frame["line"]));
    let ranks = first["ranks"].as_str().unwrap_or("all");
    let who = format!("{ranks} in {}", Vec::from_iter(stack).join(" > "));
    Ok((who, slice_of(launcher)?))
}

/// The lines of the whole slice of a hung job, nearest first.
pub(crate) fn slice_of(launcher: u32) -> Result<Vec<(String, u32)>, String> {
    let wanted = [
        "find",
        "--slice",
        "--all",
        "--slice-format",
        "lines",
        "--launcher",
    ];
    let output = run(hindmost()
        .args(wanted)
        .arg(launcher.to_string())
        .current_dir(out()));
    lines_of(&output)
}

/// The lines of a slice that was printed as notes, in its order; what was said instead, if there is none.
pub(crate) fn lines_of(output: &Output) -> Result<Vec<(String, u32)>, String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter(|line| line.contains(": note: "));
    let lines = lines.filter_map(|line| {
        let mut parts = line.split(':');
        Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?))
    });
    let lines = Vec::from_iter(lines);
    if lines.is_empty() {
        Err(said(output))
    } else {
        Ok(lines)
    }
}

/// Runs a program with an error in it; where the faulty line stands in the slice of the hindmost's stack, from 1, and how
/// long that is.
fn position(bug: &Bug) -> Result<(Option<usize>, usize), String> {
    let stem = bug.name.split(':').next().unwrap_or_default().replace(' ', "-");
    let directory = out().join("slices").join(&stem);
    std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
    let source = directory.join(if bug.is_cxx() { "program.cpp" } else { "program.c" });
    let text = text(bug);
    std::fs::write(&source, &text).map_err(|e| e.to_string())?;
    let exe = directory.join("program");
    compile(&source, &exe);
    let plan = JobPlan {
        exe: &exe,
        mpi: Mpi::OpenMpi,
        ranks: bug.ranks,
        stall: None,
        arguments: bug.arguments,
    };
    let job = plan.start().map_err(|e| e.to_string())?;
    wait_hung(&job, bug.ranks);
    let (who, lines) = slice(job.launcher())?;
    drop(job);
    let is_faulty = |line: u32| {
        let text = text.lines().nth(line as usize - 1);
        text.is_some_and(|text| text.contains("/* BUG */"))
    };
    let at = lines
        .iter()
        .position(|(file, line)| Path::new(file).file_stem() == source.file_stem() && is_faulty(*line));
    let place = at.map_or_else(|| "not in".to_owned(), |at| (at + 1).to_string());
    println!("{}: {place} of {} lines; hindmost {who}", bug.name, lines.len());
    Ok((at.map(|at| at + 1), lines.len()))
}

#[test]
fn the_faulty_line_is_in_the_slice_of_the_hindmost() {
    let _turn = my_turn();
    let all = std::env::var_os("HINDMOST_SLICES").is_some_and(|value| value == "all");
    let (mut count, mut early) = (0, 0);
    let mut wrong = Vec::new();
    for bug in BUGS.iter().filter(|bug| all || bug.always) {
        count += 1;
        match position(bug) {
            Ok((Some(at), _)) => early += usize::from(at <= 20),
            Ok((None, statements)) => {
                wrong.push(format!("{}: not in a slice of {statements} statements", bug.name));
            }
            Err(why) => wrong.push(format!("{}: {why}", bug.name)),
        }
    }
    println!("{early} of {count} within the first twenty");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        early * 10 >= count * 8,
        "only {early} of {count} within the first twenty"
    );
}
