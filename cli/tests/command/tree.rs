//! `hindmost tree`: what it prints of recorded stacks, and of other tools' files.

use crate::support::Sandbox;
use expect_test::expect;
use std::collections::BTreeMap;
use std::process::Command;

const SOLVER: &str = "\
static double norm(const double *a)
{
    double n = 0.0;
    for (int k = 0; k < 64; k++)
        n += check(a[k]);
    return n;
}
static void solve(double *a, int max)
{
    int it = 0;
    while (it < max) {
        exchange(a);
        norm(a);
        MPI_Allreduce(a);
        it++;
    }
}
int main(void)
{
    solve(a, 100);
    return 0;
}
";

fn task(rank: u32, frames: &[(&str, u32, Option<i64>)]) -> String {
    let frames: Vec<String> = frames
        .iter()
        .map(|(function, line, it)| {
            let values = it
                .map(|it| format!(r#", "values": {{"it": {it}}}"#))
                .unwrap_or_default();
            format!(r#"{{"function": "{function}", "file": "solver.c", "line": {line}{values}}}"#)
        })
        .collect();
    format!(
        "{{\"task\": \"{rank}\", \"rank\": {rank}, \"frames\": [{}]}}\n",
        frames.join(", ")
    )
}

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("solver.c", SOLVER);
    sandbox.ok(&["map", "--quiet", "-o", "a.hmap", "solver.c"]);
    let mut stacks = String::new();
    for rank in 0..32 {
        stacks += &match rank {
            8 => task(
                rank,
                &[("main", 20, None), ("solve", 13, Some(7)), ("norm", 6, None)],
            ),
            9 => task(
                rank,
                &[
                    ("main", 20, None),
                    ("solve", 12, Some(8)),
                    ("exchange\\u001b[2J", 0, None),
                ],
            ),
            _ => task(
                rank,
                &[
                    ("main", 20, None),
                    ("solve", 14, Some(7)),
                    ("PMPI_Allreduce", 0, None),
                ],
            ),
        };
    }
    sandbox.write("stacks", stacks);
    sandbox
}

#[test]
fn a_hung_job_as_text() {
    let sandbox = sandbox("tree_text");
    let out = sandbox.ok(&["tree", "stacks", "--map", "a.hmap"]);
    expect![[r#"
        32 tasks
        hindmost: 1:[8] at T1, in norm (solver.c:6)

        └ main solver.c:20  32:[0-31]
          ├ solve@[T1] solver.c:13 it=7  1:[8]
          │ └ norm solver.c:6  <- hindmost
          ├ solve@[T2] solver.c:14 it=7  30:[0-7,10-31]
          │ └ MPI_Allreduce solver.c
          └ solve@[T3] solver.c:12 it=8  1:[9]
            └ exchange\u{1b}[2J solver.c

        @[T1.2] temporal ranks: lower is behind

        Order
          solve@[T1] is behind solve@[T2]: same iteration (it=7 in the loop at solver.c:11); solver.c:13 comes before solver.c:14
          solve@[T2] is behind solve@[T3]: it=7 is an earlier iteration than it=8 of the loop at solver.c:11
    "#]]
    .assert_eq(&out);
    let class = sandbox.ok(&["tree", "stacks", "--map", "a.hmap", "--class", "T1", "--join"]);
    assert!(
        class.contains("main solver.c:20") && !class.contains("Allreduce"),
        "{class}"
    );
    sandbox.refused(&["tree", "stacks", "--map", "a.hmap", "--only", "77"]);
    sandbox.refused(&["tree", "stacks", "--map", "a.hmap", "--cut=XYZ"]);
    let json = sandbox.ok(&["tree", "stacks", "--map", "a.hmap", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["schema"], &json["decided"]),
        (&"hindmost-tree".into(), &true.into())
    );
    assert_eq!(json["nodes"][1]["tasks"], "0-31");
    let folded = sandbox.ok(&["tree", "stacks", "--map", "a.hmap", "--format", "folded"]);
    assert!(folded.ends_with("exchange\\u{1b}[2J 1\n"), "{folded}");
}

#[test]
fn a_page_holds_the_answer_and_all_that_it_needs() {
    let sandbox = sandbox("tree_html");
    let html = sandbox.ok(&["tree", "stacks", "--map", "a.hmap", "--format", "html"]);
    assert!(
        html.contains("Rank 8, computing in norm at solver.c:6, iteration it=7</p>"),
        "the answer needs no script"
    );
    let (_, data) = html
        .split_once("<script type=\"application/json\" id=\"data\">")
        .unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    assert!(!data.contains('<') && !data.contains('\u{1b}'));
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["tree"]["schema"], "hindmost-tree");
    assert_eq!(data["answer"]["hindmost"][0]["ranks"], "8");
    let lines = data["sources"][0]["lines"].as_array().unwrap();
    assert!(
        lines.contains(&serde_json::json!([6, "    return n;"])),
        "{lines:?}"
    );
    let entry = data["entries"][0].as_u64().unwrap() as usize;
    assert_eq!(data["tree"]["nodes"][entry]["function"], "MPI_Allreduce");

    // Only files that the map is of go into a page, and only as they were mapped: their names come from a target.
    sandbox.write("secret", "password\n");
    sandbox.write(
        "other",
        task(0, &[("main", 20, None)]).replace("solver.c", "secret"),
    );
    let html = sandbox
        .run(&["tree", "other", "--map", "a.hmap", "--format", "html"])
        .out;
    assert!(html.contains("hindmost-page") && !html.contains("password"));
    sandbox.write("solver.c", SOLVER.replace("return n;", "return other_norm;"));
    let html = sandbox.ok(&["tree", "stacks", "--map", "a.hmap", "--format", "html"]);
    assert!(html.contains(r#""changed":true"#) && !html.contains("other_norm"));
    // Without a map there is still a tree.
    let run = sandbox.run(&["tree", "stacks", "--format", "html"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.out.contains("No order"));
}

#[test]
fn without_a_map_there_is_no_order() {
    let sandbox = sandbox("tree_no_map");
    let run = sandbox.run(&["tree", "stacks"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.err.contains("without --map"), "{}", run.err);
    assert!(!run.out.contains("[T"), "{}", run.out);
}

/// What Graphviz makes of a file; `None` where it is not installed.
fn laid_out(sandbox: &Sandbox, file: &str) -> Option<String> {
    let dot = Command::new("dot")
        .arg("-Tplain")
        .arg(sandbox.path(file))
        .output();
    let Ok(output) = dot else {
        assert!(
            std::env::var_os("CI").is_none(),
            "dot is not installed, and CI must have it"
        );
        eprintln!("skipped: dot (Debian package graphviz) is not installed");
        return None;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn graphviz_reads_an_edge_of_many_thousand_ranges() {
    let sandbox = sandbox("tree_dot_many");
    let one = |rank: u32| task(rank, &[("main", 20, None), ("solve", 13 + rank % 2, Some(7))]);
    sandbox.write("many", (0..9_000).map(one).collect::<String>());
    let dot = sandbox.ok(&["tree", "many", "--map", "a.hmap", "--format", "dot"]);
    sandbox.write("many.dot", &dot);
    let text = |file: &str| sandbox.ok(&["tree", file, "--map", "a.hmap"]);
    assert_eq!(text("many.dot"), text("many"));
    if let Some(plain) = laid_out(&sandbox, "many.dot") {
        assert!(plain.contains("4500:[0,2,4,6,8,"), "{plain}");
    }
}

#[test]
fn what_we_write_for_statview_we_read_and_graphviz_reads() {
    let sandbox = sandbox("tree_dot");
    let dot = sandbox.ok(&["tree", "stacks", "--map", "a.hmap", "--format", "dot"]);
    let node = dot.lines().find(|line| line.contains("solve@[T1 ")).unwrap();
    assert!(
        node.contains(r#"function="solve@[T1 it=7]", source="solver.c", line="13""#),
        "{node}"
    );
    assert!(node.contains(r#"vars="$it=7""#), "{node}");
    sandbox.write("tree.dot", &dot);
    let text = sandbox.ok(&["tree", "tree.dot", "--map", "a.hmap"]);
    assert!(text.contains("hindmost: 1:[8] at T1"), "{text}");
    // `order` names the same task from the picture alone.
    let answer = sandbox.ok(&["order", "--stacks", "tree.dot", "--map", "a.hmap"]);
    assert!(answer.contains("rank 8"), "{answer}");
    let Some(plain) = laid_out(&sandbox, "tree.dot") else {
        return;
    };
    // What is drawn: the function with its values and the place, and who passes.
    let drawn = |wanted: &[&str]| {
        plain
            .lines()
            .any(|line| wanted.iter().all(|part| line.contains(part)))
    };
    assert!(drawn(&["node ", "solve@[T1 it=7] solver.c:13"]), "{plain}");
    assert!(drawn(&["edge ", "30:[0-7,10-31]"]), "{plain}");
    assert_eq!(
        plain.lines().filter(|line| line.starts_with("node ")).count(),
        8,
        "{plain}"
    );
}

/// What STATview writes into a node, from its attributes (checked against STATview 4.2.1 itself).
fn statview_label(attributes: &BTreeMap<String, String>) -> String {
    let known = |name: &str| Some(&attributes[name]).filter(|value| *value != "(null)");
    let base = |path: &String| path.rsplit('/').next().unwrap_or_default().to_owned();
    match (known("source"), known("module"), known("pc")) {
        (Some(source), ..) => format!(
            "{}@{}:{}",
            attributes["function"],
            base(source),
            attributes["line"]
        ),
        (None, Some(module), _) => format!("{}{}", base(module), attributes["offset"]),
        (None, None, Some(pc)) => format!("{}{pc}", attributes["function"]),
        _ => attributes["function"].clone(),
    }
}

/// The attributes of a statement, by STATview's rules: a quote ends a value whatever stands before it.
fn attributes(statement: &str) -> BTreeMap<String, String> {
    let (_, list) = statement.split_once(" [").unwrap();
    let mut rest = list;
    let mut all = BTreeMap::new();
    while let Some((name, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').unwrap();
        all.insert(name.trim_start_matches([',', ' ']).to_owned(), value.to_owned());
        rest = after;
    }
    all
}

#[test]
fn statview_finds_what_it_needs_in_every_statement() {
    let sandbox = sandbox("tree_statview");
    let frame = |function: &str, line: Option<u32>, more: serde_json::Value| {
        let mut frame = serde_json::json!({"function": function, "line": line});
        frame
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        frame
    };
    let solver = |line: u32, it: i64| {
        frame(
            "solve",
            Some(line),
            serde_json::json!({"file": "solver.c", "values": {"it": it}}),
        )
    };
    let main = frame("main", Some(20), serde_json::json!({"file": "solver.c"}));
    let library = serde_json::json!({"file": "/b/allreduce.c", "module": "/usr/lib/libmpi.so.40"});
    let odd = "f<({lambda(\\x)#1})>::operator\"\" _k|{a\\{b}";
    let tasks = [
        [
            main.clone(),
            solver(13, 7),
            frame("norm", Some(6), serde_json::json!({"file": "solver.c"})),
        ],
        [
            main.clone(),
            solver(14, 7),
            frame("MPI_Allreduce", None, library.clone()),
        ],
        [main.clone(), solver(12, 8), frame(odd, None, library)],
        [
            main,
            solver(12, 9),
            frame(
                "",
                None,
                serde_json::json!({"module": "/usr/lib/libx.so", "pc": 77}),
            ),
        ],
    ];
    let lines = tasks.iter().enumerate().map(|(rank, frames)| {
        let task = serde_json::json!({"task": rank.to_string(), "rank": rank, "frames": frames});
        format!("{task}\n")
    });
    sandbox.write("odd", lines.collect::<String>());
    for by in ["point", "module", "function"] {
        let dot = sandbox.ok(&[
            "tree",
            "odd",
            "--map",
            "a.hmap",
            "--format",
            "dot",
            "--by",
            by,
            "--library-frames",
        ]);
        let mut labels = Vec::new();
        for statement in dot.lines().filter(|line| line.contains("pos=")) {
            let attributes = attributes(statement);
            // STAT's names, in STAT's order.
            let names = [
                "pos",
                "label",
                "fillcolor",
                "fontcolor",
                "function",
                "source",
                "line",
                "module",
                "offset",
                "vars",
                "pc",
            ];
            let places: Vec<usize> = names
                .iter()
                .map(|name| {
                    statement
                        .find(&format!("{name}=\""))
                        .unwrap_or_else(|| panic!("{name}: {statement}"))
                })
                .collect();
            assert!(places.is_sorted(), "{statement}");
            labels.push(statview_label(&attributes));
            let function = &attributes["function"];
            let mut before = ' ';
            for c in function.chars() {
                // Of a record, what parts its fields is escaped; STATview escapes braces itself.
                assert_eq!(before == '\\', matches!(c, '<' | '>' | '|'), "{function}");
                before = c;
            }
        }
        for statement in dot.lines().filter(|line| line.contains(" -> ")) {
            let attributes = attributes(statement);
            let names = ["bv", "count", "rep", "sum", "tbv", "tcount", "tbvsum"];
            assert!(
                names.iter().all(|name| attributes.contains_key(*name)),
                "{statement}"
            );
            assert!(
                attributes["bv"].starts_with('[') && attributes["bv"].len() > 2,
                "{statement}"
            );
        }
        assert!(
            labels
                .iter()
                .all(|label| !label.contains("(null)") && !label.is_empty()),
            "{labels:#?}"
        );
        if by == "point" {
            for wanted in [
                "solve@[T1 it=7]@solver.c:13",
                "MPI_Allreduce",
                "main@solver.c:20",
                "libx.so+0x4d",
            ] {
                assert!(
                    labels.iter().any(|label| label == wanted),
                    "{wanted}: {labels:#?}"
                );
            }
        }
    }
}

#[test]
fn calls_with_the_same_tasks_have_one_colour_on_request() {
    let sandbox = sandbox("tree_colors");
    let colors = |how: &str| -> BTreeMap<String, String> {
        let dot = sandbox.ok(&[
            "tree", "stacks", "--map", "a.hmap", "--format", "dot", "--colors", how,
        ]);
        let nodes = dot.lines().filter(|line| line.contains("pos="));
        let attributes = nodes.map(attributes);
        attributes
            .map(|each| (each["function"].clone(), each["fillcolor"].clone()))
            .collect()
    };
    let of = |colors: &BTreeMap<String, String>, start: &str| {
        let found = colors.iter().find(|(function, _)| function.starts_with(start));
        found.unwrap_or_else(|| panic!("{start}: {colors:?}")).1.clone()
    };
    let tasks = colors("tasks");
    // Rank 8 alone is in both of the first two.
    assert_eq!(of(&tasks, "norm"), of(&tasks, "solve@[T1"));
    assert_ne!(of(&tasks, "norm"), of(&tasks, "MPI_Allreduce"));
    assert_ne!(of(&tasks, "exchange"), of(&tasks, "MPI_Allreduce"));
    assert_ne!(colors("progress"), tasks);
}

#[test]
fn a_bad_regular_expression_says_what_is_bad() {
    let sandbox = sandbox("tree_regex");
    let run = sandbox.run(&["tree", "stacks", "--map", "a.hmap", "--search", "a(b"]);
    let why = "'a(b' is no regular expression: unclosed group";
    assert!(run.code == Some(2) && run.err.contains(why), "{}", run.err);
}

#[test]
fn what_gdb_prints_in_full_is_ordered() {
    let sandbox = sandbox("tree_gdb");
    std::fs::create_dir(sandbox.path("gdb")).unwrap();
    for (rank, it) in [(0, 8), (1, 7), (2, 8)] {
        let text = format!(
            "#0  0x01 in MPI_Allreduce () from /usr/lib/libmpi.so.40\nNo symbol table info available.\n#1  0x02 in solve (a=0x7f, max=max@entry=100) at \
             solver.c:14\n        it = {it}\n#2  0x03 in main () at solver.c:20\nNo locals.\n"
        );
        sandbox.write(&format!("gdb/rank{rank}.txt"), text);
    }
    let answer = sandbox.ok(&["order", "--stacks", "gdb", "--map", "a.hmap"]);
    assert!(answer.contains("Rank 1 is behind all 2 others"), "{answer}");
}

#[test]
fn what_is_not_read_is_named() {
    let sandbox = sandbox("tree_named");
    let refused = |text: &str| {
        sandbox.write("other", text);
        sandbox.refused(&["tree", "other", "--map", "a.hmap"])
    };
    let folded = refused("main;solve;norm 12\nmain;solve;exchange 3\n");
    assert!(
        folded.contains("folded stacks, which tell neither tasks nor lines"),
        "{folded}"
    );
    let perf = refused("app  1234 [001] 12.345678:     250000 cycles:\n\t      55 norm (/app)\n\n");
    assert!(perf.contains("samples of perf script"), "{perf}");
}

/// As STAT has written them before version 3: labels alone.
const OLD: &str = "digraph G {
\tnode [shape=record,style=filled,labeljust=c,height=0.2];
\t0 [pos=\"0,0\", label=\"/\", fillcolor=\"#AAAAAA\",fontcolor=\"#FFFFFF\"];
\t77 [pos=\"0,0\", label=\"main@solver.c:20\", fillcolor=\"#e38e38\",fontcolor=\"#000000\"];
\t-5 [pos=\"0,0\", label=\"solve@solver.c:13$it=7\"];
\t6 [pos=\"0,0\", label=\"solve@solver.c:14$it=7\"];
\t7 [pos=\"0,0\", label=\"MPI_Allreduce@?:0\"];
\t0 -> 77 [label=\"[0-3]\"]
\t77 -> -5 [label=\"[2]\"]
\t77 -> 6 [label=\"[0-1,3]\"]
\t6 -> 7 [label=\"3:[0-1,3]\"]
}
";

#[test]
fn stat_files_of_before_version_3() {
    let sandbox = sandbox("tree_old_dot");
    sandbox.write("old.dot", OLD);
    let answer = sandbox.ok(&["order", "--stacks", "old.dot", "--map", "a.hmap"]);
    assert!(answer.contains("rank 2"), "{answer}");
}

/// `order --stacks <(…)`: what comes through a pipe can be read once only.
#[test]
fn stacks_come_through_a_pipe() {
    let sandbox = sandbox("tree_pipe");
    let own = sandbox.ok(&["order", "--stacks", "stacks", "--map", "a.hmap"]);
    sandbox.write("old.dot", OLD);
    let stat = sandbox.ok(&["order", "--stacks", "old.dot", "--map", "a.hmap"]);
    let tree = sandbox.ok(&["tree", "old.dot", "--map", "a.hmap"]);
    let explained = ["--explain", "2", "3"];
    let why = sandbox.ok(&[
        &["order", "--stacks", "old.dot", "--map", "a.hmap"],
        &explained[..],
    ]
    .concat());
    let order: &[&str] = &["order", "--stacks", "/dev/stdin", "--map", "a.hmap"];
    let piped = |file: &str, arguments: &[&str]| {
        use std::process::{Command, Stdio};
        let mut from = Command::new("cat")
            .arg(sandbox.path(file))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let through = from.stdout.take().unwrap();
        let run = sandbox.command(arguments).stdin(through).output().unwrap();
        from.wait().unwrap();
        (
            run.status.code(),
            String::from_utf8(run.stdout).unwrap(),
            String::from_utf8(run.stderr).unwrap(),
        )
    };
    let done = |text: String| (Some(0), text, String::new());
    assert_eq!(piped("stacks", order), done(own));
    assert_eq!(piped("old.dot", order), done(stat));
    assert_eq!(piped("old.dot", &[order, &explained[..]].concat()), done(why));
    assert_eq!(
        piped("old.dot", &["tree", "/dev/stdin", "--map", "a.hmap"]),
        done(tree)
    );
}

#[test]
fn backtraces_of_every_rank_are_a_job() {
    let sandbox = sandbox("tree_backtraces");
    for rank in 0..4 {
        let line = if rank == 3 { 12 } else { 14 };
        let callee = if rank == 3 { "exchange" } else { "PMPI_Allreduce" };
        let text = format!(
            "#0  0x00007f in {callee} () from /usr/lib/libx.so\n#1  0x55 in solve (a=0x1, max=100) at /x/solver.c:{line}\n\
             #2  0x56 in main () at /x/solver.c:20\n"
        );
        sandbox.write(&format!("bt/rank{rank}.txt"), text);
    }
    let run = sandbox.run(&["tree", "bt", "--map", "a.hmap"]);
    assert!(
        run.out.contains("3:[0-2]") && run.out.contains("1:[3]"),
        "{}{}",
        run.out,
        run.err
    );
    // A debugger tells no values, and so nothing is claimed.
    assert_eq!(run.code, Some(1), "{}", run.out);
    assert!(run.out.contains("it: its value was not recorded"), "{}", run.out);
}

#[test]
fn hostile_files_are_refused_with_a_line() {
    let sandbox = sandbox("tree_hostile");
    for (name, text, line, what) in [
        (
            "open",
            OLD.replace("label=\"[2]\"", "label=\"[2]"),
            "",
            "expected",
        ),
        (
            "end",
            "digraph G {\n\t0 [label=\"/".to_owned(),
            ":2:",
            "does not end",
        ),
        ("circle", OLD.replace("0 -> 77", "7 -> 77"), "", "circle"),
        ("twice", OLD.replace("0 -> 77", "6 -> -5"), ":9:", "second edge"),
        ("nowhere", OLD.replace("6 -> 7 ", "6 -> 99 "), ":11:", "no node"),
        (
            "ranks",
            OLD.replace("[0-1,3]", "[0-4294967295]"),
            ":10:",
            "4294967296 ranks",
        ),
        ("order", OLD.replace("[2]", "[3-2]"), ":9:", "no list of ranks"),
        ("cut", OLD.replace("[2]", "[2,4,...]"), ":9:", "cut"),
        ("long", OLD.replace("main@", &"x".repeat(70_000)), ":4:", "65536"),
        ("none", "digraph G {\n}\n".to_owned(), ":1:", "no rank"),
    ] {
        sandbox.write(name, text);
        let error = sandbox.refused(&["tree", name, "--map", "a.hmap"]);
        assert!(error.contains(what) && error.contains(line), "{name}: {error}");
    }
}
