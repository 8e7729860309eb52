//! What every rank says of itself: the log that `preload.c` keeps in a file which all ranks map.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// 64-bit words of one rank's record, as in `preload.c`.
const WORDS: usize = 16;

/// What one rank has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its process; 0 before it has called `MPI_Init`.
    pub pid: u32,
    /// How many MPI calls it has begun that communicate.
    pub calls: u64,
    /// How many collective calls it has begun on `MPI_COMM_WORLD`. All ranks make the same ones in the same order: who has begun
    /// fewer is behind, whatever else it did.
    pub world: u64,
    /// The function that it has called last, by its number in `preload.c`.
    pub function: u64,
    /// Whether it has been stalled.
    pub stall: Stall,
    /// The instruction at which it was stalled.
    pub pc: u64,
    /// Its processor time at its first such call, in nanoseconds.
    pub first_cpu: u64,
    /// And at the last.
    pub last_cpu: u64,
    /// The longest processor time between two of them.
    pub longest: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stall {
    /// It has not, or was never to be.
    #[default]
    Running,
    /// It stands still at [`Record::pc`].
    Stalled,
    /// Its memory could not be written.
    Cannot,
}

/// Makes an empty log for so many ranks.
pub fn create(path: &Path, ranks: u32) -> Result<()> {
    fs::write(path, vec![0; ranks as usize * WORDS * 8])
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Reads the records of all ranks. One that writes at this moment may show some of its words older than others.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let words = Vec::from_iter(bytes.as_chunks().0.iter().copied().map(u64::from_ne_bytes));
    Ok(words.as_chunks().0.iter().map(record).collect())
}

fn record(words: &[u64; WORDS]) -> Record {
    let [
        pid,
        calls,
        world,
        function,
        _site,
        stall,
        pc,
        first_cpu,
        last_cpu,
        longest,
        ..,
    ] = *words;
    Record {
        pid: u32::try_from(pid).unwrap_or(0),
        calls,
        world,
        function,
        stall: match stall {
            0 => Stall::Running,
            1 => Stall::Stalled,
            _ => Stall::Cannot,
        },
        pc,
        first_cpu,
        last_cpu,
        longest,
    }
}
