//! What processes and threads have written, read while parts of it are given back to the file system.
//!
//! What stands in such a file tells which parts of it are used. The file system does not: see [`Parts`].

use calltrace::{layout, packed, task};
use regular_files::{Limit, Parts};
use std::fs::File;
use std::io;

/// The file of a process has one size.
const OF_PROCESS: Limit = Limit::of(16 << 20);

/// The file of a process: its header, with the modules and functions that this counts.
pub(super) fn process(file: &File) -> io::Result<Vec<u8>> {
    let mut parts = Parts::of(file, OF_PROCESS)?;
    for counted in task::counted(parts.read(0..task::HEADER * 8)?) {
        parts.read(counted)?;
    }
    Ok(parts.into_bytes())
}

/// The trace of a thread, or its stamps: its header, and what is used of every block that has begun and was not given back.
pub(super) fn thread(file: &File) -> io::Result<Vec<u8>> {
    let mut parts = Parts::of(file, Limit::RECORD)?;
    parts.read(0..layout::HEADER * 8)?;
    for number in 0..layout::BLOCKS {
        let head = parts.read(packed::head_of(number))?;
        if head.is_empty() {
            break;
        }
        if let Some(tokens) = packed::tokens_of(head, number) {
            parts.read(tokens)?;
        }
    }
    Ok(parts.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::process;
    use crate::traces::{TracePacker, Writers};
    use calltrace::task::{FUNCTIONS_AT, MAGIC, MODULES_AT, Task, VERSION, WORDS, header, module};
    use rustix::fs::{FallocateFlags, fallocate};
    use std::fs::{self, File};
    use std::os::unix::fs::FileExt as _;
    use std::path::Path;

    const FUNCTIONS: usize = 700;

    /// The file of a process of one module and many functions, made as a process makes its own: with room for all that may come.
    fn written(path: &Path) {
        let file = File::create(path).unwrap();
        fallocate(&file, FallocateFlags::empty(), 0, WORDS as u64 * 8).unwrap();
        file.write_all_at(&vec![0; WORDS * 8], 0).unwrap();
        let put = |at: usize, value: u64| file.write_all_at(&value.to_le_bytes(), at as u64 * 8).unwrap();
        for (at, value) in [
            (header::MAGIC, MAGIC),
            (header::VERSION, VERSION),
            (header::PID, u32::MAX.into()),
            (header::MODULES, 1),
            (header::FUNCTIONS, FUNCTIONS as u64),
            (MODULES_AT + module::PATH_LENGTH, 4),
            (MODULES_AT + module::PATH, u64::from(u32::from_le_bytes(*b"/exe"))),
        ] {
            put(at, value);
        }
        for number in 0..FUNCTIONS {
            put(FUNCTIONS_AT + number, 1 << 48 | (number as u64 + 1));
        }
    }

    /// Whoever reads a process while its file is packed finds all of it, and what is left then has it, too.
    #[test]
    fn nothing_is_overlooked_while_a_file_is_packed() {
        let directory = std::env::temp_dir().join(format!("hindmost-plain-{}", std::process::id()));
        for round in 0..40 {
            let _ = fs::remove_dir_all(&directory);
            fs::create_dir_all(&directory).unwrap();
            let path = directory.join("hindmost-1-0.task");
            written(&path);
            fs::write(directory.join("hindmost-1-0-0.trace"), b"").unwrap();
            let before = fs::metadata(&path).unwrap().len();
            let read = || {
                let task = Task::read(&process(&File::open(&path).unwrap()).unwrap()).unwrap();
                let found = task
                    .functions
                    .iter()
                    .flatten()
                    .filter(|place| place.module == Some(0));
                (found.count(), task.modules[0].path.clone())
            };
            let expected = (FUNCTIONS, "/exe".to_owned());
            std::thread::scope(|scope| {
                let pack = || TracePacker::default().pack(&directory, Writers::Over).map(|_| ());
                let packing = scope.spawn(pack);
                while !packing.is_finished() {
                    assert_eq!(read(), expected, "round {round}");
                }
                packing.join().unwrap().unwrap();
            });
            assert_eq!(read(), expected, "round {round}");
            let after = fs::read(&path).unwrap();
            assert_eq!(after.len() as u64, before);
            assert_eq!(Task::read(&after).unwrap().functions.len(), FUNCTIONS);
        }
        fs::remove_dir_all(&directory).unwrap();
    }
}
