//! Which process each rank of a job is, as others write it down: the table that launchers keep for debuggers
//! (read in `mpir`), and STAT's process table, a text file:
//!
//! ```text
//! launcherhost:launcherpid
//! rank host:pid executable
//! ```

use crate::procfs;
use base::{clean, clean_field};
use std::fmt::Write as _;

/// A job's processes on all its hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessTable {
    /// Host and pid of the launcher; empty and 0 when there is none.
    pub launcher: (String, u32),
    /// Sorted by rank.
    pub entries: Vec<TableEntry>,
}

/// A rank's process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableEntry {
    /// Its rank.
    pub rank: u32,
    /// The host that it runs on.
    pub host: String,
    /// Its pid there.
    pub pid: u32,
    /// The program; empty when that is not known.
    pub executable: String,
}

impl ProcessTable {
    /// Reads STAT's form.
    ///
    /// # Errors
    /// The number and content of the first line that is not of that form.
    pub fn parse(text: &str) -> Result<ProcessTable, String> {
        let mut table = ProcessTable::default();
        let lines = (1..)
            .zip(text.lines().map(str::trim))
            .filter(|(_, line)| !line.is_empty());
        for (index, (number, line)) in lines.enumerate() {
            let wrong = || format!("line {number} is neither 'host:pid' nor 'rank host:pid program': {line}");
            let mut words = line.split_whitespace();
            let first = words.next().ok_or_else(wrong)?;
            if let Some(launcher) = host_and_pid(first) {
                if index > 0 || words.next().is_some() {
                    return Err(wrong());
                }
                table.launcher = launcher;
                continue;
            }
            let rank = first.parse().map_err(|_| wrong())?;
            let (host, pid) = words.next().and_then(host_and_pid).ok_or_else(wrong)?;
            let executable = Vec::from_iter(words).join(" ");
            table.entries.push(TableEntry {
                rank,
                host,
                pid,
                executable,
            });
        }
        // Entries of one rank stay as they stand: what is escaped in their names would sort otherwise.
        table.entries.sort_by_key(|entry| entry.rank);
        Ok(table)
    }

    /// The table in STAT's form. A program's name, which its owner chooses, is escaped where it would begin a line, and so name somebody else's
    /// process as a rank, or act on a terminal; a host's where it would begin a word.
    pub fn to_text(&self) -> String {
        let mut text = format!("{}:{}\n", clean_field(&self.launcher.0), self.launcher.1);
        for TableEntry {
            rank,
            host,
            pid,
            executable,
        } in &self.entries
        {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{rank} {}:{pid} {}", clean_field(host), clean(executable));
        }
        text
    }
}

fn host_and_pid(word: &str) -> Option<(String, u32)> {
    let (host, pid) = word.rsplit_once(':')?;
    Some((host.to_owned(), pid.parse().ok()?))
}

/// The name of this host.
pub fn own_host() -> String {
    let name = procfs::text("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// Whether two names are of one host: launchers write them with or without their domain.
pub fn same_host(one: &str, other: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(one, "localhost" | "127.0.0.1") || short(one) == short(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stats_process_table_is_read_and_written() {
        let text = "login1:700\n0 node1:31 /home/a/app\n1 node2:44 /home/a/app\n";
        let table = ProcessTable::parse(text).unwrap();
        assert_eq!(table.launcher, ("login1".to_owned(), 700));
        assert_eq!((table.entries[1].rank, table.entries[1].pid), (1, 44));
        assert_eq!(table.to_text(), text);
        assert_eq!(
            ProcessTable::parse("1 b:2\n0 a:1 x y\n").unwrap().entries[0].executable,
            "x y"
        );
        for bad in ["0 a", "a:1 b", "0 a:b x", "a:1\nb:2", "x a:1"] {
            assert!(ProcessTable::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_name_makes_no_line_of_its_own() {
        let entry = TableEntry {
            rank: 0,
            host: "node 1".to_owned(),
            pid: 31,
            executable: "/a/x\n1 node1:1 init\r2 node1:2 y\u{1b}".to_owned(),
        };
        let table = ProcessTable {
            launcher: ("login\n0".to_owned(), 700),
            entries: vec![entry],
        };
        let text = table.to_text();
        assert!(
            text.lines().count() == 2 && !text.contains(['\r', '\u{1b}']),
            "{text:?}"
        );
        let read = ProcessTable::parse(&text).unwrap();
        assert_eq!((read.entries.len(), read.entries[0].pid), (1, 31));
    }

    #[test]
    fn hosts_are_the_same_with_and_without_their_domain() {
        assert!(same_host("node1.cluster.example", "Node1") && same_host("localhost", "node1"));
        assert!(!same_host("node1", "node10"));
    }
}
