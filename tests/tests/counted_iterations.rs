//! Iterations that machine code tells and no variable does: each loop is asked about with all values of variables taken away, at all levels of both compilers. What is
//! decided must be what the source says of the two moments, and at moderate levels enough must be.
//!
//! `loops.c` stops itself at a chosen visit of `step`. Where that is in the source is written down here as loops once more, without any map.

use rayon::prelude::*;
use std::cmp::Ordering;
use std::fs;
use std::path::Path;
use std::process::Command;
use tests::oracle::judge::Directory;
use tests::stopped::{Stopped, has_tools, hindmost, succeed};

/// Where a visit is: in which iteration of each loop, outermost first, and which statement of the innermost one, or of the body of one of the loops.
type Moment = Vec<u32>;

/// Adds what one loop does to the visits.
type Loops = fn(flag: bool, visit: &mut dyn FnMut(&[u32]));

const CASES: [(&str, Loops); 6] = [
    ("nested", |flag, visit| {
        for it in 1..=3 {
            for stage in 0..3 {
                for start in 0..2 {
                    visit(&[it, 0, stage, start]);
                }
            }
            if flag && it % 2 == 0 {
                visit(&[it, 1]);
            }
            visit(&[it, 2]);
        }
    }),
    ("early", |flag, visit| {
        for i in 1..=6 {
            visit(&[i, 0]);
            if !(flag && i % 2 == 0) {
                visit(&[i, 1]);
            }
        }
    }),
    ("few", |flag, visit| {
        for i in 0..4 {
            visit(&[i, 0]);
            if flag && i == 2 {
                visit(&[i, 1]);
            }
        }
    }),
    ("seldom", |flag, visit| {
        let (mut found, mut i) = (0, 0);
        while found < 2 {
            if (i + u32::from(flag)).is_multiple_of(3) {
                found += 1;
            } else {
                visit(&[i]);
            }
            i += 1;
        }
    }),
    ("flat", |flag, visit| {
        for i in 0..3 {
            for j in 0..3 {
                if !(flag && j == 1) {
                    visit(&[i, j]);
                }
            }
        }
    }),
    ("around", |flag, visit| {
        for i in 0..3 + u32::from(flag) {
            visit(&[i, 0]);
            visit(&[i, 1]);
        }
    }),
];

#[test]
fn machine_code_counts_the_iterations_of_the_source_or_says_nothing() {
    if !has_tools(&["gcc", "clang"]) {
        return;
    }
    let levels = ["-O0", "-Og", "-O1", "-O2", "-O3", "-Os"];
    let builds = ["gcc", "clang"].map(|compiler| levels.map(|level| (compiler, level)));
    let by_build = builds.as_flattened().par_iter().map(|&(compiler, level)| {
        let dir = Directory::of_seed(None, 0).unwrap();
        build(&dir.path, compiler, level);
        let mut by_case = [0; CASES.len()];
        for (number, (name, loops)) in CASES.iter().enumerate() {
            let (decided, by_count) =
                judge(&dir.path, number, *loops, &format!("{compiler} {level}, {name}"));
            println!("{compiler} {level}, {name}: {decided} pairs decided, {by_count} by counted iterations");
            by_case[number] += by_count;
        }
        by_case
    });
    let none = || [0; CASES.len()];
    let by_case = by_build.reduce(none, |a, b| std::array::from_fn(|case| a[case] + b[case]));
    println!("{by_case:?}");
    let [nested, early, _, seldom, _, around] = by_case;
    assert!(
        nested > 2_000 && early > 800 && around > 800,
        "{by_case:?} pairs by counted iterations"
    );
    assert_eq!(seldom, 0, "no call is made in each iteration");
}

fn build(dir: &Path, compiler: &str, level: &str) {
    fs::write(dir.join("loops.c"), include_str!("counted_iterations/loops.c")).unwrap();
    let arguments = [
        "-std=gnu11",
        "-g",
        "-Wall",
        "-Werror",
        level,
        "loops.c",
        "-o",
        "loops",
    ];
    succeed(Command::new(compiler).args(arguments).current_dir(dir));
    let bind = ["map", "-q", "--exe", "loops", "-o", "loops.hmap", "--no-cache"];
    succeed(Command::new(hindmost()).args(bind).current_dir(dir));
}

/// Stops the program at each visit of a case and asks about all pairs of these, with no value known; returns how many are decided, and how many because the code
/// counts iterations.
fn judge(dir: &Path, number: usize, loops: Loops, what: &str) -> (usize, usize) {
    let mut moments: Vec<Moment> = Vec::new();
    let mut stopped = Vec::new();
    for flag in [false, true] {
        let mut visits = 0;
        loops(flag, &mut |moment| {
            visits += 1;
            let number = u32::try_from(number).unwrap();
            stopped.push(Stopped::new(
                &dir.join("loops"),
                &[number, u32::from(flag), visits],
            ));
            moments.push(moment.to_vec());
        });
    }
    let stacks = look(dir, &stopped);
    drop(stopped);
    let pairs = || (0..moments.len()).flat_map(|a| (0..moments.len()).map(move |b| (a, b)));
    let names = Vec::from_iter(
        stacks
            .iter()
            .map(|stack| stack["task"].as_str().unwrap().to_owned()),
    );
    let lines = pairs().map(|(a, b)| format!("{} {}\n", names[a], names[b]));
    fs::write(dir.join("pairs.txt"), lines.collect::<String>()).unwrap();
    let ask = [
        "order",
        "--map",
        "loops.hmap",
        "--stacks",
        "blind.jsonl",
        "--pairs",
        "pairs.txt",
    ];
    let output = succeed(Command::new(hindmost()).args(ask).current_dir(dir));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut answers = text.lines();
    let (mut decided, mut by_count) = (0, 0);
    for (a, b) in pairs() {
        let answer = answers.next().unwrap();
        let relation = answer.split(' ').nth(2).unwrap();
        let expected = match moments[a].cmp(&moments[b]) {
            Ordering::Less => "before",
            Ordering::Equal => "equal",
            Ordering::Greater => "after",
        };
        assert!(
            relation == expected || relation == "unknown",
            "{what}: {:?} is {relation} {:?}\n{answer}\n{}\n{}",
            moments[a],
            moments[b],
            stacks[a],
            stacks[b]
        );
        decided += usize::from(relation != "unknown" && a != b);
        by_count += usize::from(answer.contains("by the machine code iteration"));
    }
    (decided, by_count)
}

/// The recorded stacks of the processes, in their order, with no values; they lie in `blind.jsonl`, too.
fn look(dir: &Path, stopped: &[Stopped]) -> Vec<serde_json::Value> {
    let mut command = Command::new(hindmost());
    command.args(["find", "--map", "loops.hmap", "--save", "seen.jsonl"]);
    command.args(stopped.iter().map(|process| process.id().to_string()));
    let output = command
        .env("XDG_CACHE_HOME", dir)
        .current_dir(dir)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "find: {errors}");
    let seen = fs::read_to_string(dir.join("seen.jsonl")).unwrap();
    let mut lines = seen.lines();
    let head = lines.next().unwrap().to_owned();
    let mut stacks: Vec<serde_json::Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    for stack in &mut stacks {
        for frame in stack["frames"].as_array_mut().unwrap() {
            frame.as_object_mut().unwrap().remove("values");
        }
    }
    let of = |process: &Stopped| {
        let is_it = |stack: &&serde_json::Value| stack["pid"].as_u64() == Some(process.id().into());
        stacks
            .iter()
            .find(is_it)
            .expect("each process is recorded")
            .clone()
    };
    let stacks = Vec::from_iter(stopped.iter().map(of));
    let blind = std::iter::once(head).chain(stacks.iter().map(ToString::to_string));
    fs::write(
        dir.join("blind.jsonl"),
        blind.map(|line| line + "\n").collect::<String>(),
    )
    .unwrap();
    stacks
}
