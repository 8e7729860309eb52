//! The ways in which hosts are reached, and how it is found out which they are. Of what has no package here (Flux, and `clush` where it is not installed) a program plays the part, which looks at our command line and does to what it carries what the real one does.

use super::cluster::{Cluster, HUNG, Launcher, warnings};
use crate::hindmost::{run, said};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Flux with a job of three nodes. As `flux exec` of flux-core 0.88, what it brings back is cut into lines, each of which ends at its first zero, and is kept until there is a page of it, unless `stdbuf` says otherwise.
const FLUX: &str = r#"#!/usr/bin/env python3
import os, shlex, subprocess, sys
words = sys.argv[1:]
options, command = words[:5], words[5:]
places = {f'--rank={place}': f'node{place + 1}' for place in range(3)}
if words == ['job', 'hostpids', 'f2xYz4b']:
    print('PROCESSES')
elif words == ['jobs', '--no-header', '--format={nodelist}', 'f2xYz4b']:
    print('node[1-3]')
elif options[:4] == ['exec', '--quiet', '--dir=/', '--jobid=f2xYz4b'] and options[4] in places:
    there = subprocess.Popen(['ssh', places[options[4]], shlex.join(command)], stdout=subprocess.PIPE)
    kept = b''
    for line in there.stdout:
        kept += line.split(b'\0')[0]
        if os.environ.get('_STDBUF_O') == 'L' or len(kept) >= 4096:
            os.write(1, kept)
            kept = b''
    os.write(1, kept)
    sys.exit(there.wait())
else:
    sys.exit('flux-job: unknown job id')
"#;

/// `clush` for one host: what comes back is parted into lines, the last of which is ended.
const CLUSH: &str = r#"#!/usr/bin/env python3
import os, subprocess, sys
labels, option, host, line = sys.argv[1:]
if (labels, option) != ('-N', '-w'):
    sys.exit('clush: other options than expected')
there = subprocess.Popen(['ssh', host, line], stdout=subprocess.PIPE)
for line in there.stdout:
    os.write(1, line.rstrip(b'\n') + b'\n')
sys.exit(there.wait())
"#;

impl Cluster {
    /// Puts a program of this name where `find` sees it before all others; its directory.
    fn stands_in(&self, name: &str, text: &str) -> String {
        let directory = self.directory.join(format!("{name}-stand-in"));
        std::fs::create_dir_all(&directory).unwrap();
        let program = directory.join(name);
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        format!("{}:{}", directory.display(), std::env::var("PATH").unwrap())
    }

    /// Flux says where the processes of a job are, and has its shells run the probe; here they are those of the launcher's table.
    pub fn is_a_job_of_flux(&self, table: &str) {
        let process = |line: &str| {
            let process = line.split_whitespace().nth(1);
            process.unwrap_or_else(|| panic!("{table}")).to_owned()
        };
        let processes = Vec::from_iter(table.lines().skip(1).map(process)).join(",");
        let path = self.stands_in("flux", &FLUX.replace("PROCESSES", &processes));
        let find = |id: &str, more: &[&str]| {
            let mut find = self.find(&[&["--job", id], more].concat());
            run(find.env("PATH", &path))
        };
        for (more, how) in [
            (&[][..], Some("2 hosts are asked by flux exec, in job f2xYz4b")),
            (&["--via", "ssh"], None),
        ] {
            let found = find("ƒ2xYz4b", more);
            let answer: Value =
                serde_json::from_slice(&found.stdout).unwrap_or_else(|_| panic!("{}", said(&found)));
            assert_eq!(
                (
                    &answer["tasks"],
                    &answer["hindmost"][0]["ranks"],
                    &answer["missing_ranks"]
                ),
                (&Value::from(4), &Value::from(HUNG), &Value::from("")),
                "{answer:#}"
            );
            let told = said(&found);
            assert_eq!(how.is_some(), told.contains("flux exec"), "{told}");
            assert!(told.contains(how.unwrap_or_default()), "{told}");
        }
        let unknown = find("f7", &[]);
        assert_eq!(unknown.status.code(), Some(2), "{}", said(&unknown));
        assert!(
            said(&unknown).contains("Flux does not say where job f7 runs: flux-job: unknown job id"),
            "{}",
            said(&unknown)
        );
        self.nothing_remains();
    }

    /// `clush` brings lines of text alone.
    pub fn is_reached_by_clush(&self, launcher: &str) {
        let path = self.stands_in("clush", CLUSH);
        let found = run(self.find(&[launcher, "--via", "clush"]).env("PATH", &path));
        let answer: Value =
            serde_json::from_slice(&found.stdout).unwrap_or_else(|_| panic!("{}", said(&found)));
        assert_eq!(
            (&answer["tasks"], &answer["hindmost"][0]["ranks"]),
            (&Value::from(4), &Value::from(HUNG)),
            "{answer:#}"
        );
        self.nothing_remains();
    }

    /// Open MPI's launcher starts the probe on each host as a job of its own; to that, it is a rank, and to nobody else.
    pub fn is_reached_by_its_mpi(&self, launcher: &str, mpi: &Launcher, list: &Path) {
        let via = shlex_join(mpi.words);
        self.names_rank_2(&[launcher, "--via", &via], "");
        self.names_rank_2(&["--hosts", list.to_str().unwrap(), "--via", &via], "");
        self.nothing_remains();
    }

    /// Ranks that are named on a host which has no launcher tell of the others, as far as what started them does.
    pub fn tells_of_other_hosts(&self, mpi: &Launcher, expected: Result<(), &str>) {
        let program = format!("{}/{}-steps ", self.directory.display(), mpi.compiler);
        let ranks = self.hosts.running(2).into_iter();
        let ranks = ranks.filter(|(_, line)| line.starts_with(&program));
        let pids = Vec::from_iter(ranks.map(|(pid, _)| pid.to_string()));
        assert_eq!(pids.len(), 2, "{:?}", self.hosts.running(2));
        let pids = Vec::from_iter(pids.iter().map(String::as_str));
        let found = run(&mut self.find_on(2, &pids));
        let answer: Value =
            serde_json::from_slice(&found.stdout).unwrap_or_else(|_| panic!("{}", said(&found)));
        let told = warnings(&answer);
        match expected {
            Ok(()) => {
                assert_eq!(
                    (
                        &answer["tasks"],
                        &answer["missing_ranks"],
                        &answer["hindmost"][0]["ranks"]
                    ),
                    (&Value::from(4), &Value::from(""), &Value::from(HUNG)),
                    "{answer:#}"
                );
                assert!(
                    told.contains("its other hosts are those that the daemon of Open MPI tells (2)"),
                    "{told}"
                );
            }
            Err(words) => {
                assert_eq!(answer["tasks"], 2, "{answer:#}");
                assert!(told.contains(words), "{told}");
            }
        }
        let alone = run(&mut self.find_on(2, &[&pids[..], &["--here"]].concat()));
        let answer: Value =
            serde_json::from_slice(&alone.stdout).unwrap_or_else(|_| panic!("{}", said(&alone)));
        assert_eq!(answer["missing_ranks"], "0,3", "{answer:#}");
        self.nothing_remains();
    }
}

/// Words that have nothing in them that must be quoted, as one.
fn shlex_join(words: &[&str]) -> String {
    assert!(
        words.iter().all(|word| !word.contains([' ', '\'', '"', '\\'])),
        "{words:?}"
    );
    words.join(" ")
}
