//! Loops over ranges, at all levels by both compilers: whatever is read of where a loop stands is right, and so is every order.
//!
//! `ranges.cpp` has a case for each kind of range: those whose elements are counted, those in a row whose first element nobody
//! knows, those without a row, those that the body changes or deletes, and loops that are left and begun anew. Each case runs as two tasks, which differ in the number of elements, and stays at
//! several visits of `step`, where it says how many elements lie before the one at hand.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use tests::oracle::judge::Directory;
use tests::stopped::{has_tools, hindmost, succeed};

const CASES: u32 = 51;

/// Cases whose places do not tell the index: of `x` within `x` the inner one is meant, and no order rests on it; the range
/// is asked before there is an iterator, and goes behind the loop; the loop is done several times, or
/// is one of two.
const UNCOUNTED: [u32; 9] = [5, 25, 26, 27, 28, 31, 32, 33, 36];

/// The visits of `step` at which a task stays.
const VISITS: [&str; 6] = ["1", "2", "3", "5", "6", "8"];

/// A task that goes from one stay to the next.
struct Task {
    child: Child,
    out: BufReader<ChildStdout>,
    case: u32,
    /// Which of the two of its case it is.
    which: u32,
}

impl Task {
    fn new(program: &Path, case: u32, which: u32) -> Self {
        let mut child = Command::new(program)
            .args([case.to_string(), which.to_string()])
            .args(VISITS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            out,
            case,
            which,
        }
    }

    /// Where it stays next; `None` when it ends.
    fn place(&mut self) -> Option<u32> {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        match line.trim_end().strip_prefix("staying ") {
            Some(place) => Some(place.parse().unwrap()),
            None => {
                assert_eq!(line, "over\n", "case {}", self.case);
                None
            }
        }
    }

    fn go_on(&mut self) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(b"\n").unwrap();
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        // It may be gone already; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A moment of a task.
struct Moment {
    name: String,
    case: u32,
    which: u32,
    place: u32,
    record: Value,
}

/// Looks at all tasks wherever they stay, one stay after the other.
fn moments(dir: &Path, program: &Path, map: &Path) -> (Value, Vec<Moment>) {
    let cases = 0..CASES;
    let mut tasks =
        Vec::from_iter(cases.flat_map(|case| [0, 1].map(|which| Task::new(program, case, which))));
    let mut moments = Vec::new();
    let mut head = Value::Null;
    for stay in 0..VISITS.len() {
        let mut staying = Vec::new();
        for mut task in tasks {
            if let Some(place) = task.place() {
                staying.push((task, place));
            }
        }
        let saved = dir.join("snapshot");
        let output = Command::new(hindmost())
            .args(["find", "--map"])
            .arg(map)
            .arg("--save")
            .arg(&saved)
            .args(staying.iter().map(|(task, _)| task.child.id().to_string()))
            .env("XDG_CACHE_HOME", dir)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "find: {errors}");
        let text = std::fs::read_to_string(&saved).unwrap();
        let mut lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        head = lines.next().unwrap();
        let records = Vec::from_iter(lines);
        for (task, place) in &staying {
            let of_task = |record: &&Value| record["pid"] == json!(task.child.id());
            let mut record = records.iter().find(of_task).unwrap().clone();
            let name = format!("case{}-task{}-stay{stay}", task.case, task.which);
            record["task"] = json!(name);
            // Two moments of one task have one rank.
            record["rank"] = json!(2 * task.case + task.which);
            moments.push(Moment {
                name,
                case: task.case,
                which: task.which,
                place: *place,
                record,
            });
        }
        tasks = Vec::from_iter(staying.into_iter().map(|(task, _)| task));
        for task in &mut tasks {
            task.go_on();
        }
    }
    (head, moments)
}

/// How many indices were read; every one must be what the program says.
fn indices(what: &str, moments: &[Moment]) -> usize {
    let mut read = 0;
    for moment in moments {
        for frame in moment.record["frames"].as_array().unwrap() {
            for (name, digits) in [
                ("index(x)", moment.place / 1000),
                ("index(y)", moment.place / 10 % 100),
            ] {
                let value = &frame["values"][name];
                // Behind the inner loop nothing is said of it.
                if !value.is_null() {
                    read += 1;
                    let what = format!("{what}, {}, {name}", moment.name);
                    if !UNCOUNTED.contains(&moment.case) {
                        assert_eq!(value, &json!(digits), "{what}");
                    }
                }
            }
        }
    }
    read
}

/// How many pairs of moments of one case are ordered: of one task, and of two.
fn ordered(what: &str, dir: &Path, map: &Path, head: &Value, moments: &[Moment]) -> [usize; 2] {
    let mut stacks = format!("{head}\n");
    for moment in moments {
        stacks += &format!("{}\n", moment.record);
    }
    let mut asked = Vec::new();
    for a in moments {
        asked.extend(
            moments
                .iter()
                .filter(|b| b.case == a.case && b.name != a.name)
                .map(|b| (a, b)),
        );
    }
    let pairs = Vec::from_iter(asked.iter().map(|(a, b)| format!("{} {}\n", a.name, b.name)));
    std::fs::write(dir.join("stacks"), stacks).unwrap();
    std::fs::write(dir.join("pairs"), pairs.concat()).unwrap();
    let order = ["order", "--stacks", "stacks", "--pairs", "pairs", "--map"];
    let output = succeed(Command::new(hindmost()).args(order).arg(map).current_dir(dir));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let of_one_task = asked.iter().filter(|(a, b)| a.which == b.which).count();
    println!(
        "{what}: {of_one_task} pairs of one task, {} of two",
        asked.len() - of_one_task
    );
    let mut ordered = [0, 0];
    for ((a, b), line) in asked.iter().zip(text.lines()) {
        let what = format!("{what}: {line}; at {} and {}", a.place, b.place);
        match line.split(' ').nth(2).unwrap() {
            "before" => assert!(a.place < b.place, "{what}"),
            "after" => assert!(a.place > b.place, "{what}"),
            "equal" => assert_eq!(a.place, b.place, "{what}"),
            "unknown" => continue,
            // Called from two lines of main, by a branch.
            "incomparable" if a.case == 16 && a.which != b.which => continue,
            _ => panic!("{what}"),
        }
        ordered[usize::from(a.which != b.which)] += 1;
    }
    ordered
}

#[test]
fn what_is_read_of_loops_over_ranges_is_right() {
    if !has_tools(&["g++", "clang++"]) {
        return;
    }
    // Indices, pairs of moments of one task, and pairs of moments of two: so many at least.
    let builds = [
        ("g++", "-O0", [300, 1660, 1190]),
        ("g++", "-Og", [100, 1220, 710]),
        ("g++", "-O2", [40, 750, 295]),
        ("clang++", "-O0", [275, 1660, 1090]),
        ("clang++", "-Og", [45, 1260, 670]),
        ("clang++", "-O2", [60, 850, 400]),
    ];
    for (compiler, level, least) in builds {
        let dir = Directory::of_seed(None, 0).unwrap();
        let dir = dir.path.as_path();
        std::fs::write(dir.join("ranges.cpp"), include_str!("ranges/ranges.cpp")).unwrap();
        std::fs::write(dir.join("iterators.h"), include_str!("ranges/iterators.h")).unwrap();
        let compile = ["-std=c++17", "-g", "-Wall", level, "ranges.cpp", "-o", "ranges"];
        succeed(Command::new(compiler).args(compile).current_dir(dir));
        let (program, map) = (dir.join("ranges"), dir.join("ranges.hmap"));
        let bind = [
            "map",
            "-q",
            "--exe",
            "ranges",
            "-o",
            "ranges.hmap",
            "--no-cache",
            "ranges.cpp",
            "iterators.h",
        ];
        succeed(Command::new(hindmost()).args(bind).current_dir(dir));
        let what = format!("{compiler} {level}");
        let (head, moments) = moments(dir, &program, &map);
        let read = indices(&what, &moments);
        let [within, across] = ordered(&what, dir, &map, &head, &moments);
        println!(
            "{what}: {} moments, {read} indices, {within} and {across} ordered",
            moments.len()
        );
        let found = [read, within, across];
        assert!(
            found.iter().zip(least).all(|(found, least)| *found >= least),
            "{what}: {found:?}"
        );
    }
}
