//! Links that are slow, or go while they are used.

use super::cluster::{Cluster, warnings};
use super::hosts::until;
use crate::hindmost::said;
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A probe takes some seconds over it.
const SLOW: &str = "10mbit";

impl Cluster {
    /// Whoever is behind a slow link still takes what he is sent, and is waited for; where he sees the probe's file there is nothing to wait for.
    pub(super) fn has_a_slow_link(&mut self, launcher: &str) {
        let took = |cluster: &Self| {
            let begun = Instant::now();
            let answer = cluster.names_rank_2(&[launcher], "");
            assert!(!warnings(&answer).contains("not seen"), "{answer:#}");
            begun.elapsed()
        };
        self.hosts.slow(3, Some(SLOW));
        let sent = took(self);
        let own = std::mem::replace(&mut self.probe, "/run/cluster/hindmost-probe".into());
        let found = took(self);
        self.probe = own;
        self.hosts.slow(3, None);
        // What is sent would take that long by itself; the rest of both is alike.
        let bytes = std::fs::metadata(self.directory.join("hindmost-probe"))
            .unwrap()
            .len();
        let line = Duration::from_secs_f64(bytes as f64 * 8.0 / 10e6);
        assert!(
            sent > line && found < sent.saturating_sub(line / 2),
            "{sent:?} {found:?} {line:?}"
        );
        self.nothing_remains();
    }

    /// A link that goes between two looks costs the tasks behind it, and no more time than a grace.
    pub(super) fn loses_a_link(&self, launcher: &str) {
        let mut find = self.find(&[launcher, "--twice", "2s", "--deadline", "100s"]);
        let find = find
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until("a probe waits on node3", || self.remains(3).contains("--serve"));
        let begun = Instant::now();
        self.hosts.cut(3, true);
        let output = find.wait_with_output().unwrap();
        let took = begun.elapsed();
        self.hosts.cut(3, false);
        let answer: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
        assert_eq!(answer["missing_ranks"], "3", "{answer:#}");
        assert!(
            warnings(&answer).contains("rank 3 on host node3 was not seen"),
            "{answer:#}"
        );
        assert!(took < Duration::from_secs(50), "{took:?}");
        self.nothing_remains();
    }

    /// Open MPI now and then has no pid in its table for a process of another host, but 0. Here it is made so for rank 3, and the table with which `find` has gone on is the one from before.
    pub(super) fn has_a_table_without_a_pid(&self, launcher: &str, table: &str) {
        // An entry of the table is two pointers and the pid, padded.
        let forget = "set var *(int *) (*(long *) &MPIR_proctable + 24 * 3 + 16) = 0";
        let gdb = ["gdb", "-q", "-nx", "-batch", "-p", launcher, "-ex", forget];
        let forgotten = self.hosts.run(1, &gdb);
        assert!(forgotten.status.success(), "{}", said(&forgotten));
        let kept = self.directory.join("table-without-a-pid");
        let answer = self.names_rank_2(&[launcher, "--save-table", kept.to_str().unwrap()], "");
        assert_eq!(answer["tasks"], 4, "{answer:#}");
        assert!(!warnings(&answer).contains("not seen"), "{answer:#}");
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), table);
    }
}
