//! Hosts on one machine: each has network, mounts, name and processes of its own, and an `sshd`. Between them a router, so that a link can be cut.
//!
//! Nothing of it is seen outside: no interface, no address, no port, no mount of this machine changes, and all of it ends with its processes.

use corpus::JobProcesses;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Hosts `node1`, `node2`, …, which run until this is dropped.
pub struct Hosts {
    processes: JobProcesses,
    router: Child,
    nodes: Vec<Node>,
    directory: PathBuf,
}

struct Node {
    /// What holds it.
    holder: Child,
    /// Its first process, by its number outside.
    init: u32,
}

const SSHD_CONFIG: &str = "\
HostKey /etc/ssh/host
AuthorizedKeysFile /etc/ssh/authorized
StrictModes no
UsePAM no
PermitRootLogin yes
PidFile none
";

/// Another user, as number and group; `visitor` by name.
const VISITOR: u32 = 4321;

/// How long a step may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether hosts can be made here. Under CI they must be.
pub fn equipped() -> bool {
    let find = |program: &str| {
        let directories = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&directories).any(|directory| directory.join(program).is_file());
        found || Path::new("/usr/sbin").join(program).is_file()
    };
    let missing = ["sshd", "ssh", "ip", "tc", "unshare", "nsenter", "setpriv"]
        .into_iter()
        .find(|program| !find(program));
    let why = match missing {
        Some(program) => format!("there is no {program}"),
        None if !nix::unistd::geteuid().is_root() => "only root can make hosts".to_owned(),
        None => return true,
    };
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("SKIPPED: {why}");
    false
}

/// The users of the hosts: those of this machine, and another one. All have a shell that reads no `.bashrc`: what stands there would be done in each login, and a tool that locks a file in it, as pyenv does, would let only one host after the other in.
fn users() -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let lines = users.lines().map(|line| {
        let (rest, _) = line.rsplit_once(':').unwrap();
        format!("{rest}:/bin/sh\n")
    });
    format!(
        "{}visitor:*:{VISITOR}:{VISITOR}::/tmp:/bin/sh\n",
        String::from_iter(lines)
    )
}

fn succeed(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

impl Hosts {
    /// So many hosts, with their files in `directory`, in which all of them see the same.
    pub fn start(count: usize, directory: &Path) -> Self {
        let processes = JobProcesses::new();
        let _ = fs::remove_dir_all(directory);
        fs::create_dir_all(directory.join("ssh")).unwrap();
        for key in ["key", "ssh/host"] {
            succeed(
                Command::new("ssh-keygen")
                    .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                    .arg(directory.join(key)),
            );
        }
        fs::copy(directory.join("key.pub"), directory.join("ssh/authorized")).unwrap();
        let client = format!(
            "Host *\nIdentityFile {0}\nIdentityFile {0}.{VISITOR}\nUserKnownHostsFile /dev/null\nStrictHostKeyChecking no\nLogLevel ERROR\n",
            "/run/cluster/key"
        );
        // ssh takes a key from a file that nobody else may read only.
        let key = directory.join(format!("key.{VISITOR}"));
        fs::copy(directory.join("key"), &key).unwrap();
        chown(&key, Some(VISITOR), Some(VISITOR)).unwrap();
        fs::write(directory.join("passwd"), users()).unwrap();
        fs::write(directory.join("ssh/ssh_config"), client).unwrap();
        fs::write(directory.join("ssh/sshd_config"), SSHD_CONFIG).unwrap();
        // It runs after the login and before the command.
        fs::write(
            directory.join("ssh/sshrc"),
            "while [ -e /run/hang ]; do sleep 0.2; done\n",
        )
        .unwrap();
        let names = (1..=count).map(|node| format!("10.77.{node}.2 node{node}\n"));
        fs::write(
            directory.join("hosts"),
            format!("127.0.0.1 localhost\n{}", String::from_iter(names)),
        )
        .unwrap();

        let router = held(&processes)
            .args(["unshare", "--net", "sleep", "1000"])
            .spawn()
            .unwrap();
        let mut hosts = Hosts {
            processes,
            router,
            nodes: Vec::new(),
            directory: directory.to_owned(),
        };
        until("the router has its network", || {
            fs::read_link(format!("/proc/{}/ns/net", hosts.router.id())).ok()
                != fs::read_link("/proc/self/ns/net").ok()
        });
        for node in 1..=count {
            hosts.add(node);
        }
        for node in 1..=count {
            until("sshd listens", || {
                hosts
                    .run(1, &["ssh", &format!("node{node}"), "true"])
                    .status
                    .success()
            });
        }
        hosts
    }

    fn add(&mut self, node: usize) {
        let at = self.directory.display();
        // What the test itself lies in stays visible.
        let own_tmp = if self.directory.starts_with("/tmp") {
            "true"
        } else {
            "mount -t tmpfs tmpfs /tmp"
        };
        let script = format!(
            "set -e; hostname node{node}; mount --make-rprivate /; {own_tmp}; mount -t tmpfs tmpfs /dev/shm; \
             mount -t tmpfs tmpfs /run; mkdir -p /run/sshd; mount --bind {at}/ssh /etc/ssh; \
             mount --bind {at}/hosts /etc/hosts; \
             mount --bind {at}/passwd /etc/passwd; mkdir /run/cluster; mount --bind {at} /run/cluster; echo up; read go; /usr/sbin/sshd -D -e & wait; sleep 1000"
        );
        let mut command = held(&self.processes);
        command.args([
            "unshare",
            "--net",
            "--mount",
            "--uts",
            "--pid",
            "--fork",
            "--mount-proc",
            "--kill-child",
        ]);
        let log = fs::File::create(self.directory.join(format!("log{node}"))).unwrap();
        let mut holder = command
            .args(["sh", "-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(holder.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "up\n", "{}", self.log(node));
        let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", holder.id())).unwrap();
        let init = children.trim().parse().unwrap();
        self.link(node, init);
        drop(std::io::Write::write_all(
            &mut holder.stdin.take().unwrap(),
            b"go\n",
        ));
        self.nodes.push(Node { holder, init });
    }

    fn link(&self, node: usize, init: u32) {
        let (router, init) = (self.router.id().to_string(), init.to_string());
        succeed(
            Command::new("ip")
                .args([
                    "link",
                    "add",
                    &format!("link{node}"),
                    "netns",
                    &router,
                    "type",
                    "veth",
                ])
                .args(["peer", "name", "eth0", "netns", &init]),
        );
        let there = format!(
            "ip link set lo up; ip addr add 10.77.{node}.2/24 dev eth0; ip link set eth0 up; ip route add default via 10.77.{node}.1"
        );
        let here = format!(
            "ip addr add 10.77.{node}.1/24 dev link{node}; ip link set link{node} up; echo 1 >/proc/sys/net/ipv4/ip_forward"
        );
        succeed(Command::new("nsenter").args(["-t", &init, "-n", "sh", "-ec", &there]));
        succeed(Command::new("nsenter").args(["-t", &router, "-n", "sh", "-ec", &here]));
    }

    /// A command on a host, as a user who is logged in there gives it.
    pub fn command(&self, node: usize, words: &[&str]) -> Command {
        let mut command = held(&self.processes);
        let init = self.nodes[node - 1].init.to_string();
        command
            .args(["nsenter", "-t", &init, "-n", "-m", "-u", "-p", "--"])
            .args(words);
        command.env("HOME", "/root").stdin(Stdio::null());
        command
    }

    /// The same by another user.
    pub fn command_of_visitor(&self, node: usize, words: &[&str]) -> Command {
        let [user, group] = ["--reuid", "--regid"].map(|option| format!("{option}={VISITOR}"));
        let other = ["setpriv", &user, &group, "--clear-groups", "--"];
        let mut command = self.command(node, &[&other[..], words].concat());
        command.env("HOME", "/tmp");
        command
    }

    /// Ends all that the other user has started on a host.
    pub fn end_all_of_visitor(&self, node: usize) {
        let ended = self.run(node, &["pkill", "-KILL", "--uid", &VISITOR.to_string()]);
        assert!(ended.status.success());
    }

    /// Runs it to its end.
    pub fn run(&self, node: usize, words: &[&str]) -> Output {
        self.command(node, words).output().unwrap()
    }

    /// The processes of a host, each with its number there and its command line.
    pub fn running(&self, node: usize) -> Vec<(u32, String)> {
        let output = self.run(node, &["ps", "-eo", "pid=,args="]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = text.lines().filter_map(|line| line.trim().split_once(' '));
        lines
            .map(|(pid, line)| (pid.parse().unwrap(), line.to_owned()))
            .collect()
    }

    /// From here on logins to a host hang before they have brought anything; or no longer.
    pub fn let_logins_hang(&self, node: usize, hang: bool) {
        let change = if hang {
            "touch /run/hang"
        } else {
            "rm -f /run/hang"
        };
        assert!(self.run(node, &["sh", "-c", change]).status.success());
    }

    /// Cuts the link of a host: what is sent is lost, and nobody is told. Or mends it.
    pub fn cut(&self, node: usize, cut: bool) {
        let state = if cut { "down" } else { "up" };
        let router = self.router.id().to_string();
        let link = format!("link{node}");
        succeed(Command::new("nsenter").args(["-t", &router, "-n", "ip", "link", "set", &link, state]));
    }

    /// Lets no more through to a host than `rate`, as `tc` writes it; or lets all through again.
    pub fn slow(&self, node: usize, rate: Option<&str>) {
        let link = format!("link{node}");
        let router = self.router.id().to_string();
        let mut command = Command::new("nsenter");
        command.args(["-t", &router, "-n", "tc", "qdisc"]);
        match rate {
            Some(rate) => command
                .args(["add", "dev", &link, "root", "tbf", "rate", rate])
                .args(["burst", "64kb", "latency", "200ms"]),
            None => command.args(["del", "dev", &link, "root"]),
        };
        succeed(&mut command);
    }

    /// Ends a host with all that runs there.
    pub fn kill(&mut self, node: usize) {
        let holder = &mut self.nodes[node - 1].holder;
        holder.kill().unwrap();
        holder.wait().unwrap();
    }

    /// What a host's `sshd` says.
    pub fn log(&self, node: usize) -> String {
        fs::read_to_string(self.directory.join(format!("log{node}"))).unwrap_or_default()
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        self.processes.end();
        for holder in self
            .nodes
            .iter_mut()
            .map(|node| &mut node.holder)
            .chain([&mut self.router])
        {
            let _ = holder.kill();
            let _ = holder.wait();
        }
    }
}

/// What ends with this test, however that ends.
fn held(processes: &JobProcesses) -> Command {
    let (name, token) = processes.variable();
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).env(name, token);
    command
}

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
