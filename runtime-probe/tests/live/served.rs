//! The probe asked over a stream: started by the command line that starts it on other hosts, here by a shell in place of `ssh`; some of the hosts misbehave.

use crate::support::{Target, until};
use cluster::{Asked, Gathering, Loss, Patience, Probe, Reached, Seen, Transport};
use nodes::{Merge, NodeId, Select};
use runtime_probe::{Options, own_host};
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A host for each name: what it does is written beside it.
const HOSTS: &str = r#"
case $1 in
silent) exec sleep 100 ;;
garbage) echo hindmost-node Linux x86_64; echo hindmost-begin; exec head -c 5000 /dev/zero ;;
talkative) exec yes ;;
refused) echo "ssh: connect to host refused port 22: Connection refused" >&2; exit 255 ;;
other) echo hindmost-node Linux aarch64; exec sleep 100 ;;
ended) exec sh -c "$2" </dev/null ;;
cut) sh -c "$2" | { dd bs=1 count=120 2>/dev/null; kill $$; } ;;
hung) exec sh -c "echo hindmost-node Linux x86_64; sleep 100" ;;
slow) sh -c "$2" | python3 -c 'import os, time
while piece := os.read(0, 40):
    time.sleep(0.25)
    os.write(1, piece)' ;;
stalled) sh -c "$2" | python3 -c 'import os, time
piece, seen = b"", b""
while seen.count(b"HMF1") < 3 and (piece := os.read(0, 4096)):
    seen += piece
    os.write(1, piece if seen.count(b"HMF1") < 3 else piece[:20])
time.sleep(30)' ;;
killed) echo $$ >"$0.killed"; exec sh -c "$2" ;;
*) echo "Welcome to $1, you have no mail"; exec sh -c "$2" ;;
esac
"#;

fn ranked(rank: u32) -> Target {
    let mut command = Command::new("sh");
    command.args(["-c", "echo ready; sleep 100; :"]);
    command.env("PMI_RANK", rank.to_string()).env("PMI_SIZE", "4");
    Target::start(&mut command)
}

fn asked(host: &str, pids: &[u32], ranks: Option<&str>) -> Asked {
    Asked {
        host: host.parse().unwrap(),
        select: Select::Processes(pids.to_vec()),
        ranks: ranks.map(|ranks| ranks.parse().unwrap()),
    }
}

fn probe() -> Probe {
    Probe::new(&std::fs::read(env!("CARGO_BIN_EXE_hindmost-probe")).unwrap()).unwrap()
}

/// One test counts the probes that run.
pub static TURN: Mutex<()> = Mutex::new(());

/// Who was begun by this process and runs as a served probe.
fn served() -> usize {
    let output = Command::new("pgrep")
        .args(["-f", "--", "fd/9 --serve"])
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).lines().count()
}

/// What each host sees in a look.
fn look(gathering: &mut Gathering, meanwhile: impl FnOnce()) -> Vec<Seen> {
    let mut seen = Vec::new();
    let look = Options::default().as_look();
    gathering
        .look(look, meanwhile, &mut |one| seen.push(one))
        .unwrap();
    seen
}

#[test]
fn whoever_can_be_asked_answers_and_of_all_others_it_is_known_why_not() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let script = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hosts-{}", std::process::id()));
    std::fs::write(&script, HOSTS).unwrap();
    let transport = Transport::template(&format!("sh {} {{host}} {{command}}", script.display())).unwrap();
    let tasks = Vec::from_iter((0..4).map(ranked));
    let pids = Vec::from_iter(tasks.iter().map(Target::pid));
    let hosts = [
        asked("well", &pids[..2], Some("0-1")),
        asked("other-well", &pids[2..3], None),
        // It speaks of a rank that is not its own.
        asked("liar", &pids[2..4], Some("3")),
        asked("none", &[0x7fff_fff0], None),
        asked("silent", &[1], None),
        asked("garbage", &[1], None),
        asked("talkative", &[1], None),
        asked("refused", &[1], None),
        asked("other", &[1], None),
        asked("ended", &[1], None),
        asked("cut", &pids[..1], None),
        asked("hung", &[1], None),
    ];
    // Half of those that are not lost answer, so that the silent ones cost a grace and no deadline.
    let patience = Patience {
        deadline: Duration::from_secs(100),
        grace: Duration::from_secs(1),
    };
    let begun = Instant::now();
    let mut gathering = Gathering::new(
        (0..).map(NodeId).zip(hosts).collect(),
        transport,
        probe(),
        patience,
    );
    gathering.settle(Duration::ZERO);
    let found = Vec::from_iter(
        gathering
            .found()
            .map(|(asked, found)| (asked.host.to_string(), found.tasks.len())),
    );
    assert_eq!(
        found,
        [
            ("well".to_owned(), 2),
            ("other-well".to_owned(), 1),
            ("liar".to_owned(), 2)
        ]
    );
    assert!(gathering.found().all(|(_, found)| found.size == Some(4)));

    let mut merge = Merge::default();
    let mut meanwhile = 0;
    for seen in look(&mut gathering, || meanwhile += 1) {
        let asked = gathering.asked(seen.node).unwrap();
        assert_eq!(seen.report.header.host, own_host());
        merge.add(seen.node, asked.ranks.as_ref(), seen.report);
    }
    assert_eq!(meanwhile, 1);
    // They sleep for 100 s, too.
    assert!(begun.elapsed() < patience.deadline / 2);
    let name = |node| gathering.asked(node).map_or("", |asked| asked.host.as_str());
    let merged = merge.finish(&name);
    let seen = merged
        .tasks
        .iter()
        .map(|task| (task.rank, task.host.as_str(), task.error.is_none()));
    assert_eq!(
        Vec::from_iter(seen),
        [
            (Some(0), "well", true),
            (Some(1), "well", true),
            (Some(2), "other-well", true),
            (Some(3), "liar", true)
        ]
    );
    let complaints = Vec::from_iter(merged.complaints.iter().map(|complaint| complaint.text(&name)));
    assert_eq!(
        complaints,
        ["host liar spoke of ranks that are not its own (2): that was left out"]
    );

    let lost = |host: &str| {
        let mut losses = gathering.losses();
        let found = losses.find(|(asked, ..)| asked.host.as_str() == host);
        found.unwrap_or_else(|| panic!("{host} is not lost")).1
    };
    for (host, words) in [
        ("none", "no process has pid"),
        ("silent", "it did not answer within"),
        ("garbage", "something else than a frame"),
        ("talkative", "a long text"),
        (
            "refused",
            "it could not be reached (ssh: connect to host refused port 22: Connection refused)",
        ),
        ("other", "it is Linux on aarch64"),
        ("ended", "could not be put and run anywhere"),
        ("cut", "a frame that is cut off"),
        ("hung", "it let us in, but the probe did not begin within"),
    ] {
        let said = lost(host).to_string();
        assert!(said.contains(words), "{host}: {said}");
    }
    assert!(matches!(
        lost("silent"),
        Loss::Silent {
            reached: Reached::Nothing,
            ..
        }
    ));

    // A second look asks those that are there, and they end with whoever asks.
    let again = look(&mut gathering, || {});
    assert_eq!(again.len(), 3);
    drop(gathering);
    until("no probe is left", || served() == 0);
    let _ = std::fs::remove_file(script);
}

/// So many tasks on one host.
const MANY: u32 = 300;

#[test]
fn a_host_may_be_slow_or_large_or_lost_in_the_middle_of_its_answer() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let script = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("slow-hosts-{}", std::process::id()));
    std::fs::write(&script, HOSTS).unwrap();
    let transport = Transport::template(&format!("sh {} {{host}} {{command}}", script.display())).unwrap();
    let crowd = format!(
        "for rank in $(seq 4 {}); do PMI_RANK=$rank PMI_SIZE={} sleep 100 & done; echo ready; wait",
        MANY + 3,
        MANY + 4
    );
    let crowd = Target::start(Command::new("sh").args(["-c", &crowd]));
    let children = format!("/proc/{0}/task/{0}/children", crowd.pid());
    let children = std::fs::read_to_string(children).unwrap();
    let many = Vec::from_iter(children.split_whitespace().map(|pid| pid.parse().unwrap()));
    let tasks = Vec::from_iter((0..4).map(ranked));
    let pids = Vec::from_iter(tasks.iter().map(Target::pid));
    let hosts = [
        asked("well", &pids[..1], Some("0")),
        asked("slow", &pids[1..2], Some("1")),
        asked("stalled", &pids[2..3], Some("2")),
        asked("killed", &pids[3..], Some("3")),
        asked("many", &many, None),
    ];
    // Whoever is slow takes longer than that for his answer, and is never silent for so long.
    let patience = Patience {
        deadline: Duration::from_secs(100),
        grace: Duration::from_secs(3),
    };
    let begun = Instant::now();
    let hosts = (0..).map(NodeId).zip(hosts).collect();
    let mut gathering = Gathering::new(hosts, transport, probe(), patience);
    gathering.settle(Duration::ZERO);
    assert_eq!(gathering.found().count(), 5);
    let sign = script.with_file_name(format!("slow-hosts-{}.killed", std::process::id()));
    let killed = std::fs::read_to_string(&sign).unwrap();
    let kill = Command::new("kill").args(["-KILL", killed.trim()]).status();
    assert!(kill.unwrap().success());

    let mut merge = Merge::default();
    for seen in look(&mut gathering, || {}) {
        let own = gathering.asked(seen.node).unwrap().ranks.clone();
        merge.add(seen.node, own.as_ref(), seen.report);
    }
    assert!(begun.elapsed() < patience.deadline / 2);
    let name = |node| gathering.asked(node).map_or("", |asked| asked.host.as_str());
    let merged = merge.finish(&name);
    let seen = Vec::from_iter(merged.tasks.iter().filter_map(|task| task.rank));
    let expected = [0, 1].into_iter().chain(4..MANY + 4);
    assert!(seen.iter().copied().eq(expected), "{seen:?}");
    assert!(merged.tasks.iter().all(|task| task.error.is_none()));
    // They sleep in one place, or, at their start, in few.
    assert!(merged.stacks < 20, "{}", merged.stacks);
    let lost = gathering
        .losses()
        .map(|(asked, loss, found)| (asked.host.to_string(), loss.to_string(), found.is_some()));
    let lost = Vec::from_iter(lost);
    let [(stalled, why, true), (killed, gone, true)] = &lost[..] else {
        panic!("{lost:?}")
    };
    assert_eq!((&stalled[..], &killed[..]), ("stalled", "killed"));
    assert!(why.contains("the probe did not come to an end within"), "{why}");
    assert!(
        gone.contains("the connection ended while the probe looked"),
        "{gone}"
    );
    for file in [script, sign] {
        let _ = std::fs::remove_file(file);
    }
}
