//! Tasks whose rings of events are followed over a stream, with a shell in place of `ssh`: what is new comes once, whoever ends is told, and a host that says nothing or is killed costs nobody else anything.

use crate::support::{Target, send, until};
use cluster::{Asked, Gathering, Loss, Patience, Probe, Transport};
use nodes::{NodeId, NodeRecordings, Select, TaskRecording};
use recording::layout::{MAGIC, VERSION, WORDS, header};
use recording::ring::{self, Copied, Events, slot};
use runtime_probe::own_host;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A host for each name.
const HOSTS: &str = r#"
case $1 in
silent) exec sleep 100 ;;
killed) echo $$ >"$0.killed"; exec sh -c "$2" ;;
*) exec sh -c "$2" ;;
esac
"#;

const CAPACITY: u64 = 64;

/// A task that has its recording mapped, and a ring beside it.
struct Task {
    target: Target,
    ring: File,
}

impl Task {
    fn start(directory: &Path, rank: u32) -> Self {
        let path = directory.join(format!("{rank}.recording"));
        fs::write(&path, vec![0; WORDS * 8]).unwrap();
        let script = "import mmap, sys, time\nf = open(sys.argv[1], 'r+b')\nm = mmap.mmap(f.fileno(), 0)\nprint('ready', flush=True)\ntime.sleep(100)";
        let mut command = Command::new("python3");
        command.args(["-c", script]).arg(&path);
        command.env("PMI_RANK", rank.to_string()).env("PMI_SIZE", "4");
        let target = Target::start(&mut command);
        let stat = fs::read_to_string(format!("/proc/{}/stat", target.pid())).unwrap();
        let fields = stat.rsplit_once(')').unwrap().1;
        let birth = fields.split_ascii_whitespace().nth(19).unwrap().parse().unwrap();
        let recording = File::options().write(true).open(&path).unwrap();
        let ring = File::create_new(path.with_extension(ring::EXTENSION)).unwrap();
        let task = Task { target, ring };
        let text = |at: usize, text: &str| recording.write_all_at(text.as_bytes(), at as u64 * 8).unwrap();
        text(header::HOST, &own_host());
        text(header::JOB, "followed");
        for (index, value) in [
            (header::VERSION, VERSION),
            (header::PID, task.target.pid().into()),
            (header::BIRTH, birth),
            (header::RANK, u64::from(rank) + 1),
            (header::SIZE, 4),
            (header::MAGIC, MAGIC),
        ] {
            put(&recording, index, value);
        }
        task.ring.set_len(ring::words(CAPACITY) as u64 * 8).unwrap();
        for (index, value) in [
            (ring::header::VERSION, ring::VERSION),
            (ring::header::PID, task.target.pid().into()),
            (ring::header::BIRTH, birth),
            (ring::header::CAPACITY, CAPACITY),
            (ring::header::MAGIC, ring::MAGIC),
        ] {
            put(&task.ring, index, value);
        }
        task
    }

    /// Writes events of these numbers.
    fn write(&self, numbers: std::ops::Range<u64>) {
        for number in numbers.clone() {
            let at = ring::HEADER + (number % CAPACITY) as usize * ring::SLOT;
            put(&self.ring, at + slot::TIME, 1000 * number);
            put(
                &self.ring,
                at + slot::WHAT,
                ring::Step::Begins as u64 | u64::from(u32::MAX) << 32,
            );
            put(&self.ring, at + slot::SEQUENCE, number + 1);
        }
        put(&self.ring, ring::header::WRITTEN, numbers.end);
    }
}

fn put(file: &File, word: usize, value: u64) {
    file.write_all_at(&value.to_le_bytes(), word as u64 * 8).unwrap();
}

/// What has come of each task, by its process.
#[derive(Default)]
struct Heard(BTreeMap<u32, (Vec<u64>, u64, bool)>);

impl Heard {
    /// Takes what hosts send for a while.
    fn follow(&mut self, gathering: &mut Gathering, time: Duration) -> Vec<TaskRecording<'static>> {
        let until = Instant::now() + time;
        let mut all = Vec::new();
        while Instant::now() < until {
            for streamed in gathering.follow(Duration::from_millis(20), until).unwrap() {
                NodeRecordings::each(&streamed.bytes, |task| all.push(task)).unwrap();
            }
        }
        for task in &all {
            let part = task.events.clone().unwrap();
            let copied = Copied {
                from: part.from,
                bytes: part.rows.into_owned(),
            };
            let events: Events = copied.events().unwrap();
            let known = self.0.entry(events.pid).or_default();
            known.0.extend(events.events.iter().map(|event| event.sequence));
            known.1 += events.lost_count();
            known.2 = task.is_alive;
        }
        all
    }

    /// Follows until something is so.
    fn until(&mut self, what: &str, gathering: &mut Gathering, is_so: impl Fn(&Self, &Gathering) -> bool) {
        until(what, || {
            self.follow(gathering, Duration::from_millis(50));
            is_so(self, gathering)
        });
    }

    fn of(&self, task: &Task) -> (Vec<u64>, u64, bool) {
        self.0.get(&task.target.pid()).cloned().unwrap_or_default()
    }
}

fn directory(name: &str) -> PathBuf {
    let name = format!("followed-{name}-{}", std::process::id());
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&directory).unwrap();
    directory
}

#[test]
fn what_tasks_write_comes_once_and_a_host_that_is_lost_costs_no_other() {
    let [of_well, of_killed] = ["well", "killed"].map(directory);
    let tasks = [(&of_well, 0), (&of_well, 1), (&of_killed, 2)].map(|(at, rank)| Task::start(at, rank));
    let script = of_well.join("hosts");
    fs::write(&script, HOSTS).unwrap();
    let transport = Transport::template(&format!("sh {} {{host}} {{command}}", script.display())).unwrap();
    let pids = Vec::from_iter(tasks.iter().map(|task| task.target.pid()));
    let asked = [("well", &pids[..2]), ("killed", &pids[2..]), ("silent", &[1])].map(|(host, pids)| Asked {
        host: host.parse().unwrap(),
        select: Select::Processes(pids.to_vec()),
        ranks: None,
    });
    let patience = Patience {
        deadline: Duration::from_secs(5),
        grace: Duration::from_secs(1),
    };
    let probe = Probe::new(&fs::read(env!("CARGO_BIN_EXE_hindmost-probe")).unwrap()).unwrap();
    let mut gathering = Gathering::new((0..).map(NodeId).zip(asked).collect(), transport, probe, patience);
    tasks[0].write(0..10);
    tasks[2].write(0..3);
    let mut heard = Heard::default();
    heard.until("both hosts answer", &mut gathering, |heard, _| {
        heard.of(&tasks[0]).0.len() == 10 && heard.of(&tasks[2]).0.len() == 3
    });
    assert!(heard.of(&tasks[0]).2 && heard.of(&tasks[2]).2);

    // What is new comes, and nothing else; the file is known by now.
    tasks[0].write(10..15);
    let new = heard.follow(&mut gathering, Duration::from_millis(400));
    assert_eq!(new.len(), 1, "{new:?}");
    assert!(new[0].file.is_empty());
    assert_eq!(heard.of(&tasks[0]), ((0..15).collect(), 0, true));
    // The ring comes round, and more: what was written over is counted.
    tasks[0].write(15..15 + 2 * CAPACITY);
    tasks[1].write(0..1);
    heard.until("the other task writes", &mut gathering, |heard, _| {
        !heard.of(&tasks[1]).0.is_empty()
    });
    let (numbers, lost, _) = heard.of(&tasks[0]);
    assert!(numbers.is_sorted() && *numbers.last().unwrap() == 14 + 2 * CAPACITY);
    assert_eq!((numbers.len() as u64 + lost, lost), (15 + 2 * CAPACITY, CAPACITY));

    // One host is killed: the others go on, and when it is asked anew it sends all that its rings have.
    let killed = fs::read_to_string(of_well.join("hosts.killed")).unwrap();
    send("KILL", killed.trim());
    tasks[1].write(1..3);
    heard.until("it is lost", &mut gathering, |heard, gathering| {
        let is_lost = |host: &str| {
            gathering
                .lost_now()
                .any(|(_, asked, _)| asked.host.as_str() == host)
        };
        heard.of(&tasks[1]).0.len() == 3 && is_lost("killed")
    });
    tasks[2].write(3..5);
    gathering.revive(|_, loss| loss.may_pass());
    heard.until("it is there again", &mut gathering, |heard, _| {
        heard.of(&tasks[2]).0.len() == 8
    });
    assert_eq!(heard.of(&tasks[2]).0, [0, 1, 2, 0, 1, 2, 3, 4]);

    // Who says nothing is lost in the end, and whose task ends is told, with what it wrote before that.
    heard.until("the silent one is lost", &mut gathering, |_, gathering| {
        let mut lost = gathering.lost_now();
        lost.any(|(_, asked, loss)| asked.host.as_str() == "silent" && matches!(loss, Loss::Silent { .. }))
    });
    let [first, second, third] = tasks;
    second.write(3..4);
    let pid = second.target.pid();
    drop(second);
    heard.until("its end is told", &mut gathering, |heard, _| {
        heard.0[&pid] == ((0..4).collect(), 0, false)
    });
    assert!(heard.of(&first).2 && heard.of(&third).2);
    drop(gathering);
    for directory in [of_well, of_killed] {
        let _ = fs::remove_dir_all(directory);
    }
}
