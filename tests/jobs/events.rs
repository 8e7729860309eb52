//! The events of real jobs in causal order: what is exported is held against the rules of MPI, counted anew from the lines alone (`plans/events.c`).

use crate::hindmost::{PATIENCE, hindmost, my_turn, run, said};
use crate::waits::{Debug, RANKS, Running, fits, made_of, start_preloading, start_with};
use corpus::Mpi;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Turns of the program's loop.
const TURNS: usize = 20;

fn export(directory: &Path, format: &str) -> String {
    let output = run(hindmost().args(["timeline", "--export", format]).arg(directory));
    assert!(matches!(output.status.code(), Some(0..=2)), "{}", said(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Prints events until the job ends.
fn follow(directory: &Path) -> Child {
    let mut command = hindmost();
    command
        .args(["timeline", "--follow", "--export", "jsonl"])
        .arg(directory);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn lines(directory: &Path) -> Vec<Value> {
    let text = export(directory, "jsonl");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn number(value: &Value, member: &str) -> Option<i64> {
    value.get(member)?.as_i64()
}

fn is(event: &Value, member: &str, what: &str) -> bool {
    event[member].as_str() == Some(what)
}

/// Whether all that the program does is done: rank 0 is in its last receive, the others in the last barrier.
fn is_done(events: &[Value]) -> bool {
    let last = |rank: usize| {
        events
            .iter()
            .rfind(|event| number(event, "rank") == Some(rank as i64))
    };
    (0..RANKS).all(|rank| {
        let last_of_all = if rank == 0 { "MPI_Recv" } else { "MPI_Barrier" };
        let barriers = events.iter().filter(|event| {
            number(event, "rank") == Some(rank as i64) && is(event, "operation", "MPI_Barrier")
        });
        let expected = if rank == 0 { 2 } else { 3 };
        barriers.count() == expected
            && last(rank).is_some_and(|last| is(last, "operation", last_of_all) && is(last, "step", "begins"))
    })
}

/// No receive is before its send, no end of an operation before the beginnings that it needs, and no rank's events are out of their order.
pub(crate) fn check_order(events: &[Value]) {
    let mut channels: BTreeMap<(String, i64, i64, i64), (usize, usize)> = BTreeMap::new();
    let mut entered: BTreeMap<(String, i64), BTreeSet<i64>> = BTreeMap::new();
    let mut last: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for event in events {
        let rank = number(event, "rank").unwrap();
        let (sequence, time) = (
            number(event, "sequence").unwrap(),
            number(event, "time_ns").unwrap(),
        );
        if let Some(before) = last.insert(rank, (sequence, time)) {
            assert!(
                before.0 + 1 == sequence && before.1 <= time,
                "{event} behind {before:?}"
            );
        }
        for flag in ["missing", "overtaken", "lost_before"] {
            assert!(event.get(flag).is_none(), "{event}");
        }
        if let Some(cause) = event.get("cause") {
            assert!(number(cause, "time_ns").unwrap() <= time, "{event}");
        }
        let communicator = event["communicator"].as_str().unwrap_or_default().to_owned();
        let tag = number(event, "tag").unwrap_or(0);
        if let Some(to) = number(event, "to") {
            channels.entry((communicator, rank, to, tag)).or_default().0 += 1;
        } else if let Some(from) = number(event, "from") {
            let (sent, received) = channels.entry((communicator, from, rank, tag)).or_default();
            *received += 1;
            assert!(received <= sent, "received before it was sent: {event}");
            assert!(event.get("cause").is_some(), "{event}");
        } else if let Some(ordinal) = number(event, "enters") {
            entered.entry((communicator, ordinal)).or_default().insert(rank);
        } else if let Some(ordinal) = number(event, "leaves") {
            let needed = needed(event, rank);
            let here = entered.get(&(communicator, ordinal)).cloned().unwrap_or_default();
            assert!(
                needed.is_subset(&here),
                "{event} needs {needed:?}, and there are {here:?}"
            );
        }
    }
    for (channel, (sent, received)) in &channels {
        assert_eq!(sent, received, "{channel:?}");
    }
}

/// The ranks without whose part this one cannot end.
fn needed(event: &Value, rank: i64) -> BTreeSet<i64> {
    let all = (0..RANKS as i64).collect();
    // The communicator of half of the ranks counts them from the last.
    let half = (0..RANKS as i64).filter(|other| other % 2 == rank % 2);
    let root = number(event, "root");
    match event["operation"].as_str().unwrap_or_default() {
        "MPI_Barrier" | "MPI_Allreduce" => all,
        "MPI_Ibarrier" => half.collect(),
        "MPI_Scan" => half.filter(|other| *other > rank).collect(),
        "MPI_Bcast" => root.into_iter().collect(),
        "MPI_Reduce" if root == Some(rank) => all,
        _ => BTreeSet::new(),
    }
}

/// The rules of the format: times of a thread ascend, each slice that ends has begun, each arrow has an id of its own, and leads from within a slice to within one that is not before it.
fn check_trace(directory: &Path, messages: usize) {
    let trace: Value = serde_json::from_str(&export(directory, "perfetto")).unwrap();
    let mut open: BTreeMap<(i64, i64), Vec<String>> = BTreeMap::new();
    let mut last: BTreeMap<(i64, i64), f64> = BTreeMap::new();
    let mut arrows: BTreeMap<u64, f64> = BTreeMap::new();
    let (mut begun, mut ended) = (0, 0);
    for event in trace["traceEvents"].as_array().unwrap() {
        let pid = number(event, "pid").unwrap();
        let name = event["name"].as_str().unwrap().to_owned();
        let phase = event["ph"].as_str().unwrap();
        if phase == "M" {
            continue;
        }
        let lane = (pid, number(event, "tid").unwrap());
        let at = event["ts"].as_f64().unwrap();
        let before = last.insert(lane, at);
        assert!(
            before.is_none_or(|before| before <= at),
            "{event} behind {before:?}"
        );
        let slices = open.entry(lane).or_default();
        // Perfetto takes no other ids than numbers.
        let id = || event["id"].as_u64().unwrap();
        match phase {
            "B" => slices.push(name),
            "E" => assert_eq!(slices.pop(), Some(name), "{event}"),
            "s" => {
                begun += 1;
                assert!(!slices.is_empty(), "{event}");
                assert_eq!(arrows.insert(id(), at), None, "{event}");
            }
            "f" => {
                ended += 1;
                assert!(!slices.is_empty() && event["bp"] == "e", "{event}");
                assert!(arrows.remove(&id()).is_some_and(|begun| begun <= at), "{event}");
            }
            "i" => {}
            other => panic!("{other}: {event}"),
        }
    }
    assert_eq!((begun, ended), (messages, messages));
    assert!(arrows.is_empty(), "{arrows:?}");
    // All stand in their last call.
    assert_eq!(open.values().filter(|calls| calls.len() == 1).count(), RANKS);
}

/// What an answer says of who received what last is what the lines say.
fn check_last(events: &[Value], waits: &Value, until: &str) {
    let last = &waits["last_events"];
    assert_eq!(last["until"], until, "{last:#}");
    let ranks = last["ranks"].as_array().unwrap();
    assert!(!ranks.is_empty(), "{waits:#}");
    for of_rank in ranks {
        for (member, tie) in [("received", "from"), ("sent", "to"), ("left", "leaves")] {
            let is_one = |event: &&Value| {
                let is_message = tie == "leaves" || event.get("tag").is_some();
                event["rank"] == of_rank["rank"] && event.get(tie).is_some() && is_message
            };
            let expected = events.iter().rfind(is_one).unwrap();
            let found = &of_rank[member]["event"];
            for same in ["sequence", tie, "tag", "operation", "local_ns"] {
                assert_eq!(found.get(same), expected.get(same), "{member} of {of_rank:#}");
            }
            assert!(
                of_rank[member]["seconds_ago"].as_f64().unwrap() > 0.0,
                "{of_rank:#}"
            );
        }
    }
    // The last ones of those ranks, in the order of the lines.
    let place = |event: &Value| {
        let same = |line: &Value| ["rank", "sequence"].iter().all(|part| line[part] == event[part]);
        events.iter().position(same).unwrap()
    };
    let shown = last["events"].as_array().unwrap();
    let places = Vec::from_iter(shown.iter().map(|event| place(&event["event"])));
    assert!(places.len() > 1 && places.is_sorted(), "{places:?}");
}

/// The answer about the hung job has its last events, and so has what is said of it once it is gone.
fn check_answer(mpi: Mpi, job: &Running, events: &[Value]) {
    if mpi == Mpi::OpenMpi {
        let launcher = job.launcher.id().to_string();
        let answer = run(hindmost().args(["find", "--format", "json", &launcher]));
        let answer: Value =
            serde_json::from_slice(&answer.stdout).unwrap_or_else(|_| panic!("{}", said(&answer)));
        fits(include_str!("../../docs/schemas/answer.schema.json"), &answer);
        check_last(events, &answer["waits"], "now");
    }
    let waits = run(hindmost().arg("waits").arg(&job.directory));
    let waits = String::from_utf8_lossy(&waits.stdout).into_owned();
    assert!(
        waits.contains(&format!(
            "  rank 0: last message received: from rank {} (tag 5), ",
            RANKS - 1
        )),
        "{waits}"
    );
}

/// Each line is what the schema says, and has no field that it does not name.
fn check_schema(lines: &[Value]) {
    let shipped = include_str!("../../docs/schemas/timeline.schema.json");
    let mut schema: Value = serde_json::from_str(shipped).unwrap();
    for part in ["Head", "Event"] {
        schema["$defs"][part]["additionalProperties"] = false.into();
    }
    let schema = jsonschema::validator_for(&schema).unwrap();
    for line in lines {
        if let Err(error) = schema.validate(line) {
            panic!("{}: {error}\n{line:#}", error.instance_path());
        }
    }
}

/// What is exported is read as the same events, with the same causes.
fn check_read_back(directory: &Path, events: &[Value]) {
    let mut expected = Vec::from_iter(events.iter().map(told));
    expected.sort_unstable();
    for (format, name) in [("perfetto", "back.json"), ("jsonl", "back.jsonl")] {
        let file = directory.join(name);
        std::fs::write(&file, export(directory, format)).unwrap();
        let lines = lines(&file);
        assert_eq!(
            (&lines[0]["untied"], &lines[0]["left_out"]),
            (&0.into(), &0.into()),
            "{}",
            lines[0]
        );
        check_order(&lines[1..]);
        let mut back = Vec::from_iter(lines[1..].iter().map(told));
        back.sort_unstable();
        assert_eq!(back, expected, "{format}");
        // And once more it is the same to the last byte, but for what `jsonl` has not.
        let again = directory.join("again.json");
        std::fs::write(&again, export(&file, "perfetto")).unwrap();
        assert_eq!(export(&again, "jsonl"), export(&file, "jsonl"), "{format}");
        std::fs::remove_file(file).unwrap();
        std::fs::remove_file(again).unwrap();
    }
}

/// All that an event says, but for the time of its cause.
fn told(event: &Value) -> String {
    let mut event = event.clone();
    if let Some(cause) = event["cause"].as_object_mut() {
        cause.remove("time_ns");
    }
    event.as_object_mut().unwrap().remove("time_ns");
    event.to_string()
}

/// The lines of a job once all that the program does is done.
fn all_of(job: &Running) -> Vec<Value> {
    let begun = Instant::now();
    loop {
        let lines = lines(&job.directory);
        if lines.first().is_some_and(|_| is_done(&lines[1..])) {
            return lines;
        }
        assert!(begun.elapsed() < PATIENCE, "{:#?}", lines.last());
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn events_of(mpi: Mpi) {
    let _turn = my_turn();
    let made = made_of(mpi, "events", Debug::None);
    let mut job = start_with(mpi, &made, "events", "", &["--events"]);
    let lines = all_of(&job);
    assert_eq!(
        (&lines[0]["untied"], &lines[0]["left_out"]),
        (&0.into(), &0.into()),
        "{}",
        lines[0]
    );
    check_schema(&lines);
    let events = &lines[1..];
    check_order(events);
    let received = events.iter().filter(|event| event.get("from").is_some()).count();
    // Along the ring, to rank 0, persistent, exchanged, and the signals of one epoch.
    let expected = TURNS * (2 * (RANKS - 1) + 2 * RANKS) + 2;
    assert_eq!(received, expected);
    check_trace(&job.directory, expected);
    check_answer(mpi, &job, events);
    let followed = follow(&job.directory);
    let text = run(hindmost().arg("timeline").arg(&job.directory));
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("rank 0    enters MPI_Recv\n"), "{text}");
    job.end();
    // What a job leaves is what it was, and who has followed it to its end has seen the same.
    assert_eq!(export(&job.directory, "jsonl").lines().count(), lines.len());
    check_read_back(&job.directory, events);
    let waits = run(hindmost().args(["waits", "--format", "json"]).arg(&job.directory));
    let waits: Value = serde_json::from_slice(&waits.stdout).unwrap();
    fits(include_str!("../../docs/schemas/waits.schema.json"), &waits);
    check_last(events, &waits, "last-event");
    if mpi == Mpi::OpenMpi {
        crate::event_pages::check(&job.directory, events);
    }
    let followed = followed.wait_with_output().unwrap();
    assert_eq!(followed.status.code(), Some(0), "{}", said(&followed));
    let followed = String::from_utf8_lossy(&followed.stdout).into_owned();
    let followed = Vec::from_iter(followed.lines().map(|line| serde_json::from_str(line).unwrap()));
    check_order(&followed);
    assert_eq!(followed.len(), events.len());
}

#[test]
fn events_are_in_causal_order_under_open_mpi() {
    events_of(Mpi::OpenMpi);
}

#[test]
fn events_are_in_causal_order_under_mpich() {
    events_of(Mpi::Mpich);
}

/// How many messages came before they were sent, by the clocks of the ranks alone.
fn backwards(events: &[Value]) -> usize {
    let moment = |event: &Value| number(event, "local_ns").unwrap();
    let at = |event: &Value| Some((number(event, "rank")?, number(event, "sequence")?));
    let told: BTreeMap<_, _> = events.iter().map(|event| (at(event), moment(event))).collect();
    let received = events.iter().filter(|event| event.get("from").is_some());
    received
        .filter(|event| told[&at(&event["cause"])] > moment(event))
        .count()
}

/// The clock of rank 4 is more than a second late, and goes slower than that of rank 0.
fn events_of_clocks_apart(mpi: Mpi) {
    let _turn = my_turn();
    let made = made_of(mpi, "events", Debug::None);
    let mut job = start_preloading(mpi, &made, "skewed", "skewed", &["--events"]);
    let lines = all_of(&job);
    job.end();
    let events = &lines[1..];
    check_order(events);
    // Each message along the ring but the one back to rank 0.
    let along = TURNS * (RANKS - 1);
    assert!(backwards(events) >= along, "{} of {along}", backwards(events));
}

#[test]
fn events_are_in_causal_order_where_clocks_are_apart_under_open_mpi() {
    events_of_clocks_apart(Mpi::OpenMpi);
}

#[test]
fn events_are_in_causal_order_where_clocks_are_apart_under_mpich() {
    events_of_clocks_apart(Mpi::Mpich);
}
