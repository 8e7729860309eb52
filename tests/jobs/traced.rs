//! A job that nobody has prepared, recorded and traced: its functions are rewritten, and what it calls of MPI is in the traces, because the recorder tells of it.

use crate::hindmost::{dom_of, hindmost, my_turn, out, run, said};
use crate::unprepared::{compiled, written};
use crate::waits::recorder_of;
use corpus::Mpi;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const PROGRAM: &str = r#"
#include <mpi.h>
__attribute__((noinline)) static void shift(int rank, int size)
{
    int mine = rank, got;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}
__attribute__((noinline)) static void step(int rank, int size)
{
    double mine = 1, all;
    for (int i = 0; i < 3; i++) shift(rank, size);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 7; i++) step(rank, size);
    if (rank == 1) MPI_Barrier(MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn calls_of_mpi_are_in_the_traces_of_a_recorded_job() {
    let _turn = my_turn();
    let source = written("traced.c", PROGRAM);
    let exe = compiled("mpicc.openmpi", &source, "traced-sums", &["-O2"]);
    let recorder = recorder_of(Mpi::OpenMpi);
    let own = std::env::current_exe().unwrap();
    let tracer = own.with_file_name("libruntime_trace.so");
    let directory = out().join("traced");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    let (records, traces) = (directory.join("records"), directory.join("traces"));
    let mut job = hindmost();
    job.arg("run")
        .arg("--recorder")
        .arg(recorder)
        .arg("--record")
        .arg(&records);
    job.arg("--trace").arg(&traces).arg("--tracer").arg(tracer);
    job.args([
        "--rewrite",
        "traced-sums",
        "--",
        "mpirun.openmpi",
        "--oversubscribe",
        "-np",
        "2",
    ]);
    job.arg(&exe)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let output = run(&mut job);
    assert!(output.status.success(), "{}", said(&output));
    let tree = run(hindmost()
        .args(["trace", "tree", "--format", "json"])
        .arg(&traces));
    let tree: Value = serde_json::from_slice(&tree.stdout).unwrap_or_else(|_| panic!("{}", said(&tree)));
    let paths = tree["paths"].as_array().unwrap();
    let caller = |path: &Value| {
        let parent = path["parent"]
            .as_u64()
            .map(|parent| &paths[parent as usize]["function"]);
        parent.cloned().unwrap_or_default()
    };
    let found = Vec::from_iter(
        paths
            .iter()
            .map(|path| (caller(path), path["function"].clone(), path["counts"].clone())),
    );
    for (by, function, counts) in [
        ("main", "MPI_Init", [1, 1]),
        ("main", "step", [7, 7]),
        ("step", "shift", [21, 21]),
        ("shift", "MPI_Sendrecv", [21, 21]),
        ("step", "MPI_Allreduce", [7, 7]),
        ("main", "MPI_Barrier", [0, 1]),
        ("main", "MPI_Finalize", [1, 1]),
    ] {
        let expected = (json!(by), json!(function), json!(counts));
        assert!(found.contains(&expected), "{expected:?} is not in {found:?}");
    }
    messages_are_told(&traces);
    loops_are_drawn(&traces, &directory.join("loops.html"));
    pieces_are_cut(&traces);
    let outliers = run(hindmost()
        .args(["trace", "diff", "--only", "mpi", "--format", "json"])
        .arg(&traces)
        .args(["1", "0"]));
    let outliers: Value =
        serde_json::from_slice(&outliers.stdout).unwrap_or_else(|_| panic!("{}", said(&outliers)));
    assert_eq!(
        outliers["telling"]["counts"],
        json!([{"function": "MPI_Barrier", "counts": [1, 0]}])
    );
}

/// Steps by their numbers, and the way from one message to the next.
fn pieces_are_cut(traces: &Path) {
    for (options, expected) in [
        (
            &["--within", "step:2-3"][..],
            &[
                ("step", 2),
                ("shift", 6),
                ("MPI_Sendrecv", 6),
                ("MPI_Allreduce", 2),
            ][..],
        ),
        (
            &["--within", "step:2-3", "--only", "mpi"],
            &[("MPI_Sendrecv", 6), ("MPI_Allreduce", 2)],
        ),
        (
            // The third of a step, the sum behind it, and the next step.
            &["--from", "shift:3", "--until", "shift:4"],
            &[
                ("shift", 1),
                ("MPI_Sendrecv", 1),
                ("MPI_Allreduce", 1),
                ("step", 1),
            ],
        ),
    ] {
        let tree = run(hindmost()
            .args(["trace", "tree", "--format", "json"])
            .arg(traces)
            .args(options));
        let tree: Value = serde_json::from_slice(&tree.stdout).unwrap_or_else(|_| panic!("{}", said(&tree)));
        let mut found = BTreeMap::new();
        for path in tree["paths"].as_array().unwrap() {
            if let Some(function) = path["function"].as_str() {
                let counts = Vec::from_iter(path["counts"].as_array().unwrap().iter().map(Value::as_u64));
                assert_eq!(counts[0], counts[1], "{options:?}: {path}");
                *found.entry(function).or_insert(0) += counts[0].unwrap();
            }
        }
        assert_eq!(
            found,
            BTreeMap::from_iter(expected.iter().copied()),
            "{options:?}"
        );
    }
    for (option, why) in [
        ("stepp:2", "no function that was traced is called stepp"),
        ("step:0", "counted from 1"),
    ] {
        let output = run(hindmost().args(["trace", "tree", "--within", option]).arg(traces));
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(why), "{}", said(&output));
    }
}

/// What the calls did is known: in each of 7 steps a message to the other and one from it three times, then an operation of all.
fn messages_are_told(traces: &Path) {
    let shown = run(hindmost()
        .args([
            "trace", "show", "--last", "1000000", "--only", "mpi", "--format", "json",
        ])
        .arg(traces));
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap_or_else(|_| panic!("{}", said(&shown)));
    let threads = shown["threads"].as_array().unwrap();
    assert_eq!(threads.len(), 2);
    for (rank, thread) in (0_u64..).zip(threads) {
        let other = 1 - rank;
        let mut within = Vec::new();
        let mut found = Vec::new();
        let mut before = i64::MIN;
        for event in thread["last"].as_array().unwrap() {
            let function = match event["enters"].as_str() {
                Some(function) => {
                    within.push(function);
                    function
                }
                None => within.pop().unwrap(),
            };
            for moment in event["moments"].as_array().into_iter().flatten() {
                let time = moment["time"].as_i64().unwrap();
                assert!(before <= time, "time goes back in {thread}");
                before = time;
                let does = ["sends", "receives", "enters", "leaves"];
                let ties = does
                    .into_iter()
                    .filter_map(|does| Some((does, moment.get(does)?)));
                found.extend(ties.map(|(does, tie)| json!([function, event["leaves"] == true, does, tie])));
            }
        }
        let world = "MPI_COMM_WORLD";
        let mut expected = Vec::new();
        for step in 0..7 {
            for shift in 0..3 {
                let message =
                    json!({"communicator": world, "peer": other, "tag": 0, "number": step * 3 + shift + 1});
                expected.push(json!(["MPI_Sendrecv", false, "sends", message]));
                expected.push(json!(["MPI_Sendrecv", true, "receives", message]));
            }
            let part = json!({"communicator": world, "root": null, "number": step + 1});
            expected.push(json!(["MPI_Allreduce", false, "enters", part]));
            expected.push(json!(["MPI_Allreduce", true, "leaves", part]));
        }
        let in_world = found.iter().filter(|tie| tie[3]["communicator"] == world);
        let known = Vec::from_iter(in_world.filter(|tie| tie[0] != "MPI_Finalize").cloned());
        assert_eq!(known, expected, "rank {rank}");
        let alone = found.iter().filter(|tie| tie[0] == "MPI_Barrier").count();
        assert_eq!(alone, 2 * rank as usize, "only rank 1 has called it: {found:?}");
    }
    let text = run(hindmost()
        .args(["trace", "show", "--last", "1000", "--rank", "0"])
        .arg(traces));
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("receives message 21 from rank 1 (tag 0, MPI_COMM_WORLD)"),
        "{text}"
    );
    assert!(text.contains("enters operation 7 of MPI_COMM_WORLD"), "{text}");
}

/// A browser shows a column for each rank, since one has called something that the other has not, and that is open.
fn loops_are_drawn(traces: &Path, file: &Path) {
    let written = run(hindmost()
        .args(["trace", "loops", "--html"])
        .arg(file)
        .arg(traces));
    assert!(written.status.success(), "{}", said(&written));
    let page = std::fs::read_to_string(file).unwrap();
    let Some(dom) = dom_of(&page, "loops") else { return };
    for text in [
        "<h2>rank 0</h2>",
        "<h2>rank 1</h2>",
        ">7 × step",
        ">MPI_Barrier</div>",
        "2 groups of threads did differently",
    ] {
        assert!(dom.contains(text), "{text} is not in {dom}");
    }
    let alike = dom.matches("class=\"leaf\"").count();
    let apart = dom.matches("class=\"leaf apart\"").count();
    assert!(apart >= 1 && alike > apart, "{alike} and {apart}: {dom}");
}
