//! A job on several hosts that is followed while it runs (`talk.c`): the events of all its ranks come in one order, whoever does not answer is named and waited for no longer than was asked, and nothing stays behind.
//!
//! Each host has its own directory of recordings, which no other one sees.

use super::cluster::{Cluster, OPEN_MPI};
use super::hosts::{equipped, until};
use crate::hindmost::{hindmost, my_turn, out, run, said};
use crate::waits::recorder_of;
use corpus::Mpi;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Where each host has its recordings.
const RECORDED: &str = "/run/recorded";

/// Puts the clock of a host ten minutes forward, as far as its recordings tell: hosts of one kernel have one clock.
const AHEAD: &str = "\
import glob, struct
for name in glob.glob('/run/recorded/*.recording'):
    with open(name, 'r+b') as f:
        f.seek(3 * 8)
        started, = struct.unpack('<Q', f.read(8))
        f.seek(3 * 8)
        f.write(struct.pack('<Q', started + 600 * 10**9))
";

/// Who follows, with what it says.
struct Follower {
    child: Child,
    lines: PathBuf,
    said: PathBuf,
    counted: RefCell<Counted>,
}

/// How many meetings of all each rank has left, by the lines of which so many bytes have been read: the job goes on while it is looked at, and who began anew each time would see ever more.
#[derive(Default)]
struct Counted {
    bytes: u64,
    meetings: BTreeMap<i64, usize>,
}

impl Follower {
    fn lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.lines).unwrap();
        // The last line may not be whole yet.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.said).unwrap()
    }

    /// How many meetings of all each rank has left.
    fn meetings(&self) -> BTreeMap<i64, usize> {
        let mut counted = self.counted.borrow_mut();
        let mut lines = BufReader::new(File::open(&self.lines).unwrap());
        lines.seek(SeekFrom::Start(counted.bytes)).unwrap();
        let mut line = String::new();
        // The last line may not be whole yet.
        while lines.read_line(&mut line).unwrap() > 0 && line.ends_with('\n') {
            let event: Value = serde_json::from_str(&line).unwrap();
            if event.get("leaves").is_some() {
                *counted.meetings.entry(number(&event, "rank")).or_default() += 1;
            }
            counted.bytes += line.len() as u64;
            line.clear();
        }
        counted.meetings.clone()
    }

    /// Waits until each of the four ranks has left so many more meetings.
    #[track_caller]
    fn goes_on(&self, ranks: &[i64], more: usize) {
        let before = self.meetings();
        let has = |counts: &BTreeMap<i64, usize>, rank: &i64| counts.get(rank).copied().unwrap_or(0);
        until(&format!("events of {ranks:?} come: {}", self.said()), || {
            let now = self.meetings();
            ranks
                .iter()
                .all(|rank| has(&now, rank) >= has(&before, rank) + more)
        });
    }
}

fn number(event: &Value, member: &str) -> i64 {
    event[member]
        .as_i64()
        .unwrap_or_else(|| panic!("no {member} in {event}"))
}

/// The rules, counted anew from the lines: whatever says nothing of itself stands behind all that it needs. How many events say that something is missing.
#[track_caller]
fn check(events: &[Value]) -> usize {
    let (mut sent, mut received, mut flagged) = (BTreeMap::new(), BTreeMap::new(), 0);
    let mut entered: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    let mut next: BTreeMap<i64, i64> = BTreeMap::new();
    for event in events {
        let rank = number(event, "rank");
        let place = next.entry(rank).or_default();
        // A connection that was lost loses no events of a ring that is long enough.
        assert_eq!(number(event, "sequence"), *place, "{event}");
        *place += 1;
        let is_flagged = event.get("missing").is_some() || event.get("overtaken").is_some();
        flagged += usize::from(is_flagged);
        let tag = event["tag"].as_i64();
        if let Some(to) = event["to"].as_i64() {
            *sent.entry((rank, to, tag)).or_insert(0) += 1;
        } else if let Some(from) = event["from"].as_i64() {
            let count: &mut usize = received.entry((from, rank, tag)).or_default();
            *count += 1;
            let there = sent.get(&(from, rank, tag)).copied().unwrap_or(0);
            assert!(
                is_flagged || *count <= there,
                "received before it was sent: {event}"
            );
        } else if let Some(ordinal) = event["enters"].as_i64() {
            entered.entry(ordinal).or_default().insert(rank);
        } else if let Some(ordinal) = event["leaves"].as_i64() {
            let there = entered.get(&ordinal).map_or(0, BTreeSet::len);
            assert!(is_flagged || there == 4, "left before all were there: {event}");
        }
    }
    flagged
}

impl Cluster {
    /// Words that start the job, recorded by `with` (`hindmost run` or `until`), which goes on until the file `go` is there.
    fn talk(&self, with: &[&str], go: &Path) -> Vec<String> {
        let program = self.directory.join("talk");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/clusters/talk.c");
        let built = run(Command::new(OPEN_MPI.compiler)
            .args(["-g", source, "-o"])
            .arg(&program));
        assert!(built.status.success(), "{}", said(&built));
        let recorder = recorder_of(Mpi::OpenMpi);
        let command = hindmost();
        let recorded = [
            "--recorder",
            recorder.to_str().unwrap(),
            "--record",
            RECORDED,
            "--",
        ];
        let variables = [
            "LD_PRELOAD",
            "HINDMOST_RECORD",
            "HINDMOST_RECORD_JOB",
            "HINDMOST_RECORD_EVENTS",
        ];
        let exported = Vec::from_iter(variables.iter().flat_map(|name| ["-x", name]));
        let (own, rest) = OPEN_MPI.words.split_at(1);
        let words = [
            &[command.get_program().to_str().unwrap()][..],
            with,
            &recorded,
            own,
            &exported,
            rest,
            OPEN_MPI.ranks,
            &[program.to_str().unwrap(), go.to_str().unwrap()],
        ];
        words.concat().into_iter().map(str::to_owned).collect()
    }

    /// A command of `hindmost` on node1 that sends the probe of these tests along.
    fn on_node1(&self, words: &[&str]) -> Command {
        let command = hindmost();
        let mut command = self
            .hosts
            .command(1, &[&[command.get_program().to_str().unwrap()], words].concat());
        command.arg("--probe").arg(&self.probe);
        command.env("XDG_CACHE_HOME", out().join("cache"));
        command
    }

    /// Begins to follow a job by its launcher.
    fn follow(&self, name: &str, words: &[&str]) -> Follower {
        let [lines, said] = ["lines", "said"].map(|what| self.directory.join(format!("{name}-{what}")));
        let mut command = self.on_node1(&[&["timeline", "--follow", "--export", "jsonl"], words].concat());
        command.process_group(0);
        command.stdout(File::create(&lines).unwrap());
        command.stderr(File::create(&said).unwrap());
        let child = command.spawn().unwrap();
        Follower {
            child,
            lines,
            said,
            counted: RefCell::default(),
        }
    }

    /// The probes of followers on a host.
    fn probes(&self, node: usize) -> Vec<u32> {
        let running = self.hosts.running(node).into_iter();
        let probes = running.filter(|(_, line)| line.contains("--serve") && !line.contains("ssh"));
        probes.map(|(pid, _)| pid).collect()
    }
}

#[test]
fn the_events_of_all_hosts_are_followed_in_one_order_though_one_is_lost() {
    if !equipped() {
        return;
    }
    let _turn = my_turn();
    let mut cluster = Cluster::start("clusters-following");
    let go = cluster.directory.join("go");
    let words = cluster.talk(&["run", "--events"], &go);
    cluster.launch(&Vec::from_iter(words.iter().map(String::as_str)));
    until("all ranks are there", || {
        let ranks = |node| {
            let running = cluster.hosts.running(node).into_iter();
            running
                .filter(|(_, line)| line.contains("/talk ") && !line.contains("-np"))
                .count()
        };
        [1, 2, 3].map(ranks) == [1, 2, 1]
    });
    let launcher = cluster.launcher_there().unwrap();
    let ahead = cluster.hosts.run(3, &["python3", "-c", AHEAD]);
    assert!(ahead.status.success(), "{}", said(&ahead));

    // One is as patient as usual, and one is not.
    let patient = cluster.follow("patient", &[&launcher]);
    let follower = cluster.follow("follower", &[&launcher, "--deadline", "3s"]);
    patient.goes_on(&[0, 1, 2, 3], 3);
    assert_eq!(check(&patient.lines()), 0, "{}", patient.said());
    stand_where_they_were(&patient.lines());
    is_whole(&cluster, &launcher);

    // The probe on node3 dies, and nobody can log in there: its rank is named, what waits for it is held for as long as was asked, and says so from then on.
    follower.goes_on(&[0, 1, 2, 3], 3);
    cluster.hosts.let_logins_hang(3, true);
    for pid in cluster.probes(3) {
        cluster.hosts.run(3, &["kill", "-KILL", &pid.to_string()]);
    }
    for words in [
        "rank 3 on host node3: no events come: the connection ended",
        "rank 3 on host node3: no events have come for 3s",
    ] {
        until(words, || follower.said().contains(words));
    }
    follower.goes_on(&[0, 1, 2], 3);
    assert!(check(&follower.lines()) > 0, "{}", follower.said());
    // Once it is there again its events come, those of the meantime as well.
    cluster.hosts.let_logins_hang(3, false);
    follower.goes_on(&[3], 20);
    let told = follower.said();
    assert!(told.contains("rank 3 on host node3: events come again"), "{told}");
    check(&follower.lines());

    // `^C` ends them, and leaves no probe anywhere.
    for mut each in [patient, follower] {
        killpg(Pid::from_raw(each.child.id().cast_signed()), Signal::SIGINT).unwrap();
        each.child.wait().unwrap();
    }
    cluster.nothing_remains();

    let mut waits = cluster.on_node1(&[
        "until",
        "rank 3 has received tag 9 from 2 and rank 0 in Barrier",
        "--recordings",
        &launcher,
    ]);
    waits.stdout(Stdio::piped()).stderr(Stdio::piped());
    let waits = waits.spawn().unwrap();
    let last = cluster.follow("last", &[&launcher]);
    last.goes_on(&[0, 1, 2, 3], 1);
    File::create(&go).unwrap();
    let output = waits.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(
        text.contains("The condition has come true") && text.contains("4 tasks"),
        "{text}"
    );
    tells_what_rank_3_did_last(&cluster, &launcher);
    // It ends with the job, having seen all of it.
    cluster.end();
    let Follower { mut child, .. } = last;
    child.wait().unwrap();
    cluster.nothing_remains();
    starts_and_waits(&mut cluster, &go);
}

/// The clock of node3 is ten minutes ahead, and put right.
fn stand_where_they_were(events: &[Value]) {
    let of = |rank: i64, time: &str| {
        let own = events.iter().filter(|event| number(event, "rank") == rank);
        let times = own.map(|event| number(event, time));
        times.clone().min().zip(times.max()).unwrap()
    };
    let (first, last) = of(0, "time_ns");
    let minute = 60 * 1_000_000_000;
    for rank in 1..4 {
        let (own_first, own_last) = of(rank, "time_ns");
        assert!(
            own_first > first - minute && own_last < last + minute,
            "rank {rank}"
        );
    }
    assert!(of(3, "local_ns").0 > of(0, "local_ns").1 + 8 * minute);
}

/// What is printed of a job that runs has the events of all hosts.
fn is_whole(cluster: &Cluster, launcher: &str) {
    let whole = run(&mut cluster.on_node1(&["timeline", launcher, "--export", "jsonl"]));
    let text = String::from_utf8_lossy(&whole.stdout).into_owned();
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = lines.next().unwrap_or_else(|| panic!("{}", said(&whole)));
    let hosts = head["ranks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rank| rank["host"].clone());
    assert_eq!(
        Vec::from_iter(hosts),
        ["node1", "node2", "node2", "node3"],
        "{head}"
    );
    let events = Vec::from_iter(lines);
    // The hosts are read one after the other, so that the last events may miss what another host had not written yet.
    assert!(check(&events) < 20, "{}", said(&whole));
    let ranks = BTreeSet::from_iter(events.iter().map(|event| number(event, "rank")));
    assert_eq!(ranks, BTreeSet::from([0, 1, 2, 3]));
}

/// `find` says what a rank of another host did last.
fn tells_what_rank_3_did_last(cluster: &Cluster, launcher: &str) {
    let found = run(&mut cluster.on_node1(&["find", launcher, "--waits=json"]));
    let waits: Value = serde_json::from_slice(&found.stdout).unwrap_or_else(|_| panic!("{}", said(&found)));
    let last = &waits["last_events"];
    assert_eq!(last["until"], "now", "{waits:#}");
    let ranks = last["ranks"].as_array().unwrap();
    let of_rank = |rank: i64| ranks.iter().find(|of_rank| of_rank["rank"] == rank);
    // All wait for rank 2, which is on node2, as is one of those who wait.
    let awaited = of_rank(2).unwrap_or_else(|| panic!("{last:#}"));
    assert_eq!(awaited["sent"]["event"]["tag"], 9, "{awaited:#}");
    assert!(
        awaited["sent"]["seconds_ago"].as_f64().unwrap() > 0.0,
        "{awaited:#}"
    );
}

/// A job that `until` starts is followed on all hosts from its beginning.
fn starts_and_waits(cluster: &mut Cluster, go: &Path) {
    // It need not hang: the condition is of its first turns.
    std::fs::remove_file(go).unwrap();
    let condition = "rank 3 has received tag 7 from 2 5 times and rank 0 has left Allreduce 5 times";
    let probe = cluster.probe.to_str().unwrap().to_owned();
    let words = cluster.talk(&["until", condition, "--end", "--probe", &probe], go);
    let words = Vec::from_iter(
        ["timeout", "60"]
            .into_iter()
            .chain(words.iter().map(String::as_str)),
    );
    let mut command = cluster.hosts.command(1, &words);
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("XDG_CACHE_HOME", out().join("cache"));
    let output = run(&mut command);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(text.contains("The condition has come true"), "{}", said(&output));
    for rank in ["rank 0 has left", "rank 3 has received"] {
        assert!(text.contains(rank), "{rank}: {text}");
    }
    cluster.nothing_remains();
}
