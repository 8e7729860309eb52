//! Which process each rank of a job is, as others write it down: the table that launchers keep for debuggers
//! (`MPIR_proctable`), and STAT's process table, a text file:
//!
//! ```text
//! launcherhost:launcherpid
//! rank host:pid executable
//! ```

use crate::modules::Modules;
use crate::procfs;
use crate::sys;
use object::{Object, ObjectSymbol};
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
        table.entries.sort();
        Ok(table)
    }

    /// The table in STAT's form.
    pub fn to_text(&self) -> String {
        let mut text = format!("{}:{}\n", self.launcher.0, self.launcher.1);
        for TableEntry {
            rank,
            host,
            pid,
            executable,
        } in &self.entries
        {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{rank} {host}:{pid} {executable}");
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
pub(crate) fn same_host(one: &str, other: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(one, "localhost" | "127.0.0.1") || short(one) == short(other)
}

/// More ranks than any job has: a damaged launcher must not make us read for ever.
const MOST_RANKS: u32 = 1 << 22;

/// The table of a launcher that speaks MPIR, in its order, which is that of the ranks; `None` when it has none, or an empty one,
/// or may not be read. The launcher is not stopped.
pub fn of_launcher(pid: u32) -> Option<ProcessTable> {
    let mut modules = Modules::default();
    let space = modules.space_of(pid).ok()?;
    let mut seen = Vec::new();
    for (module, bias) in space.modules() {
        if seen.contains(&module) {
            continue;
        }
        seen.push(module);
        let Some((table, size)) = symbols(modules.get(module).bytes()) else {
            continue;
        };
        let entries = read_entries(pid, table.wrapping_add(bias), size.wrapping_add(bias));
        if let Some(entries) = entries.filter(|entries| !entries.is_empty()) {
            return Some(ProcessTable {
                launcher: (own_host(), pid),
                entries,
            });
        }
    }
    None
}

/// Where a file defines `MPIR_proctable` and `MPIR_proctable_size`, as linked.
fn symbols(bytes: &[u8]) -> Option<(u64, u64)> {
    let file = object::File::parse(bytes).ok()?;
    let find = |wanted: &str| {
        let mut all = file.dynamic_symbols().chain(file.symbols());
        let found = all.find(|symbol| symbol.is_definition() && symbol.name() == Ok(wanted));
        found.map(|symbol| symbol.address())
    };
    Some((find("MPIR_proctable")?, find("MPIR_proctable_size")?))
}

/// Host name, executable name (pointers) and pid, padded.
const ENTRY: usize = 24;

fn read_entries(launcher: u32, table: u64, size: u64) -> Option<Vec<TableEntry>> {
    let bytes = read(launcher, size, 4)?;
    let count = u32::from_le_bytes(bytes.try_into().ok()?);
    let start = word(&read(launcher, table, 8)?, 0)?;
    if count > MOST_RANKS || start == 0 {
        return None;
    }
    let bytes = read(launcher, start, count as usize * ENTRY)?;
    let entries = bytes.chunks_exact(ENTRY).zip(0..).map(|(entry, rank)| {
        let inner = u32::try_from(word(entry, 16)? & 0xffff_ffff).ok()?;
        Some(TableEntry {
            rank,
            host: text(launcher, word(entry, 0)?)?,
            pid: outer_pid(launcher, inner),
            executable: text(launcher, word(entry, 8)?).unwrap_or_default(),
        })
    });
    entries.collect()
}

/// The launcher's own pid namespace may lie within ours, where its processes have other numbers.
fn outer_pid(launcher: u32, inner: u32) -> u32 {
    let namespace = |pid: u32| std::fs::read_link(format!("/proc/{pid}/ns/pid")).ok();
    let Some(of_launcher) = namespace(launcher) else {
        return inner;
    };
    if namespace(std::process::id()).as_ref() == Some(&of_launcher) {
        return inner;
    }
    let is_it = |&(pid, _): &(u32, u32)| {
        let numbers = procfs::status_field(pid, "NSpid").unwrap_or_default();
        let own = numbers.split_whitespace().next_back();
        own == Some(inner.to_string().as_str()) && namespace(pid).as_ref() == Some(&of_launcher)
    };
    let found = procfs::processes()
        .ok()
        .and_then(|all| all.into_iter().find(is_it));
    found.map_or(inner, |(pid, _)| pid)
}

fn read(pid: u32, address: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    let copied = sys::read_memory(pid, &[(address, length)], &mut bytes).ok()?;
    (copied == length).then_some(bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// The text at an address, of 4 KiB at most.
fn text(pid: u32, mut address: u64) -> Option<String> {
    const PIECE: u64 = 64;
    let mut text = Vec::new();
    while text.len() < 4096 {
        // Up to the next multiple, so that no piece goes on into a page that is not there.
        let length = (PIECE - address % PIECE) as usize;
        let piece = read(pid, address, length)?;
        if let Some(end) = piece.iter().position(|&byte| byte == 0) {
            text.extend_from_slice(&piece[..end]);
            return String::from_utf8(text).ok();
        }
        text.extend_from_slice(&piece);
        address = address.checked_add(length as u64)?;
    }
    None
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
    fn hosts_are_the_same_with_and_without_their_domain() {
        assert!(same_host("node1.cluster.example", "Node1") && same_host("localhost", "node1"));
        assert!(!same_host("node1", "node10"));
    }
}
