//! The table that launchers keep for debuggers (`MPIR_proctable`): which process on which host each rank is.
//!
//! It is read from the memory of a process that merely calls itself a launcher, so nothing of it is believed as such: how much is read is bounded,
//! and which of its pids are looked at is up to [`tasks`](crate::tasks).

use crate::modules::Modules;
use crate::names::{self, Tables};
use crate::procfs;
use crate::proctable::{ProcessTable, TableEntry, own_host};
use crate::sys;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

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
    let (mut table, mut size) = (None, None);
    names::for_each(bytes, Tables::All, |symbol| {
        match symbol.name {
            "MPIR_proctable" => table = table.or(Some(symbol.address)),
            "MPIR_proctable_size" => size = size.or(Some(symbol.address)),
            _ => {}
        }
        table.is_none() || size.is_none()
    });
    Some((table?, size?))
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
    let mut texts = Texts::of(launcher);
    let pids = Pids::of(launcher);
    let entries = bytes.chunks_exact(ENTRY).zip(0..).map(|(entry, rank)| {
        let inner = u32::try_from(word(entry, 16)? & 0xffff_ffff).ok()?;
        Some(TableEntry {
            rank,
            host: texts.at(word(entry, 0)?)?,
            pid: pids.outer(inner),
            executable: texts.at(word(entry, 8)?).unwrap_or_default(),
        })
    });
    entries.collect()
}

/// What is read of a table that lies in our own memory, as `bytes`: the number of entries, four bytes without meaning, a pointer to the entries, and whatever
/// follows. A word that is smaller than that memory, and not zero, stands for the place in it. For fuzzers.
pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Vec<TableEntry>> {
    let mut words: Vec<u64> = bytes
        .chunks(8)
        .map(|word| {
            let mut whole = [0; 8];
            whole[..word.len()].copy_from_slice(word);
            u64::from_le_bytes(whole)
        })
        .collect();
    words.resize(words.len().max(2), 0);
    let (start, length) = (words.as_ptr() as u64, 8 * words.len() as u64);
    for word in words
        .iter_mut()
        .skip(1)
        .filter(|word| (1..length).contains(*word))
    {
        *word += start;
    }
    let table = read_entries(std::process::id(), start + 8, start);
    // It was read as another process's memory is: nothing told the compiler.
    std::hint::black_box(&words);
    table
}

/// The numbers of a launcher's processes as we see them.
enum Pids {
    /// Its pid namespace is ours.
    Same,
    /// It lies within ours: by the number within it.
    Within(BTreeMap<u32, u32>),
}

impl Pids {
    fn of(launcher: u32) -> Self {
        let namespace = |pid: u32| -> Option<PathBuf> { fs::read_link(format!("/proc/{pid}/ns/pid")).ok() };
        let of_launcher = namespace(launcher);
        if of_launcher.is_none() || of_launcher == namespace(std::process::id()) {
            return Pids::Same;
        }
        let inside = procfs::processes().unwrap_or_default().into_iter();
        let inside = inside.filter(|&(pid, _)| namespace(pid) == of_launcher);
        let numbers = inside.filter_map(|(pid, _)| {
            let numbers = procfs::status_field(pid, "NSpid")?;
            Some((numbers.split_whitespace().next_back()?.parse().ok()?, pid))
        });
        Pids::Within(numbers.collect())
    }

    fn outer(&self, inner: u32) -> u32 {
        match self {
            Pids::Same => inner,
            Pids::Within(numbers) => numbers.get(&inner).copied().unwrap_or(inner),
        }
    }
}

/// The texts that a table points to, each read once: nearly all ranks share the name of a program and of a host.
struct Texts {
    launcher: u32,
    known: BTreeMap<u64, Option<String>>,
    /// How many bytes may still be read.
    left: usize,
}

impl Texts {
    /// A name has at most so many bytes.
    const LONGEST: usize = 4096;
    /// And all of them together: of the largest job, with names of its own for each of a hundred thousand hosts, a tenth.
    const ALL: usize = 64 << 20;

    fn of(launcher: u32) -> Self {
        Texts {
            launcher,
            known: BTreeMap::new(),
            left: Self::ALL,
        }
    }

    fn at(&mut self, address: u64) -> Option<String> {
        if let Some(known) = self.known.get(&address) {
            return known.clone();
        }
        let text = self.read(address);
        self.known.insert(address, text.clone());
        text
    }

    fn read(&mut self, mut address: u64) -> Option<String> {
        const PIECE: u64 = 64;
        let mut text = Vec::new();
        while text.len() < Self::LONGEST {
            // Up to the next multiple, so that no piece goes on into a page that is not there.
            let length = (PIECE - address % PIECE) as usize;
            self.left = self.left.checked_sub(length)?;
            let piece = read(self.launcher, address, length)?;
            if let Some(end) = piece.iter().position(|&byte| byte == 0) {
                text.extend_from_slice(&piece[..end]);
                return String::from_utf8(text).ok();
            }
            text.extend_from_slice(&piece);
            address = address.checked_add(length as u64)?;
        }
        None
    }
}

fn read(pid: u32, address: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    let copied = sys::read_memory(pid, &[(address, length)], &mut bytes).ok()?;
    (copied == length).then_some(bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
