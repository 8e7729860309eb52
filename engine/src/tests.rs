//! Answers over maps of real C, made in memory.

use crate::{
    Activity, Analysis, Answer, Certainty, Diagnosis, Earlier, Finding, Grounds, JobMotion, Outcome,
    Relation, RelationToHindmost, Role, SourceFile, ThreadActivity, Witness, map_sources,
};
use base::RankSet;
use progress_map::{Across, Map, PointKind};

mod alike;
mod awaited;
pub(crate) mod by_recorder;
mod chains;
mod programs;
mod represented;
mod sends;
mod trouble;
mod waits;

pub(crate) fn map(source: &str) -> Map {
    let file = SourceFile {
        path: "a.c".to_owned(),
        bytes: source.as_bytes().to_vec(),
    };
    map_sources(vec![file], &|_| {})
}

pub(crate) fn answer(map: &Map, tasks: &[snapshot::Task], missing: RankSet) -> Answer {
    Analysis::new(map, tasks, missing).answer()
}

pub(crate) fn answer_since(map: &Map, tasks: &[snapshot::Task], earlier: Earlier<'_>) -> Answer {
    Analysis::new(map, tasks, RankSet::default())
        .since(Some(earlier))
        .answer()
}

/// The answer for tasks given as frames `function:line name=value …`, outermost first, parted by commas.
fn ask(source: &str, given: &[&str]) -> Answer {
    answer(&map(source), &tasks(given), RankSet::default())
}

pub(crate) fn tasks(given: &[&str]) -> Vec<snapshot::Task> {
    (0..)
        .zip(given)
        .map(|(rank, frames)| snapshot::Task {
            task: rank.to_string(),
            rank: Some(rank),
            frames: frames.split(',').map(frame).collect(),
            ..snapshot::Task::default()
        })
        .collect()
}

fn frame(text: &str) -> snapshot::Frame {
    let mut words = text.split_whitespace();
    let (function, line) = words.next().unwrap().split_once(':').unwrap();
    let values = words.map(|word| {
        let (name, value) = word.split_once('=').unwrap();
        (name.to_owned(), snapshot::Value::Integer(value.parse().unwrap()))
    });
    snapshot::Frame {
        function: function.to_owned(),
        line: line.parse().ok(),
        values: values.collect(),
        ..snapshot::Frame::default()
    }
}

const STRAIGHT: &str = "\
void f(void) {
    a();
    b();
    while (x) {
        c();
        d();
    }
    e();
}
";

#[test]
fn a_class_behind_through_another_is_behind() {
    // The loop orders nothing inside it, but all of it comes between.
    let found = ask(STRAIGHT, &["f:2,a:0", "f:5,c:0", "f:6,d:0", "f:8,e:0"]);
    assert_eq!(found.outcome, Outcome::Named);
    assert_eq!(found.hindmost[0].class, 0);
    assert_eq!(found.hindmost[0].ahead.len(), 3);
    assert!(
        found.undecided.is_empty(),
        "who is behind is known; who is second does not matter"
    );
}

#[test]
fn who_has_no_place_keeps_the_hindmost_from_being_proven() {
    let source = "void f(void) {\n    MPI_Send();\n    MPI_Wait();\n}\n";
    let [sends, waits] = ["f:2,MPI_Send:0", "f:3,MPI_Wait:0"];
    let proven = ask(source, &[sends, waits]).finding.unwrap();
    assert_eq!(
        (proven.certainty, proven.who.to_string()),
        (Certainty::Proven, "rank 0".to_owned())
    );
    // Who waits in MPI may be further behind, and is not what a person would look at first.
    let waiting = ask(source, &[sends, waits, "elsewhere:1,MPI_Recv:0"])
        .finding
        .unwrap();
    assert_eq!(
        (waiting.certainty, waiting.who.to_string()),
        (Certainty::Probable, "rank 0".to_owned())
    );
    assert_eq!(waiting.grounds, Grounds::Behind);
    assert!(
        waiting
            .doubt
            .unwrap()
            .starts_with("rank 2 has no place in the order and may be further behind")
    );
    // Who alone does not wait is.
    let outside = ask(source, &[sends, waits, "elsewhere:1"]).finding.unwrap();
    assert_eq!(
        (outside.certainty, outside.who.to_string()),
        (Certainty::Probable, "rank 2".to_owned())
    );
    // Of an unreadable task nothing is known.
    let mut tasks = tasks(&[sends, waits, sends]);
    tasks[2].frames = snapshot::Frames::default();
    tasks[2].error = Some("pid 7 has ended".to_owned());
    let unread = answer(&map(source), &tasks, RankSet::default()).finding.unwrap();
    assert_eq!(
        (unread.certainty, unread.who.to_string()),
        (Certainty::Probable, "rank 0".to_owned())
    );
}

#[test]
fn nobody_stands_out_by_what_a_library_does() {
    let source = "int less(int a, int b) {\n    g();\n    h();\n}\nvoid f(void) {\n    qsort();\n}\n";
    let [sorts, merges] = ["f:6,qsort:0,less:2,g:0", "f:6,qsort:0,merge:0,less:2,g:0"];
    let alike = ask(source, &[sorts, merges, merges]);
    assert_eq!(alike.classes.len(), 2);
    assert_eq!(alike.finding, None);
    // Where the program's own lines differ, whoever is alone does.
    let elsewhere = ask(source, &["f:6,qsort:0,less:3,h:0", merges, sorts])
        .finding
        .unwrap();
    assert_eq!(
        (elsewhere.certainty, elsewhere.who.to_string()),
        (Certainty::Probable, "rank 0".to_owned())
    );
}

#[test]
fn an_open_question_between_candidates_names_nobody() {
    let found = ask(STRAIGHT, &["f:5,c:0", "f:6,d:0", "f:8,e:0"]);
    assert_eq!(found.outcome, Outcome::Undecided);
    assert!(found.hindmost.is_empty());
    assert_eq!(found.undecided.len(), 1);
    let advice = found.undecided[0].advice.as_ref().unwrap().to_string();
    assert!(
        advice.starts_with("add a counter to the loop at a.c:4"),
        "{advice}"
    );
    assert_eq!(found.classes[2].links.len(), 2);
    assert!(
        found.classes[2]
            .links
            .iter()
            .all(|link| link.relation == Relation::Before)
    );
}

#[test]
fn what_mpi_proves_settles_what_the_order_leaves_open() {
    let mut found = ask(STRAIGHT, &["f:5,c:0", "f:6,d:0", "f:8,e:0"]);
    let relations = |of: &Answer| Vec::from_iter((0..3).map(|class| of.relation_to_hindmost(class)));
    assert_eq!(
        relations(&found),
        [
            RelationToHindmost::Candidate,
            RelationToHindmost::Candidate,
            RelationToHindmost::Ahead
        ]
    );
    found.finding = Some(Finding {
        certainty: Certainty::Proven,
        by: Witness::Mpi,
        classes: vec![1],
        who: found.classes[1].who.clone(),
        grounds: Grounds::NotEntered {
            calls: vec!["MPI_Barrier".to_owned()],
            waiting: 2,
        },
        doubt: None,
        remedy: None,
    });
    assert_eq!(
        relations(&found),
        [
            RelationToHindmost::Ahead,
            RelationToHindmost::Hindmost,
            RelationToHindmost::Ahead
        ]
    );
}

#[test]
fn equal_tasks_may_have_different_values() {
    let source =
        "void f(int lo) {\n    int i;\n    for (i = lo; i < lo + 9; i++) {\n        g();\n    }\n}\n";
    let found = ask(
        source,
        &["f:4 i=13 lo=10,g:0", "f:4 i=23 lo=20,g:0", "f:4 i=25 lo=20,g:0"],
    );
    assert_eq!(found.outcome, Outcome::Named);
    let hindmost = &found.classes[found.hindmost[0].class];
    assert_eq!(hindmost.who.to_string(), "ranks 0-1");
    assert!(hindmost.position.iteration[0].differs);
    assert_eq!(hindmost.frames[0].differing, ["i"]);
}

#[test]
fn what_a_task_does() {
    let source = "void f(void) {\n    MPI_Recv(p);\n    work(p);\n}\n";
    let found = ask(source, &["f:2,PMPI_Recv:0,poll:0,read:0", "f:3,work:0", "f:4"]);
    let of = |name: &str| {
        let class = found
            .classes
            .iter()
            .find(|class| class.who.to_string() == name)
            .unwrap();
        class.position.activity.clone()
    };
    assert_eq!(of("rank 0"), Activity::Blocked("MPI_Recv".to_owned()));
    assert_eq!(found.classes[0].frames[1].folded, 2);
    assert_eq!(of("rank 1"), Activity::Inside("work".to_owned()));
    assert_eq!(of("rank 2"), Activity::Computing);
}

#[test]
fn a_profiling_layer_in_the_program_is_folded_to_the_call() {
    let source = "\
int MPI_Recv(void *b, int n, int t, int s, int g, int c, void *st) {
    return PMPI_Recv(b, n, t, s, g, c, st);
}
void f(int peer, int n) {
    MPI_Recv(0, n, 1, peer, 7, MPI_COMM_WORLD, 0);
}
";
    let found = ask(
        source,
        &["f:5 peer=3 n=2,MPI_Recv:2 s=4 n=9,PMPI_Recv:0,poll:0", "f:4"],
    );
    let class = found
        .classes
        .iter()
        .find(|class| class.who.to_string() == "rank 0")
        .unwrap();
    assert_eq!(class.position.activity, Activity::Blocked("MPI_Recv".to_owned()));
    assert_eq!((class.position.function.as_str(), class.position.line), ("f", 5));
    let call = class.position.call.as_ref().unwrap();
    let value = |role| call.argument(role).unwrap().value;
    assert_eq!(value(Role::ReceiveTag), Some(7));
    // A parameter that is never assigned: what an optimised build shows of it can be believed.
    assert_eq!((value(Role::Source), value(Role::Count)), (Some(3), Some(2)));
    assert_eq!(class.frames.len(), 2, "{:?}", class.frames);
}

#[test]
fn arguments_that_the_call_may_change_have_no_value() {
    let source = "\
void f(int *p) {
    int src = 0, n = 4;
    MPI_Recv(&src, n, 1, src, p[1], p[2], 0);
    MPI_Recv(p, n++, 1, src, 5, MPI_COMM_WORLD, 0);
}
";
    let found = ask(source, &["f:3 src=3 n=4,MPI_Recv:0", "f:4 src=3 n=4,MPI_Recv:0"]);
    let call = |name: &str| {
        let class = found
            .classes
            .iter()
            .find(|class| class.who.to_string() == name)
            .unwrap();
        class.position.call.clone().unwrap()
    };
    let first = call("rank 0");
    let text = |role| first.argument(role).unwrap().text.clone();
    assert_eq!(
        (text(Role::Source), text(Role::ReceiveTag)),
        ("src".to_owned(), "p[1]".to_owned())
    );
    assert!(
        first
            .arguments
            .iter()
            .all(|argument| argument.value.is_none() || argument.role == Role::Count)
    );
    let second = call("rank 1");
    assert_eq!(second.argument(Role::Source).unwrap().value, None);
    assert_eq!(second.argument(Role::ReceiveTag).unwrap().value, Some(5));
}

#[test]
fn the_only_task_of_a_job_is_its_hindmost_but_not_the_only_survivor() {
    assert_eq!(ask(STRAIGHT, &["f:2,a:0"]).outcome, Outcome::Named);
    assert_eq!(ask(STRAIGHT, &["f:2,a:0", "g:1"]).outcome, Outcome::Alone);
    assert_eq!(ask(STRAIGHT, &["g:1"]).outcome, Outcome::NotPlaced);
    assert_eq!(ask(STRAIGHT, &["f:2,a:0", "f:2,a:0"]).outcome, Outcome::AllEqual);
}

#[test]
fn maps_do_not_depend_on_the_order_of_their_files() {
    let file = |path: &str, text: &str| SourceFile {
        path: path.to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let files = [
        file(
            "b.c",
            "#include \"h.h\"\nint g(void) { LOOP { h(); } return 0; }\n",
        ),
        file("h.h", "#define LOOP for (int i = 0; i < 3; i++)\n"),
        file("a.c", STRAIGHT),
    ];
    let forth = map_sources(files.to_vec(), &|_| {});
    let back = map_sources(files.iter().rev().cloned().collect(), &|_| {});
    assert_eq!(forth, back);
    assert_eq!(forth.files.len(), 3);
}

/// What happened between two moments, each given as in [`ask`].
fn between(source: &str, first: &[&str], second: &[&str]) -> JobMotion {
    let earlier = tasks(first);
    let earlier = Earlier {
        tasks: &earlier,
        elapsed: std::time::Duration::from_secs(2),
    };
    let answer = answer_since(&map(source), &tasks(second), earlier);
    let motion = answer.motion.unwrap();
    assert_eq!(motion.classes.len(), answer.classes.len());
    motion
}

const STEPS: &str = "\
void work(void);
void run(void) {
    int step;
    for (step = 0; step < 100; step++) {
        work();
        MPI_Allreduce();
    }
    while (gate) {
        x = x + 1;
    }
}
void work(void) {
    int k;
    for (k = 0; k < 9; k++)
        MPI_Recv();
    while (gate)
        x = x * 2;
    usleep();
}
";

#[test]
fn a_deadlock_is_when_all_wait_for_others_and_nobody_came_on() {
    let stuck = [
        "run:5 step=3,work:15 k=4,MPI_Recv:0",
        "run:6 step=3,MPI_Allreduce:0",
    ];
    let motion = between(STEPS, &stuck, &stuck);
    assert_eq!(motion.diagnosis, Diagnosis::Deadlock, "{motion:?}");
    // One task of it went on: it is slow, or it was on its way.
    let before = ["run:5 step=3,work:15 k=3,MPI_Recv:0", stuck[1]];
    let motion = between(STEPS, &before, &stuck);
    assert_eq!(motion.diagnosis, Diagnosis::Slow, "{motion:?}");
    assert!(
        motion.sentence.contains("rank 0 went on from k=3 to k=4"),
        "{motion:?}"
    );
    // What cannot be read may have gone on.
    let unread = ["run:5 step=3,work:15,MPI_Recv:0", stuck[1]];
    let motion = between(STEPS, &unread, &unread);
    assert_eq!(motion.diagnosis, Diagnosis::Unclear, "{motion:?}");
}

#[test]
fn who_comes_on_by_whole_iterations_is_told_by_the_outermost() {
    let motion = between(
        STEPS,
        &[
            "run:5 step=3,work:15 k=8,MPI_Recv:0",
            "run:6 step=3,MPI_Allreduce:0",
        ],
        &[
            "run:5 step=5,work:15 k=1,MPI_Recv:0",
            "run:6 step=5,MPI_Allreduce:0",
        ],
    );
    assert_eq!(motion.diagnosis, Diagnosis::Slow, "{motion:?}");
    let words = |class: usize| motion.classes[class].words();
    assert_eq!(words(0), "moving (from step=3 to step=5)");
    assert!(motion.sentence.contains("and so did all others"), "{motion:?}");
}

#[test]
fn a_loop_that_nothing_counts_is_not_left() {
    let spins = ["run:5 step=3,work:17", "run:6 step=3,MPI_Allreduce:0"];
    let motion = between(STEPS, &spins, &spins);
    assert_eq!(motion.diagnosis, Diagnosis::InPlace, "{motion:?}");
    assert!(
        motion.sentence.contains("rank 0 computes in the loop at a.c:16"),
        "{motion:?}"
    );
    // In another iteration of the loop around it, it was left.
    let later = ["run:5 step=4,work:17", "run:6 step=4,MPI_Allreduce:0"];
    assert_eq!(between(STEPS, &spins, &later).diagnosis, Diagnosis::Slow);
    // With the value around it unread, it is where it was, and nothing tells whether it has been elsewhere in between.
    let unread = ["run:5,work:17", "run:6 step=3,MPI_Allreduce:0"];
    assert_eq!(between(STEPS, &unread, &unread).classes[0].same_place, 1);
}

#[test]
fn waiting_for_something_outside_the_job() {
    let sleeps = ["run:5 step=3,work:18,usleep:0", "run:6 step=3,MPI_Allreduce:0"];
    let motion = between(STEPS, &sleeps, &sleeps);
    assert_eq!(motion.diagnosis, Diagnosis::Outside, "{motion:?}");
    // The others go on and it does not: nobody else's fault either.
    let before = [sleeps[0], "run:5 step=3,work:15 k=2,MPI_Recv:0"];
    let motion = between(STEPS, &before, &sleeps);
    assert_eq!(motion.diagnosis, Diagnosis::LeftBehind, "{motion:?}");
    assert!(
        motion
            .sentence
            .contains("rank 0 stands, while 1 of the 1 others went on"),
        "{motion:?}"
    );
}

#[test]
fn another_process_of_a_rank_is_another_task() {
    let one = tasks(&["run:6 step=3,MPI_Allreduce:0"]);
    let mut other = one.clone();
    other[0].pid = Some(7);
    let earlier = Earlier {
        tasks: &one,
        elapsed: std::time::Duration::from_secs(1),
    };
    let answer = answer_since(&map(STEPS), &other, earlier);
    let motion = answer.motion.unwrap();
    assert_eq!(
        (motion.classes[0].unknown, motion.diagnosis),
        (1, Diagnosis::Unclear)
    );
}

#[test]
fn a_frame_that_a_jump_removed_hides_no_values() {
    let source = "\
void do_solve(void) {
    int i;
    for (i = 0; i < 9; i++)
        MPI_Barrier();
}
void solve(void) {
    return do_solve();
}
int main(void) {
    solve();
}
";
    let mut map = map(source);
    let optimised = |(id, function): (_, &progress_map::Function)| progress_map::BoundFunction {
        start: 16 * u64::from(function.span.line),
        end: 16 * u64::from(function.span.line) + 16,
        function: Some(id),
        name: function.name.clone(),
        linkage_name: None,
        frame_base: Vec::new(),
        optimised: true,
    };
    map.binding = Some(progress_map::Binding {
        functions: map.functions.iter_enumerated().map(optimised).collect(),
        ..progress_map::Binding::default()
    });
    let stack = "main:10,do_solve:4 i=3,MPI_Barrier:0";
    let answer = answer(&map, &tasks(&[stack, stack]), RankSet::default());
    assert_eq!(answer.outcome, Outcome::AllEqual, "{answer:#?}");
    let frames = &answer.classes[0].frames;
    assert_eq!(frames.len(), 3);
    assert_eq!(frames[1].values.len(), 1);
    assert!(frames[1].differing.is_empty(), "{frames:#?}");
}

/// Tasks whose main threads are at `main`, each with a thread of the name and the frames given.
fn joining(main: &str, given: &[&[(&str, &str)]]) -> Vec<snapshot::Task> {
    let mut tasks = tasks(&vec![main; given.len()]);
    for (task, given) in tasks.iter_mut().zip(given) {
        let threads = (1..)
            .zip(*given)
            .map(|(thread, (name, frames))| snapshot::Thread {
                thread,
                name: (*name).to_owned(),
                frames: frames.split(',').map(frame).collect(),
                ..snapshot::Thread::default()
            });
        task.threads = threads.collect();
    }
    tasks
}

const CREW: &str = "\
void *carry(void *arg) {
    for (int i = 0; i < 10; i++) {
        a();
        b();
    }
}
void *mix(void *arg) {
    while (x)
        c();
}
int main(void) {
    for (int it = 0; it < 10; it++)
        pthread_join(t, 0);
    while (x)
        pthread_join(t, 0);
}
";

/// Templates and lambdas may be in no map, although their file is: a thread there does the program's work.
#[test]
fn a_thread_in_the_source_of_the_program_is_no_helper() {
    let doing = |file: &str| {
        let stacks: &[(&str, &str)] = &[("worker", "start_thread:0,operator():3,wait:0")];
        let mut tasks = joining("main:13 it=3,pthread_join:0", &[stacks]);
        let frames = &mut tasks[0].threads[0].frames;
        frames.edit(|frames| frames[1].file = Some(file.to_owned()));
        let answer = answer(&map(CREW), &tasks, RankSet::default());
        answer.classes[0].threads[0].doing.clone()
    };
    assert!(matches!(doing("other.c"), ThreadActivity::Helper(_)));
    assert!(matches!(doing("a.c"), ThreadActivity::Working(_)));
}

#[test]
fn a_thread_is_held_against_its_counterparts_only() {
    let map = map(CREW);
    let behind = |main: &str, given: &[&[(&str, &str)]]| {
        let found = answer(&map, &joining(main, given), RankSet::default());
        assert_eq!(found.classes.len(), 1);
        let behind = found.classes[0].threads_behind.iter();
        Vec::from_iter(behind.map(|behind| format!("{} behind {}", behind.who, behind.ahead)))
    };
    let main = "main:13 it=3,pthread_join:0";
    let carry = |i: u32, line: u32, callee: &str| format!("carry:{line} i={i},{callee}:0");
    let (early, late) = (carry(4, 3, "a"), carry(4, 4, "b"));
    let (early, late) = (("crew", early.as_str()), ("crew", late.as_str()));
    let one = ["rank 1 behind ranks 0,2"];
    assert_eq!(behind(main, &[&[late], &[early], &[late]]), one);
    // Another thread besides says nothing, but is no counterpart.
    let mix = ("crew", "mix:9,c:0");
    assert_eq!(behind(main, &[&[mix, late], &[mix, early], &[mix, late]]), one);
    assert_eq!(behind(main, &[&[mix], &[early], &[late]]), [""; 0]);
    assert_eq!(behind(main, &[&[late, late], &[early], &[late]]), [""; 0]);
    assert_eq!(behind(main, &[&[late], &[("other", early.1)], &[late]]), [""; 0]);
    // A thread that works for nobody any more is not behind, and hides nobody.
    assert_eq!(
        behind(main, &[&[late], &[early], &[("crew", "idle:0")]]),
        ["rank 1 behind rank 0"]
    );
    // A team is one line.
    assert_eq!(
        behind(main, &[&[late, late], &[early, early], &[late, late]]),
        one
    );
    // Whoever is behind by threads alone is named, but not where each of several is behind by another thread.
    let named = |given: &[&[(&str, &str)]]| {
        let found = answer(&map, &joining(main, given), RankSet::default());
        found
            .finding
            .map(|finding| (finding.certainty, finding.who.to_string()))
    };
    assert_eq!(
        named(&[&[late], &[early], &[late]]),
        Some((Certainty::Proven, "rank 1".to_owned()))
    );
    assert_eq!(named(&[&[late, early], &[early, late], &[late, late]]), None);
    // Nobody knows whether the main threads are in one iteration.
    assert_eq!(
        behind("main:15,pthread_join:0", &[&[late], &[early], &[late]]),
        [""; 0]
    );
    // Nothing orders the threads' own loop.
    let value_lost = ("crew", "carry:3,a:0");
    assert_eq!(behind(main, &[&[late], &[value_lost], &[late]]), [""; 0]);
}

/// Where nobody knows whether the main threads are in one iteration, who alone has a thread that does not wait for other tasks is to be looked at.
#[test]
fn a_thread_that_alone_does_not_wait_is_named_as_probable() {
    let map = map(CREW);
    let named = |given: &[&[(&str, &str)]]| {
        let tasks = joining("main:15,pthread_join:0", given);
        let found = answer(&map, &tasks, RankSet::default()).finding?;
        let Grounds::ThreadAlone { others_in, .. } = &found.grounds else {
            return Some(format!("{:?}", found.grounds));
        };
        assert_eq!(found.certainty, Certainty::Probable);
        Some(format!("{}, others in {}", found.who, others_in.join(" and ")))
    };
    let waits = ("crew", "carry:3 i=4,MPI_Recv:0");
    let asks = ("crew", "carry:3 i=4,MPI_Iprobe:0");
    let works = ("crew", "carry:4 i=4,b:0");
    let idle = ("crew", "mix:9,pthread_mutex_lock:0");
    let only = "rank 1, others in MPI_Recv".to_owned();
    assert_eq!(named(&[&[waits], &[works], &[waits]]), Some(only.clone()));
    assert_eq!(named(&[&[waits], &[waits, works], &[waits]]), Some(only));
    assert_eq!(
        named(&[&[waits], &[works], &[asks]]),
        Some("rank 1, others in MPI_Recv and MPI_Iprobe".to_owned())
    );
    // Of as many that work none stands out, and nobody is known to wait where a task has no thread that does.
    assert_eq!(named(&[&[waits], &[works], &[works]]), None);
    assert_eq!(named(&[&[waits], &[works], &[]]), None);
    assert_eq!(named(&[&[waits], &[waits], &[waits]]), None);
    // Threads that wait for others of their task do as the main one does.
    let all_idle: &[(&str, &str)] = &[waits, idle];
    assert_eq!(named(&[all_idle, all_idle, all_idle]), None);
}

/// `CHECK(call)` is one thing or another, as the build says.
const CHOICES: &str = "\
#ifdef DEBUG
#define CHECK(call) do { enter(); if (call) fail(1); leave(); } while (0)
#else
#define CHECK(call) do { if (call) fail(2); } while (0)
#endif
int work(int n) { int i;
    for (i = 0; i < n; i++)
        step(i);
    last(n);
}
";

#[test]
fn what_a_build_has_chosen_it_has_chosen_for_all_tasks() {
    let hindmost = |main: &str, stacks: &[&str]| {
        let found = ask(&format!("{CHOICES}{main}"), stacks);
        let hindmost = found.hindmost.iter();
        Vec::from_iter(hindmost.map(|each| found.classes[each.class].who.to_string()))
    };
    let main = "int main(void) { int k;\n    for (k = 0; k < 9; k++) {\n        CHECK(work(k)); }\n    other();\n}\n";
    let behind = "main:13 k=3,work:8 i=1,step:0";
    assert_eq!(hindmost(main, &[behind, "main:13 k=3,work:9,last:0"]), ["rank 0"]);
    assert_eq!(
        hindmost(main, &["main:13 k=4,work:8 i=1,step:0", behind]),
        ["rank 1"]
    );
    assert_eq!(hindmost(main, &["main:14,other:0", behind]), ["rank 1"]);
    // The same call twice in each build: nobody knows in which of them a task is.
    let twice = main.replace("CHECK(work(k));", "CHECK(work(k)); CHECK(work(k));");
    assert_eq!(hindmost(&twice, &[behind, "main:13 k=3,work:9,last:0"]), [""; 0]);
    let inside = main.replace("CHECK(work(k))", "CHECK(work(k) + work(k))");
    assert_eq!(hindmost(&inside, &[behind, "main:13 k=3,work:9,last:0"]), [""; 0]);
    // A branch that the program takes is none that the build takes.
    let branch = "if (rank) { enter(); work(k); } else work(k);";
    let branch = main.replace("CHECK(work(k));", branch);
    assert_eq!(hindmost(&branch, &[behind, "main:13 k=3,work:9,last:0"]), [""; 0]);
}

#[test]
fn a_macro_that_calls_other_functions_hides_no_argument() {
    let file = |path: &str, text: String| SourceFile {
        path: path.to_owned(),
        bytes: text.into_bytes(),
    };
    let hindmost = |body: &str, stacks: &[&str]| {
        let header = format!(
            "int fail(int); int enter(void);\n#ifdef CHECKER\nvoid Try(int);\n#else\n#define Try(...) {body}\n#endif\n"
        );
        let source = "#include \"a.h\"\nint work(int n) { int i;\n    for (i = 0; i < n; i++)\n        step(i);\n    last(n);\n}\n\
             int main(void) { int k;\n    for (k = 0; k < 9; k++)\n        Try(work(k));\n    other();\n}\n";
        let files = vec![file("a.h", header), file("a.c", source.to_owned())];
        let found = answer(&map_sources(files, &|_| {}), &tasks(stacks), RankSet::default());
        let hindmost = found.hindmost.iter();
        Vec::from_iter(hindmost.map(|each| found.classes[each.class].who.to_string()))
    };
    let check = "do { int e = __VA_ARGS__; if (e) return fail(e); } while (0)";
    let (behind, ahead) = ("main:9 k=3,work:4 i=1,step:0", "main:9 k=3,work:5,last:0");
    assert_eq!(hindmost(check, &[behind, ahead]), ["rank 0"]);
    assert_eq!(hindmost(check, &["main:9 k=3,fail:0", behind]), ["rank 1"]);
    assert_eq!(hindmost(check, &["main:10,other:0", behind]), ["rank 1"]);
    // What calls before its argument, or evaluates it twice, is anywhere.
    let enters = "do { enter(); int e = __VA_ARGS__; if (e) return fail(e); } while (0)";
    assert_eq!(hindmost(enters, &[behind, ahead]), [""; 0]);
    let twice = "do { int e = __VA_ARGS__; e = __VA_ARGS__; if (e) return fail(e); } while (0)";
    assert_eq!(hindmost(twice, &[behind, ahead]), [""; 0]);
}

#[test]
fn a_header_may_have_chosen_otherwise_for_another_file() {
    let source =
        format!("{CHOICES}static inline int through(int k) {{\n    CHECK(work(k));\n    return 0;\n}}\n");
    let stacks = tasks(&["through:12,work:8 i=1,step:0", "through:12,work:9,last:0"]);
    for (path, named) in [("a.c", 1), ("a.h", 0)] {
        let file = SourceFile {
            path: path.to_owned(),
            bytes: source.as_bytes().to_vec(),
        };
        let found = answer(&map_sources(vec![file], &|_| {}), &stacks, RankSet::default());
        assert_eq!(found.hindmost.len(), named, "{path}");
    }
}

/// The map of files.
fn map_of(files: &[(&str, &str)]) -> Map {
    let files = files.iter().map(|(path, text)| SourceFile {
        path: (*path).to_owned(),
        bytes: text.as_bytes().to_vec(),
    });
    map_sources(files.collect(), &|_| {})
}

#[test]
fn functions_for_builds_without_mpi_say_nothing_of_others() {
    // Each of the loops begins at what a message brought, or the clock says: another value on each task.
    let program = "\
#include <mpi.h>
void f(int n) {
    int first = 0, i;
    MPI_Recv(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (i = first; i < 100; i++)
        work(i);
    for (i = MPI_Wtime(); i < 100; i++)
        work(i);
}
";
    let without = "\
int MPI_Recv(void *to, int n, int type, int from, int tag, int comm, int *status) { return 0; }
double MPI_Wtime(void) { return 0; }
";
    let macros = "\
#define MPI_Comm_rank(comm, rank) (*(rank) = 0)
#define MPI_Recv(to, n, type, from, tag, comm, status) MPI_SUCCESS
#define MPI_Wtime() 0
";
    for more in [None, Some(("stubs/mpi.c", without)), Some(("uni/mpi.h", macros))] {
        let files: Vec<_> = more.into_iter().chain([("a.c", program)]).collect();
        let map = map_of(&files);
        let f = map.functions.iter().find(|each| each.name == "f").unwrap();
        assert!(
            f.points
                .iter()
                .any(|point| point.kind == PointKind::Call("MPI_Recv".to_owned()))
        );
        let across: Vec<_> = f
            .loops
            .iter()
            .map(|each| Vec::from_iter(each.lovs.iter().map(|lov| lov.across)))
            .collect();
        assert!(
            across.iter().all(|lovs| !lovs.contains(&Across::SameSequence)),
            "{more:?}: {across:?}"
        );
    }
}
