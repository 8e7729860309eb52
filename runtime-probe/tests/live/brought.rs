//! Where a host has the probe from: a file that it shares with who asks, a copy that was kept there, or the stream. Only what is byte for byte the probe is run.

use crate::served::TURN;
use crate::support::{Target, until};
use cluster::{Asked, Gathering, Patience, Probe, Transport};
use nodes::{NodeId, Select};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

/// A host for each name: it has a home of its own, and what it is sent is counted.
const HOSTS: &str = r#"
export HOME=$(dirname "$0")/$1
unset XDG_CACHE_HOME
mkdir -p "$HOME"
tee "$HOME/sent" | sh -c "$2"
"#;

/// What is run in place of a probe leaves this behind.
const FORGED: &str = "#!/bin/sh\ntouch \"$HOME/forged\"\n";

/// Hosts that are asked for one task.
pub struct Site {
    pub directory: PathBuf,
    task: Target,
    /// The probe, as it is installed.
    pub bytes: Vec<u8>,
    /// It runs probes, which another test counts.
    _turn: MutexGuard<'static, ()>,
}

impl Site {
    pub fn new(name: &str) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("hosts"), HOSTS).unwrap();
        let mut rank = Command::new("sh");
        rank.args(["-c", "echo ready; sleep 100; :"]);
        rank.env("PMI_RANK", "0").env("PMI_SIZE", "1");
        let (task, stripped) = (Target::start(&mut rank), directory.join("stripped"));
        let mut strip = Command::new("strip");
        strip.arg(env!("CARGO_BIN_EXE_hindmost-probe"));
        assert!(strip.arg("-o").arg(&stripped).status().unwrap().success());
        let bytes = fs::read(stripped).unwrap();
        Site {
            directory,
            task,
            bytes,
            _turn: turn,
        }
    }

    fn home(&self, host: &str) -> PathBuf {
        self.directory.join(host)
    }

    fn cache(&self, host: &str) -> PathBuf {
        self.home(host).join(".cache/hindmost-probe")
    }

    pub fn probe(&self) -> Probe {
        Probe::new(&self.bytes).unwrap()
    }

    /// Connects to hosts, each of which finds the task.
    pub fn ask(&self, probe: Probe, hosts: &[&str]) -> Gathering {
        let script = self.directory.join("hosts");
        let transport =
            Transport::template(&format!("sh {} {{host}} {{command}}", script.display())).unwrap();
        let asked = hosts.iter().map(|host| Asked {
            host: host.parse().unwrap(),
            select: Select::Processes(vec![self.task.pid()]),
            ranks: None,
        });
        let patience = Patience {
            deadline: Duration::from_secs(100),
            grace: Duration::from_secs(50),
        };
        let asked = (0..).map(NodeId).zip(asked).collect();
        let mut gathering = Gathering::new(asked, transport, probe, patience);
        gathering.settle(Duration::ZERO);
        let lost = gathering.losses().map(|(_, loss, _)| loss.to_string());
        let lost = Vec::from_iter(lost);
        assert_eq!(gathering.found().count(), hosts.len(), "{lost:?}");
        gathering
    }

    /// How many bytes a host was sent.
    pub fn sent_to(&self, host: &str) -> u64 {
        fs::metadata(self.home(host).join("sent")).unwrap().len()
    }

    /// Whether a host that is asked with this probe is sent it.
    fn is_sent(&self, probe: Probe, host: &str) -> bool {
        drop(self.ask(probe, &[host]));
        let sent = self.sent_to(host);
        assert!(!self.home(host).join("forged").exists(), "{host}");
        sent >= self.bytes.len() as u64
    }

    /// The only file that is kept on a host.
    fn kept(&self, host: &str) -> Option<PathBuf> {
        let entries = fs::read_dir(self.cache(host)).ok()?;
        let mut files = Vec::from_iter(entries.map(|entry| entry.unwrap().path()));
        let file = files.pop()?;
        (files.is_empty() && fs::read(&file).ok()? == self.bytes).then_some(file)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

#[test]
fn a_host_that_sees_the_same_file_is_not_sent_the_probe() {
    let site = Site::new("shared");
    let path = site.directory.join("hindmost-probe");
    let shared = || site.probe().found_at(&path);
    assert!(site.is_sent(shared(), "without"));
    fs::write(&path, &site.bytes).unwrap();
    // Neither may it be run, nor is it.
    fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
    assert!(!site.is_sent(shared(), "with"));
    // What is another one is not run, however little that is.
    let mut other = site.bytes.clone();
    *other.last_mut().unwrap() ^= 1;
    for other in [&other[..], &site.bytes[1..], FORGED.as_bytes(), &[]] {
        fs::remove_file(&path).unwrap();
        fs::write(&path, other).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        assert!(site.is_sent(shared(), "other"));
    }
    // Nor does it wait for a file that gives nothing, or has no end.
    fs::remove_file(&path).unwrap();
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success() && site.is_sent(shared(), "pipe"));
    assert!(site.is_sent(site.probe().found_at(Path::new("/dev/zero")), "endless"));
}

#[test]
fn a_probe_that_is_kept_is_sent_once_and_only_kept_where_nobody_else_can_write() {
    let site = Site::new("kept");
    assert!(site.is_sent(site.probe(), "plain"));
    assert!(!site.cache("plain").exists());

    let sent = |host: &str| site.is_sent(site.probe().kept(), host);
    assert!(sent("node1"));
    until("it is kept", || site.kept("node1").is_some());
    let mode = fs::metadata(site.cache("node1")).unwrap().mode();
    assert_eq!(mode & 0o7777, 0o700);
    assert!(!sent("node1"));
    // What has taken its place is not run, but replaced.
    let kept = site.kept("node1").unwrap();
    fs::write(&kept, FORGED).unwrap();
    fs::set_permissions(&kept, Permissions::from_mode(0o755)).unwrap();
    assert!(sent("node1"));
    until("it is kept again", || site.kept("node1").is_some());
    assert!(!sent("node1"));

    // Where others may write, or where it leads elsewhere, nothing is written.
    let open = site.cache("open");
    fs::create_dir_all(&open).unwrap();
    fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
    assert!(sent("open"));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(fs::read_dir(&open).unwrap().count(), 0);

    // Two that ask at the same time both have it, and leave one copy.
    let both = site.ask(site.probe().kept(), &["node2", "node2", "node2"]);
    drop(both);
    until("one is left", || site.kept("node2").is_some());

    // Whatever has lain there for a month goes when another is kept.
    let old = site.cache("node3").join("0123");
    fs::create_dir_all(site.cache("node3")).unwrap();
    fs::set_permissions(site.cache("node3"), Permissions::from_mode(0o700)).unwrap();
    fs::write(&old, "of another version").unwrap();
    let aged = Command::new("touch")
        .args(["-d", "40 days ago"])
        .arg(&old)
        .status();
    assert!(aged.unwrap().success() && sent("node3"));
    until("the old one is gone", || site.kept("node3").is_some());
}
