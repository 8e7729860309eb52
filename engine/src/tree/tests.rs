//! The order on a tree against every pair of tasks, and against the answer.

use super::*;
use crate::tests::{answer, map, tasks};
use crate::{Analysis, Outcome};
use base::{Random, RankSet};
use progress_map::Map;
use snapshot::Task;

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
        if (a[it] > 1)
            left(a);
        else
            right(a);
        norm(a);
        MPI_Allreduce(a);
        it++;
    }
    while (*a)
        settle(a);
}
int main(void)
{
    solve(a, 100);
    solve(a, 200);
    finish(a);
    return 0;
}
";

/// Stacks in `SOLVER`, as `crate::tests::tasks` takes them.
fn random(random: &mut Random, count: u32) -> Vec<String> {
    let mut next = |below: usize| random.below(below);
    let one = |_| {
        let it = next(3);
        let at = ["main:26", "main:26", "main:27"][next(3)];
        match next(12) {
            0 => "main:28, finish:9".to_owned(),
            1 => format!("{at}, solve:12 it={it}, exchange:1"),
            2 => format!("{at}, solve:14 it={it}, left:1"),
            3 => format!("{at}, solve:16 it={it}, right:1"),
            4 => format!("{at}, solve:17 it={it}, norm:5 k={}, check:7", next(3)),
            5 => format!("{at}, solve:17 it={it}, norm:6"),
            6 => format!("{at}, solve:18, MPI_Allreduce:3"),
            7 => format!("{at}, solve:22, settle:4"),
            8 => format!("{at}, solve:13 it={it}"),
            9 => format!("{at}, solve:19 it={it}"),
            _ => format!("{at}, solve:18 it={it}, PMPI_Allreduce:3"),
        }
    };
    (0..count).map(one).collect()
}

/// Functions of the program that the map does not have show their lines, each of them; what libraries do below stays one node.
#[test]
fn functions_that_only_the_map_lacks_keep_their_lines() {
    let mut given = tasks(&["main:26,operator():7,each:8,sleep_for:80,nanosleep:0"]);
    given[0].frames.edit(|frames| {
        for frame in &mut frames[1..3] {
            frame.file = Some("a.c".to_owned());
            frame.module = Some("program".to_owned());
        }
    });
    let options = TreeOptions::default();
    let tree = tree_of(&map(SOLVER), &given, &options);
    let shown = tree.nodes.iter().map(|node| (node.function.as_str(), node.line));
    let expected = [
        ("", None),
        ("main", Some(26)),
        ("operator()", Some(7)),
        ("each", Some(8)),
        ("sleep_for", None),
    ];
    assert_eq!(Vec::from_iter(shown), expected);
    let bare = tree_of(&Map::default(), &given, &options);
    assert_eq!(bare.undecided.as_deref(), Some("there is no map of the program"));
}

fn tree_of(map: &Map, tasks: &[Task], options: &TreeOptions) -> OrderedTree {
    let job = Analysis::new(map, tasks, RankSet::default()).tree(options);
    job.ordered(map, options)
}

/// What the tree says of any two siblings must hold of every task of the one and every task of the other.
fn check(map: &Map, tasks: &[Task], tree: &OrderedTree, about: &str) {
    let comparer = Analysis::new(map, tasks, RankSet::default());
    let index = |rank: u32| tasks.iter().position(|task| task.rank == Some(rank)).unwrap();
    for node in &tree.nodes {
        for &a in &node.children {
            for &b in node.children.iter().filter(|&&b| b != a) {
                let (x, y) = (&tree.nodes[a], &tree.nodes[b]);
                let (Mark::Ranked(i), Mark::Ranked(j)) = (x.mark, y.mark) else {
                    continue;
                };
                for p in x.tasks.iter() {
                    for q in y.tasks.iter() {
                        let (relation, why) = comparer.compare(index(p), index(q));
                        let said = match i.cmp(&j) {
                            std::cmp::Ordering::Less => Relation::Before,
                            std::cmp::Ordering::Equal => Relation::Equal,
                            std::cmp::Ordering::Greater => Relation::After,
                        };
                        assert_eq!(
                            relation, said,
                            "{about}: {p} and {q} in {} and {}: {why}",
                            x.function, y.function
                        );
                    }
                }
            }
        }
        // Whoever stands behind a sibling here is never shown after it.
        for pair in node.children.windows(2) {
            let (first, second) = (&tree.nodes[pair[0]], &tree.nodes[pair[1]]);
            if first.kind != NodeKind::Frame || second.kind != NodeKind::Frame || first.mark == Mark::None {
                continue;
            }
            let all_behind = second.tasks.iter().all(|q| {
                first
                    .tasks
                    .iter()
                    .all(|p| comparer.compare(index(q), index(p)).0 == Relation::Before)
            });
            assert!(
                !all_behind,
                "{about}: {} stands after {}",
                second.function, first.function
            );
        }
        let union = TaskSet::union_of(node.children.iter().map(|&child| &tree.nodes[child].tasks));
        assert!(
            node.children.is_empty() || union == node.tasks,
            "{about}: tasks are lost below {}",
            node.function
        );
    }
    let named = TaskSet::union_of(
        tree.classes
            .iter()
            .filter(|class| class.hindmost)
            .map(|class| &class.tasks),
    );
    let answer = answer(map, tasks, RankSet::default());
    let expected: TaskSet = match answer.outcome {
        Outcome::Named => {
            let classes = answer
                .hindmost
                .iter()
                .map(|hindmost| &answer.classes[hindmost.class]);
            classes.flat_map(|class| class.who.ranks.iter()).collect()
        }
        _ => TaskSet::default(),
    };
    assert_eq!(named, expected, "{about}: the hindmost is that of the answer");
}

#[test]
fn every_rank_of_the_tree_holds_of_every_pair_of_tasks() {
    let map = map(SOLVER);
    let mut ranked = 0;
    for seed in 0..60 {
        let mut state = Random(seed);
        let given = random(&mut state, 2 + seed as u32 % 14);
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let tasks = tasks(&given);
        for granularity in [Granularity::Point, Granularity::Line, Granularity::Function] {
            let options = TreeOptions {
                granularity,
                ..TreeOptions::default()
            };
            let tree = tree_of(&map, &tasks, &options);
            check(&map, &tasks, &tree, &format!("seed {seed}, by {granularity:?}"));
            ranked += tree
                .nodes
                .iter()
                .filter(|node| matches!(node.mark, Mark::Ranked(_)))
                .count();
        }
        for classes in [vec![], vec!["T1".to_owned()], vec!["T2.1".to_owned()]] {
            let options = TreeOptions {
                refine: Refine::Classes(classes),
                ..TreeOptions::default()
            };
            let tree = tree_of(&map, &tasks, &options);
            check(&map, &tasks, &tree, &format!("seed {seed}, {:?}", options.refine));
        }
    }
    assert!(ranked > 500, "{ranked} ranked nodes: the test must see something");
}

/// The tree in short: depth, name, rank and number of tasks of every node.
fn sketch(tree: &OrderedTree) -> Vec<String> {
    let line = |node: &TreeNode| {
        let name = match node.kind {
            NodeKind::Frame => node.function.clone(),
            kind => format!("{kind:?}"),
        };
        let values: Vec<String> = node
            .values
            .iter()
            .map(|each| match (each.first, each.last) {
                (Some(first), Some(last)) => format!(" {}={first}..{last}", each.name),
                (Some(first), None) => format!(" {}={first}", each.name),
                _ => format!(" {}=?", each.name),
            })
            .collect();
        let temporal = node.temporal.as_deref().unwrap_or("-");
        format!(
            "{}{name}{} {temporal} {}",
            " ".repeat(node.depth),
            values.concat(),
            node.tasks.len()
        )
    };
    tree.nodes.iter().map(line).collect()
}

const HUNG: [&str; 5] = [
    "main:26, solve:18 it=7, MPI_Allreduce:1",
    "main:26, solve:17 it=7, norm:5 k=9, check:2",
    "main:26, solve:18 it=7, MPI_Allreduce:1",
    "main:26, solve:12 it=8, exchange:1",
    "main:26, solve:18 it=7, MPI_Allreduce:1",
];

#[test]
fn a_hung_job_as_in_figure_5() {
    let map = map(SOLVER);
    let tree = tree_of(&map, &tasks(&HUNG), &TreeOptions::default());
    assert_eq!(
        sketch(&tree),
        [
            "Root - 5",
            " main - 5",
            "  solve it=7 T1 1",
            "   norm k=9 T1 1",
            "    check T1 1",
            "  solve it=7 T2 3",
            "   MPI_Allreduce T2 3",
            "  solve it=8 T3 1",
            "   exchange T3 1",
        ]
    );
    assert_eq!(tree.steps.len(), 1);
    assert!(
        tree.steps[0].reasons[1].contains("it=7 is an earlier iteration than it=8"),
        "{:?}",
        tree.steps
    );
    let nothing = TreeOptions {
        refine: Refine::Nothing,
        ..TreeOptions::default()
    };
    let tree = tree_of(&map, &tasks(&HUNG), &nothing);
    assert!(tree.steps.is_empty() && tree.nodes.iter().all(|node| node.temporal.is_none()));
    assert!(
        tree.nodes.iter().all(|node| node.values.is_empty()),
        "STAT's tree has no values"
    );
}

#[test]
fn branches_of_a_conditional_have_no_number() {
    let map = map(SOLVER);
    let given = [
        "main:26, solve:14 it=1, left:1",
        "main:26, solve:16 it=1, right:1",
    ];
    let tree = tree_of(&map, &tasks(&given), &TreeOptions::default());
    let marks: Vec<Mark> = tree.nodes[1]
        .children
        .iter()
        .map(|&child| tree.nodes[child].mark)
        .collect();
    assert_eq!(marks, [Mark::Incomparable(1), Mark::Incomparable(1)]);
    assert!(tree.undecided.is_some());
    let given = [
        "main:26, solve:18, MPI_Allreduce:1",
        "main:26, solve:17 it=1, norm:6",
    ];
    let tree = tree_of(&map, &tasks(&given), &TreeOptions::default());
    let node = &tree.nodes[tree.nodes[1].children[0]];
    assert_eq!(node.mark, Mark::Unknown);
    assert!(
        node.siblings[0].reason.contains("not recorded"),
        "{:?}",
        node.siblings
    );
    assert_eq!(
        node.siblings[0].reason_code.as_deref(),
        Some("loop-without-variable")
    );
}

#[test]
fn thousands_of_iterations_are_a_dozen_nodes() {
    let map = map(SOLVER);
    let given: Vec<String> = (0..3000)
        .map(|rank| format!("main:26, solve:18 it={}, MPI_Allreduce:1", (rank * 7919) % 3000))
        .collect();
    let tasks = tasks(&given.iter().map(String::as_str).collect::<Vec<_>>());
    let tree = tree_of(&map, &tasks, &TreeOptions::default());
    let sketch = sketch(&tree);
    assert_eq!(sketch.len(), 2 + 2 * 12, "{sketch:#?}");
    let ends = [
        "Root - 3000",
        " main - 3000",
        "  solve it=0 T1 1",
        "   MPI_Allreduce T1 1",
        "  solve it=1..300 T2 300",
        "   MPI_Allreduce T2 300",
    ];
    assert_eq!(sketch[..6], ends);
    let ends = [
        "  solve it=2700..2998 T11 299",
        "   MPI_Allreduce T11 299",
        "  solve it=2999 T12 1",
        "   MPI_Allreduce T12 1",
    ];
    assert_eq!(sketch[sketch.len() - 4..], ends);
    check(
        &map,
        &tasks[..200],
        &tree_of(&map, &tasks[..200], &TreeOptions::default()),
        "a part",
    );
    let first = tree.classes.iter().find(|class| class.hindmost).unwrap();
    assert_eq!(first.tasks.ranges(), [(0, 0)]);
}

#[test]
fn relations_that_are_not_compared_are_those_that_comparing_gives() {
    let map = map(SOLVER);
    let order = progress::Order::new(&map);
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..12 {
        let mut state = Random(seed);
        let mut given = random(&mut state, 150);
        // A chain of iterations, and frames of the map that a library calls.
        given.extend((0..20).map(|it| format!("main:26, solve:18 it={it}, MPI_Allreduce:1")));
        given.extend((0..5).map(|it| format!("main:26, solve:18 it={it}, MPI_Allreduce:1, norm:5 k={it}")));
        let tasks = tasks(&given.iter().map(String::as_str).collect::<Vec<_>>());
        let job = Analysis::new(&map, &tasks, RankSet::default()).tree(&TreeOptions::default());
        let points = points::Points::new(progress::Order::new(&map), &job.tree, &|_| String::new());
        let count = points.units.len();
        let located: Vec<progress::Located> = (0..count)
            .map(|unit| {
                points
                    .leaves
                    .locate(&order, &job.tree, points.units[unit].leaves[0], "")
            })
            .collect();
        for a in 0..count {
            for b in (0..count).filter(|&b| b != a) {
                let expected = order.compare(&located[a], &located[b]).relation;
                assert_eq!(
                    points.relation(a, b),
                    expected,
                    "seed {seed}: {:?} {:?}",
                    located[a],
                    located[b]
                );
                *seen.entry(expected).or_insert(0) += 1;
            }
        }
    }
    assert!(
        seen.len() >= 4 && seen.values().all(|&count| count > 50),
        "{seen:?}"
    );
}

#[test]
fn hundreds_of_kinds_are_ordered_one_by_one() {
    let map = map(SOLVER);
    let lines = [
        (12, "exchange:1"),
        (14, "left:1"),
        (17, "norm:6"),
        (18, "MPI_Allreduce:1"),
    ];
    let given: Vec<String> = (0..600)
        .map(|rank| {
            let (line, callee) = lines[rank % 4];
            format!("main:26, solve:{line} it={}, {callee}", (rank * 7919) % 600 / 4)
        })
        .collect();
    let tasks = tasks(&given.iter().map(String::as_str).collect::<Vec<_>>());
    let tree = tree_of(&map, &tasks, &TreeOptions::default());
    check(
        &map,
        &tasks[..60],
        &tree_of(&map, &tasks[..60], &TreeOptions::default()),
        "a part",
    );
    let solve = tree.nodes.iter().filter(|node| node.function == "solve");
    let ranked = solve.filter(|node| matches!(node.mark, Mark::Ranked(_))).count();
    assert!(ranked > 400, "{ranked} ranked nodes");
    assert_eq!(tree.undecided, None);
}

#[test]
fn stacks_of_many_ranks_are_answered_as_the_ranks_one_by_one() {
    let map = map(SOLVER);
    for seed in 0..20 {
        let mut state = Random(seed);
        let given = random(&mut state, 6);
        let stacks: Vec<(snapshot::Task, RankSet)> =
            tasks(&given.iter().map(String::as_str).collect::<Vec<_>>())
                .into_iter()
                .enumerate()
                .map(|(at, task)| {
                    let ranks = (0..60u32).filter(|rank| rank % 6 == at as u32 && (at % 2 == 0 || *rank < 6));
                    (task, ranks.collect())
                })
                .collect();
        let mut single: Vec<snapshot::Task> = Vec::new();
        for (task, ranks) in &stacks {
            single.extend(ranks.iter().map(|rank| snapshot::Task {
                task: rank.to_string(),
                rank: Some(rank),
                ..task.clone()
            }));
        }
        single.sort_by_key(|task| task.rank);
        let short = |answer: &crate::Answer| {
            let classes = answer.classes.iter().map(|class| {
                (
                    class.who.clone(),
                    class.position.clone(),
                    class.unordered.is_some(),
                    class.is_candidate,
                )
            });
            let mut classes: Vec<_> = classes.map(|each| format!("{each:?}")).collect();
            classes.sort();
            (answer.tasks, answer.outcome, classes, answer.unreadable.len())
        };
        let (slow, fast) = (
            answer(&map, &single, RankSet::default()),
            Analysis::alike(&map, &stacks).answer(),
        );
        assert_eq!(short(&fast), short(&slow), "seed {seed}");
        let options = TreeOptions::default();
        let tree = Analysis::alike(&map, &stacks).ordered_tree(&options);
        let shape = |tree: &OrderedTree| -> Vec<String> {
            tree.nodes
                .iter()
                .map(|node| format!("{:?} {} {:?}", node.temporal, node.function, node.tasks.ranges()))
                .collect()
        };
        assert_eq!(
            shape(&tree),
            shape(&tree_of(&map, &single, &options)),
            "seed {seed}"
        );
        assert_eq!(tree.nodes[0].stacks, single.len() as u64);
    }
}

#[test]
fn what_could_not_be_read_is_there_all_the_same() {
    let map = map(SOLVER);
    let mut tasks = tasks(&HUNG);
    tasks[0].frames = snapshot::Frames::default();
    tasks[0].pid = Some(4711);
    tasks[0].error = Some("pid 4711: no /proc/4711/maps (errno 14711)".to_owned());
    tasks[1].threads = vec![snapshot::Thread {
        thread: 99,
        frames: vec![snapshot::Frame {
            function: "worker".to_owned(),
            ..snapshot::Frame::default()
        }]
        .into(),
        ..snapshot::Thread::default()
    }];
    let missing: RankSet = "7-9".parse().unwrap();
    let options = TreeOptions::default();
    let job = Analysis::new(&map, &tasks, missing.clone()).tree(&options);
    let tree = job.ordered(&map, &options);
    let kind = |kind: NodeKind| tree.nodes.iter().find(|node| node.kind == kind).unwrap();
    assert_eq!(kind(NodeKind::Missing).tasks.ranges(), [(7, 9)]);
    assert_eq!(
        kind(NodeKind::Unreadable).function,
        "pid PID: no /proc/PID/maps (errno 14711)"
    );
    assert_eq!(kind(NodeKind::Threads).tasks.ranges(), [(1, 1)]);
    assert_eq!(tree.nodes[0].tasks.len(), 8);
    assert_eq!(tree.nodes[0].stacks, 9);
}

#[test]
fn samples_say_who_moved() {
    let map = map(SOLVER);
    let first = tasks(&HUNG);
    let mut second = first.clone();
    second[3] = tasks(&["main:28, finish:1"]).remove(0);
    (second[3].task, second[3].rank) = ("3".to_owned(), Some(3));
    second.pop();
    let options = TreeOptions::default();
    let samples = [first];
    let tree = Analysis::new(&map, &second, RankSet::default())
        .after(&samples)
        .ordered_tree(&options);
    assert_eq!(tree.changes.len(), 1);
    assert_eq!(tree.changes[0].moved.ranges(), [(3, 3)]);
    assert_eq!(tree.changes[0].came_or_went.ranges(), [(4, 4)]);
    let finish = tree.nodes.iter().find(|node| node.function == "finish").unwrap();
    assert_eq!(finish.samples, [0, 1]);
    assert_eq!(tree.nodes[0].samples, [5, 4]);
}

#[test]
fn stacks_of_too_many_kinds_are_shown_as_they_are() {
    let lines: Vec<String> = (0..1_100)
        .map(|rank| format!("main:28, f{}:1, g{rank}:1", rank % 5))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let map = map(SOLVER);
    let options = TreeOptions::default();
    let tasks = tasks(&lines);
    let job = Analysis::new(&map, &tasks, RankSet::default()).tree(&TreeOptions {
        library: true,
        ..options.clone()
    });
    let tree = job.ordered(&map, &options);
    assert!(tree.undecided.is_some() && tree.classes.is_empty());
    for rank in 0..1_100 {
        let name = format!("g{rank}");
        let node = tree.nodes.iter().find(|node| node.function == name).unwrap();
        assert_eq!(node.tasks.ranges(), [(rank, rank)]);
        assert_eq!(tree.nodes[node.parent].function, format!("f{}", rank % 5));
        assert_eq!((node.progress, node.temporal.as_deref()), (None, None));
    }
}

#[test]
fn of_several_samples_the_hindmost_is_that_of_the_last() {
    let map = map(SOLVER);
    let before = tasks(&HUNG);
    // Whoever was behind has gone on, past all others.
    let now: Vec<snapshot::Task> = (0..before.len())
        .map(|rank| {
            let mut task = tasks(&["main:28, finish:1"]).remove(0);
            if rank == 0 {
                task.frames.clone_from(&before[0].frames);
            }
            (task.task, task.rank) = (rank.to_string(), Some(rank as u32));
            task
        })
        .collect();
    let options = TreeOptions::default();
    let hindmost = |samples: &[Vec<snapshot::Task>]| {
        let Some((now, before)) = samples.split_last() else {
            panic!("no sample")
        };
        let tree = Analysis::new(&map, now, RankSet::default())
            .after(before)
            .ordered_tree(&options);
        assert_eq!(tree.undecided, None);
        let hindmost = tree.classes.iter().filter(|class| class.hindmost);
        let ranks = hindmost.map(|class| class.now.ranges());
        ranks.collect::<Vec<_>>()
    };
    assert_ne!(hindmost(std::slice::from_ref(&before)), [vec![(0, 0)]]);
    assert_eq!(hindmost(&[before, now]), [vec![(0, 0)]]);
}

/// The functions of the frames that are left, outermost first.
fn left(tree: &OrderedTree, operation: &Operation) -> Vec<String> {
    let after = tree.after(operation).unwrap();
    for (at, node) in after.nodes.iter().enumerate() {
        assert!(node.parent <= at && node.children.iter().all(|&child| after.nodes[child].parent == at));
        assert_eq!(
            node.depth,
            if at == 0 {
                0
            } else {
                after.nodes[node.parent].depth + 1
            }
        );
    }
    assert!(after.classes.iter().all(|class| class.node < after.nodes.len()));
    let frames = after.nodes.iter().filter(|node| node.kind == NodeKind::Frame);
    frames.map(|node| node.function.clone()).collect()
}

#[test]
fn operations_leave_what_was_asked_for() {
    let map = map(SOLVER);
    let tree = tree_of(&map, &tasks(&HUNG), &TreeOptions::default());
    let text = |text: &str| regex::Regex::new(text).unwrap();
    assert_eq!(
        left(&tree, &Operation::Class("T1".to_owned())),
        ["main", "solve", "norm", "check"]
    );
    assert_eq!(
        left(&tree, &Operation::Tasks(TaskSet::one(3))),
        ["main", "solve", "exchange"]
    );
    assert_eq!(left(&tree, &Operation::Collapse(1)), ["main"]);
    assert_eq!(
        left(&tree, &Operation::Hide(text("^norm$"))),
        ["main", "solve", "solve", "MPI_Allreduce", "solve", "exchange"]
    );
    assert_eq!(
        left(&tree, &Operation::Text(text("it=8"))),
        ["main", "solve", "exchange"]
    );
    assert_eq!(
        left(&tree, &Operation::Join),
        [
            "main",
            "solve > norm > check",
            "solve > MPI_Allreduce",
            "solve > exchange"
        ]
    );
    let solve = Model::parse("model = \"S\" true\nsolve").unwrap();
    assert_eq!(
        left(&tree, &Operation::Cut(solve)),
        ["main", "solve", "solve", "solve"]
    );
    for (extreme, expected) in [
        (Extreme::Longest, &["main", "solve", "norm", "check"][..]),
        (Extreme::Shortest, &["main", "solve", "MPI_Allreduce"]),
        (Extreme::MostTasks, &["main", "solve", "MPI_Allreduce"]),
        (Extreme::FewestTasks, &["main", "solve", "norm", "check"]),
        (Extreme::LeastProgress, &["main", "solve", "norm", "check"]),
        (Extreme::MostProgress, &["main", "solve", "exchange"]),
    ] {
        assert_eq!(left(&tree, &Operation::Walk(extreme)), expected, "{extreme:?}");
    }
    assert!(tree.after(&Operation::Class("T9".to_owned())).is_err());
    assert!(tree.after(&Operation::Tasks(TaskSet::one(77))).is_err());
}
