//! The probe asked over a stream: started by the command line that starts it on other hosts, here by a shell in place of `ssh`; some of the hosts misbehave.

use crate::support::{Target, until};
use cluster::{Asked, Gathering, Loss, Patience, Probe, Reached, Transport};
use nodes::{Merge, Select};
use runtime_probe::{Options, own_host};
use std::path::Path;
use std::process::Command;
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

/// Who was begun by this process and runs as a served probe.
fn served() -> usize {
    let output = Command::new("pgrep")
        .args(["-f", "--", "fd/9 --serve"])
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).lines().count()
}

#[test]
fn whoever_can_be_asked_answers_and_of_all_others_it_is_known_why_not() {
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
    let mut gathering = Gathering::new(hosts.to_vec(), transport, probe(), patience);
    gathering.settle();
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
    for seen in gathering
        .look(Options::default().as_look(), || meanwhile += 1)
        .unwrap()
    {
        let asked = gathering.asked(seen.node).unwrap();
        assert_eq!(seen.report.header.host, own_host());
        merge.add(seen.node, asked.host.as_str(), asked.ranks.as_ref(), seen.report);
    }
    assert_eq!(meanwhile, 1);
    // They sleep for 100 s, too.
    assert!(begun.elapsed() < patience.deadline / 2);
    let merged = merge.finish();
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
    let name = |node| gathering.asked(node).map_or("", |asked| asked.host.as_str());
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
    let again = gathering.look(Options::default().as_look(), || {}).unwrap();
    assert_eq!(again.len(), 3);
    drop(gathering);
    until("no probe is left", || served() == 0);
    let _ = std::fs::remove_file(script);
}
