//! Real jobs under Open MPI and MPICH: finding the ranks, and reading them.

use crate::support::{Program, Target, compile, complete, send, until};
use progress_map::Map;
use runtime_probe::{Job, Options, ProbeError, discover, job_of_pids, take, tasks_of};
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Rank 2 spins before the barrier in which the others wait for it.
const STUCK: &str = r#"
#include <mpi.h>
#include <stdio.h>
volatile int gate = 1, spins;
__attribute__((noinline)) static void stuck(void) { while (gate) spins++; }
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2) stuck();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"#;

/// A launcher and everything below it.
struct Launched(Child);

impl Launched {
    fn start(command: &mut Command) -> Launched {
        let child = command
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        Launched(child)
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Waits until rank 2 is where it stays, and returns the job.
    fn hung(&self) -> Job {
        let mut job = Job::default();
        until("hung", || {
            if let Ok(found) = discover(self.pid()) {
                job = found;
            }
            let options = Options::default();
            let (_, records) = take(&Map::default(), &job.tasks, options);
            let stuck = records
                .iter()
                .any(|record| record.frames.iter().any(|frame| frame.function == "stuck"));
            let ready = records
                .iter()
                .all(|record| complete(record) && record.frames.iter().any(|f| f.function == "main"));
            std::thread::sleep(std::time::Duration::from_millis(50));
            stuck && ready && records.len() == 4
        });
        job
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        // Ranks have process groups of their own under Open MPI: ask the launcher first, it knows them.
        let ranks = discover(self.pid())
            .map(|job| [job.tasks, job.others].concat())
            .unwrap_or_default();
        send("TERM", &format!("-{}", self.pid()));
        for _ in 0..100 {
            if matches!(self.0.try_wait(), Ok(Some(_))) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        send("KILL", &format!("-{}", self.pid()));
        let _ = self.0.wait();
        for rank in ranks {
            let now = tasks_of(&[rank.pid]);
            if now[0].started == rank.started {
                send("KILL", &rank.pid.to_string());
            }
        }
    }
}

fn check(program: &Program, command: &mut Command) {
    let launched = Launched::start(command);
    let job = launched.hung();
    let ranks: Vec<_> = job.tasks.iter().map(|task| task.rank.unwrap()).collect();
    assert_eq!(ranks, [0, 1, 2, 3]);
    assert_eq!(job.size, Some(4));
    assert!(job.missing.is_empty() && job.notes.is_empty(), "{job:?}");
    for task in &job.tasks {
        assert_eq!(task.executable, program.path.to_str().unwrap(), "{job:?}");
    }
    let (header, records) = take(&Map::default(), &job.tasks, Options::default());
    assert!(header.window_us.is_some());
    for record in &records {
        assert!(complete(record), "{record:?}");
        let names: Vec<_> = record
            .frames
            .iter()
            .map(|frame| frame.function.as_str())
            .collect();
        assert_eq!(record.task, record.rank.unwrap().to_string());
        if record.rank == Some(2) {
            assert_eq!(names.last(), Some(&"stuck"));
        } else {
            assert!(names.contains(&"MPI_Barrier"), "{names:?}");
        }
    }
    // A rank by its own pid is one task, with its rank.
    let one = discover(job.tasks[3].pid).unwrap();
    assert_eq!(one.tasks, [job.tasks[3].clone()]);
    assert!(one.missing.is_empty());
    // A rank that has ended is missed.
    assert_eq!(tasks_of(&[job.tasks[1].pid])[0].rank, Some(1));
}

fn open_mpi(arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun.openmpi");
    command.args(["--oversubscribe", "-np", "4"]).args(arguments);
    command
}

fn mpich(arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun.mpich");
    command.args(["-np", "4"]).args(arguments);
    command
}

#[test]
fn open_mpi_and_mpich() {
    for (compiler, launcher) in [
        ("mpicc.openmpi", open_mpi as fn(&[&str]) -> Command),
        ("mpicc.mpich", mpich),
    ] {
        let program = compile(compiler, STUCK, "-g -O2");
        let path = program.path.to_str().unwrap();
        check(&program, &mut launcher(&[path]));
        // A shell between launcher and application, that stays; and env, which does not.
        let script = program.path.with_extension("sh");
        fs::write(&script, format!("env A=B {path} \"$@\"\nexit $?\n")).unwrap();
        check(&program, &mut launcher(&["sh", script.to_str().unwrap()]));
    }
}

#[test]
fn a_launcher_without_ranks() {
    // Open MPI's launcher, with something below it that is no rank.
    const LAUNCHER: &str = r#"
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void) { prctl(PR_SET_NAME, "mpirun"); puts("ready"); fflush(stdout); for (;;) pause(); }
"#;
    let program = compile("gcc", LAUNCHER, "-O2");
    let target = program.start(&[]);
    let error = discover(target.pid()).unwrap_err();
    assert!(matches!(error, ProbeError::NoRanks { .. }), "{error}");
    assert!(error.to_string().contains("the launcher mpirun"), "{error}");
}

/// While a process is being started it has no environment for a moment. One that starts itself again and again is often seen in such moments.
#[test]
fn a_rank_that_is_being_started_is_one() {
    const AGAIN: &str = r#"
#include <unistd.h>
int main(int argc, char **argv) { execv("/proc/self/exe", argv); }
"#;
    let program = compile("gcc", AGAIN, "-O1");
    let script = "PMI_RANK=0 PMI_SIZE=2 sleep 100 & PMI_RANK=1 PMI_SIZE=2 $0 & wait";
    let launched = Launched::start(Command::new("sh").args(["-c", script]).arg(&program.path));
    until("started", || {
        discover(launched.pid()).is_ok_and(|job| job.tasks.len() == 2)
    });
    for look in 0..100 {
        let job = discover(launched.pid()).unwrap();
        let ranks = Vec::from_iter(job.tasks.iter().map(|task| task.rank));
        assert_eq!(ranks, [Some(0), Some(1)], "look {look}: {job:?}");
    }
}

#[test]
fn missing_ranks_and_double_ones_are_reported() {
    let script = "PMI_RANK=0 PMI_SIZE=4 sleep 100 & PMI_RANK=2 PMI_SIZE=4 sleep 100 & \
                  PMI_RANK=2 PMI_SIZE=4 sleep 101 & wait";
    let launched = Launched::start(Command::new("sh").args(["-c", script]));
    let mut job = Job::default();
    until("started", || {
        job = discover(launched.pid()).unwrap();
        job.tasks.len() == 3 && job.tasks.iter().all(|task| task.executable.ends_with("/sleep"))
    });
    assert_eq!(job.missing.to_string(), "1,3");
    assert_eq!(job.size, Some(4));
    let notes = job.notes_of_this_host();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("rank 2 has 2 processes"), "{:?}", notes);
    assert!(
        notes[1].contains("ranks 1,3 of 4 have no process below pid"),
        "{:?}",
        notes
    );

    let map = std::env::temp_dir().join(format!("hindmost-missing-{}.hmap", std::process::id()));
    fs::write(&map, Map::default().to_bytes()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hindmost-probe"))
        .args([
            "--map",
            map.to_str().unwrap(),
            "--launcher",
            &launched.pid().to_string(),
        ])
        .output()
        .unwrap();
    let _ = fs::remove_file(&map);
    assert_eq!(output.status.code(), Some(1));
    let (_, records) = snapshot::read(&String::from_utf8_lossy(&output.stdout)).unwrap();
    let names: Vec<_> = records.iter().map(|record| record.task.as_str()).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    assert!(
        records[3]
            .error
            .as_ref()
            .unwrap()
            .contains("rank 1 of 4 has no process"),
        "{records:?}"
    );
}

#[test]
fn open_mpis_table_names_every_rank_and_process() {
    let program = compile("mpicc.openmpi", STUCK, "-g -O1");
    let launched = Launched::start(
        Command::new("mpirun.openmpi")
            .args(["--oversubscribe", "-np", "4"])
            .arg(&program.path),
    );
    let job = launched.hung();
    let table = job.table(Some(launched.pid()));
    assert_eq!(table.launcher.1, launched.pid());
    let of_launcher = runtime_probe::launcher_table(launched.pid()).expect("Open MPI 4 keeps one");
    let pids = |table: &runtime_probe::ProcessTable| {
        Vec::from_iter(table.entries.iter().map(|entry| (entry.rank, entry.pid)))
    };
    assert_eq!(pids(&of_launcher), pids(&table));
    for entry in &of_launcher.entries {
        assert_eq!(entry.executable, program.path.to_str().unwrap());
    }
    let again = runtime_probe::ProcessTable::parse(&table.to_text()).unwrap();
    assert_eq!(again, table);
    let found = Job::of_table(&again);
    assert_eq!(found.tasks, job.tasks);
    assert!(found.missing.is_empty() && found.notes.is_empty(), "{found:?}");
}

#[test]
fn ranks_that_are_given_alone_name_their_job_of_slurm() {
    let rank = |rank: &str, job: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", "echo ready; sleep 100; :"]);
        command.env("SLURM_PROCID", rank).env("SLURM_NTASKS", "8");
        Target::start(command.env("SLURM_JOB_ID", job))
    };
    let ranks = [rank("0", "4711"), rank("1", "4711"), rank("2", "4712")];
    let pids = ranks.each_ref().map(Target::pid);
    let told = |pids: &[u32]| job_of_pids(pids).absence.unwrap();
    let own = told(&pids[..2]);
    assert!(
        own.contains("2 of 8 ranks") && own.contains("--job 4711 asks"),
        "{own}"
    );
    // Those of two jobs are of none.
    assert!(!told(&pids).contains("--job"), "{}", told(&pids));
}
