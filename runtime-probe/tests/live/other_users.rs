//! What calls itself a launcher may name any process. As root all of them could be read.

use crate::support::{Target, compile};
use runtime_probe::discover;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Calls itself `mpirun`, and says that the processes of its arguments are its ranks.
const IMPOSTOR: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
struct entry { const char *host, *program; int pid; };
struct entry *MPIR_proctable;
int MPIR_proctable_size;
int main(int argc, char **argv) {
    static char host[256];
    gethostname(host, sizeof host - 1);
    MPIR_proctable = calloc(argc, sizeof *MPIR_proctable);
    for (int i = 1; i < argc; i++) {
        struct entry entry = {host, "app", atoi(argv[i])};
        MPIR_proctable[MPIR_proctable_size++] = entry;
    }
    prctl(PR_SET_NAME, "mpirun");
    prctl(PR_SET_DUMPABLE, 1);
    puts("ready");
    fflush(stdout);
    for (;;) pause();
}
"#;

/// Says that it is there, and stays.
const STAYS: &str = r#"
#include <stdio.h>
#include <unistd.h>
int main(void) { puts("ready"); fflush(stdout); for (;;) pause(); }
"#;

/// Says that it is there, and starts its first argument.
const STARTS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    if (fork() == 0) {
        setenv("PMI_RANK", "7", 1);
        execl(argv[1], argv[1], (char *)0);
        _exit(1);
    }
    for (;;) pause();
}
"#;

/// Whom nobody is.
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("Uid:")).unwrap();
    line.split_whitespace().nth(2) == Some("0")
}

/// A program where everybody may run it.
fn public(source: &str, name: &str) -> std::path::PathBuf {
    let directory = std::env::temp_dir().join(format!("hindmost-users-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
    let path = directory.join(name);
    fs::copy(&compile("gcc", source, "-O1").path, &path).unwrap();
    path
}

fn started(command: &mut Command, as_nobody: bool) -> Target {
    if as_nobody && is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    Target::start(command)
}

#[test]
fn a_launchers_table_gives_its_users_own_ranks_and_nobody_elses() {
    let (impostor, stays) = (public(IMPOSTOR, "impostor"), public(STAYS, "stays"));
    let ranked = started(Command::new(&stays).env("PMI_RANK", "1"), true);
    let unranked = started(&mut Command::new(&stays), true);
    // Of another user, if we may have another user; it says that it is a rank.
    let of_other = started(Command::new(&stays).env("PMI_RANK", "0"), false);
    let pids = [of_other.pid(), ranked.pid(), unranked.pid(), 1];
    let mut command = Command::new(&impostor);
    command.args(pids.map(|pid| pid.to_string()));
    let launcher = started(&mut command, true);
    let table = runtime_probe::launcher_table(launcher.pid()).unwrap();
    assert_eq!(Vec::from_iter(table.entries.iter().map(|entry| entry.pid)), pids);
    let job = discover(launcher.pid()).unwrap();
    let mut expected = vec![ranked.pid()];
    if !is_root() {
        assert!(std::env::var_os("CI").is_none(), "in CI this is tested as root");
        eprintln!("not root: processes of another user cannot be tried");
        expected.insert(0, of_other.pid());
    }
    assert_eq!(Vec::from_iter(job.tasks.iter().map(|task| task.pid)), expected);
    let note = &job.notes[0];
    assert!(
        note.contains("were left out") && note.contains(&unranked.pid().to_string()),
        "{job:?}"
    );
    // Who names them himself is believed.
    let named = runtime_probe::Job::of_table(&table);
    assert_eq!(named.tasks.len(), 4);
}

#[test]
fn a_program_that_runs_as_somebody_else_is_no_rank() {
    if !is_root() {
        assert!(std::env::var_os("CI").is_none(), "in CI this is tested as root");
        eprintln!("not root: no program can be made that runs as somebody else");
        return;
    }
    let (starts, privileged) = (public(STARTS, "starts"), public(STAYS, "privileged"));
    fs::set_permissions(&privileged, fs::Permissions::from_mode(0o4755)).unwrap();
    let mut command = Command::new(&starts);
    command.arg(&privileged);
    // Its child says that it is ready: it runs as root, below a parent that is nobody's.
    let launcher = started(&mut command, true);
    let job = discover(launcher.pid()).unwrap();
    assert_eq!(
        Vec::from_iter(job.tasks.iter().map(|task| task.rank)),
        [None],
        "{job:?}"
    );
    drop(launcher);
    let _ = fs::remove_file(&privileged);
}
