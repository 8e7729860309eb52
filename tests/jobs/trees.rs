//! `find --tree` on a hung job: the stacks of all ranks as one tree, in the order of their progress.

use crate::hindmost::{compile, dom_of, hindmost, hung, my_turn, out, run, said};
use corpus::{Mpi, Program, Stall};
use serde_json::Value;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Opens a page and looks for the sentence that names the hindmost, and for its line marked in the source.
#[track_caller]
fn shows(page: &str, name: &str, sentence: &str) {
    let Some(shown) = dom_of(page, name) else { return };
    assert!(shown.contains(sentence), "no '{sentence}' in\n{shown}");
    let place = sentence.rsplit(' ').next().unwrap_or_default();
    let line = shown.split(place).nth(1).map_or("", |rest| {
        &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0)]
    });
    assert!(!line.is_empty(), "{sentence}");
    let marked = format!("class=\"here\"><span class=\"no\">▶ {line}</span>");
    assert!(shown.contains(&marked), "no '{marked}' in\n{shown}");
    let suspects = shown.matches("role=\"option\"").count();
    assert!(suspects > 3, "{suspects} statements of the slice in\n{shown}");
}

#[test]
fn the_page_of_a_hung_job_of_open_mpi() {
    let _turn = my_turn();
    let exe = compile(Program::Poisson, Mpi::OpenMpi, "-O2");
    let stall = Stall {
        rank: 2,
        iteration: 6,
        place: "get_norm",
    };
    let job = hung(&exe, Mpi::OpenMpi, 4, stall);
    let mut find = hindmost();
    find.args(["find", "--tree=html", "--slice", "--launcher"])
        .arg(job.launcher().to_string())
        .current_dir(out());
    let output = run(&mut find);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let page = String::from_utf8_lossy(&output.stdout);
    shows(&page, "open-mpi", "Rank 2, computing in get_norm at poisson.c:");
}

#[test]
fn the_tree_of_a_hung_job() {
    let _turn = my_turn();
    let exe = compile(Program::Poisson, Mpi::Mpich, "-O2");
    let stall = Stall {
        rank: 1,
        iteration: 6,
        place: "get_norm",
    };
    let job = hung(&exe, Mpi::Mpich, 4, stall);
    let find = |tree: &[&str]| {
        let output = run(hindmost()
            .args(["find", "--launcher"])
            .arg(job.launcher().to_string())
            .args(tree)
            .current_dir(out()));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let text = find(&["--tree"]);
    let hindmost_line = text.lines().find(|line| line.contains("<- hindmost"));
    assert!(
        hindmost_line.is_some_and(|line| line.contains("get_norm")),
        "{text}"
    );
    assert!(text.contains("4:[0-3]") && text.contains("1:[1]"), "{text}");
    assert!(text.contains("@[T1") && text.contains("it=6"), "{text}");

    let json: Value = serde_json::from_str(&find(&["--tree=json"])).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        json["nodes"].as_array().is_some_and(|nodes| nodes.len() > 4),
        "{json:#}"
    );

    // Graphviz reads what is meant for STATview, with as many edges as there are.
    let dot = find(&["--tree=dot"]);
    let edges = dot.lines().filter(|line| line.contains("->")).count();
    let mut graphviz = Command::new("dot")
        .arg("-Tplain")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("dot: {error}"));
    graphviz.stdin.take().unwrap().write_all(dot.as_bytes()).unwrap();
    let drawn = graphviz.wait_with_output().unwrap();
    assert!(drawn.status.success(), "{dot}");
    let drawn = String::from_utf8_lossy(&drawn.stdout).into_owned();
    assert_eq!(
        drawn.lines().filter(|line| line.starts_with("edge ")).count(),
        edges,
        "{dot}"
    );
    assert!(edges > 3, "{dot}");

    // The page names the same rank and line in a browser, with the statements that may have brought it there.
    shows(
        &find(&["--tree=html", "--slice"]),
        "mpich",
        "Rank 1, computing in get_norm at poisson.c:",
    );

    // Three looks at a job that does not move.
    let samples = find(&["--tree", "--samples", "3", "--every", "50ms"]);
    assert!(samples.contains("get_norm"), "{samples}");
}
