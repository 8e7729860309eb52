//! What of a memory map tells how to walk a stack: code that comes from a file, and what may be written.
//!
//! A task of Open MPI has a thousand mappings, and three in four are neither. To have the kernel print them all takes a
//! millisecond for each task; since Linux 6.11 it can be asked for those that count. An older one's text passes through
//! here once per task and snapshot, so nothing is kept or even read as text but what counts.

use crate::modules::Region;
use crate::procfs::{Mapping, parse_mapping};
use crate::sys;
use std::fs::File;
use std::io::{self, Read};

/// One task's address space as the kernel lists it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// Writable ranges, sorted by address.
    pub(crate) writable: Vec<Region>,
    /// Readable code of files and of the kernel's own library, sorted by address.
    pub(crate) code: Vec<Mapping>,
}

impl Outline {
    /// Reads `/proc/PID/maps`. Empty for a zombie.
    ///
    /// # Errors
    /// The memory map could not be read.
    pub(crate) fn of(pid: u32) -> io::Result<Self> {
        let maps = regular_files::open_of_kernel(&format!("/proc/{pid}/maps"))?;
        // An older kernel does not know the question, and a sandbox may forbid it.
        Self::asked(&maps).or_else(|_| Self::read(maps))
    }

    /// Asks for what counts, mapping by mapping.
    fn asked(maps: &File) -> io::Result<Self> {
        let mut outline = Self::default();
        let mut name = [0; libc::PATH_MAX as usize];
        let mut each = |permissions, keep: &mut dyn FnMut(Mapping)| -> io::Result<()> {
            let mut address = 0;
            while let Some(mapping) = sys::next_mapping(maps, address, permissions, &mut name)? {
                address = mapping.end;
                keep(mapping);
            }
            Ok(())
        };
        each(sys::WRITABLE, &mut |mapping| outline.add_writable(&mapping))?;
        each(sys::READABLE | sys::EXECUTABLE, &mut |mapping| {
            outline.add_code(mapping);
        })?;
        Ok(outline)
    }

    /// Reads all that the kernel prints.
    fn read(mut maps: File) -> io::Result<Self> {
        let mut text = Vec::new();
        maps.read_to_end(&mut text)?;
        let mut outline = Self::default();
        for line in text.split(|&byte| byte == b'\n') {
            outline.add(line);
        }
        Ok(outline)
    }

    fn add(&mut self, line: &[u8]) {
        // `7f00-7f10 r-xp …`
        let permissions = line
            .iter()
            .position(|&byte| byte == b' ')
            .map(|at| &line[at + 1..]);
        let Some([readable, writable, executable, ..]) = permissions else {
            return;
        };
        let (is_writable, is_code) = (*writable == b'w', *readable == b'r' && *executable == b'x');
        if !is_writable && !is_code {
            return;
        }
        let Some(mapping) = parse_mapping(&String::from_utf8_lossy(line)) else {
            return;
        };
        if is_writable {
            self.add_writable(&mapping);
        }
        if is_code {
            self.add_code(mapping);
        }
    }

    fn add_writable(&mut self, mapping: &Mapping) {
        self.writable.push(Region {
            start: mapping.start,
            end: mapping.end,
            is_stack: mapping.path == "[stack]",
        });
    }

    fn add_code(&mut self, mapping: Mapping) {
        if mapping.file.1 != 0 || mapping.path == "[vdso]" {
            self.code.push(mapping);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::{Duration, Instant};
    use std::{fs, thread};

    #[test]
    fn code_and_what_may_be_written_are_kept() {
        let mut outline = Outline::default();
        for line in [
            "1000-2000 r--p 00000000 fe:01 42 /bin/a",
            "2000-3000 r-xp 00001000 fe:01 42 /bin/a",
            "3000-4000 --xp 00002000 fe:01 42 /bin/a",
            "4000-5000 rw-p 00003000 fe:01 42 /bin/a",
            "5000-6000 rwxp 00000000 00:00 0 ",
            "6000-7000 ---p 00000000 00:00 0 ",
            "7000-8000 rw-p 00000000 00:00 0 [stack]",
            "8000-9000 r-xp 00000000 00:00 0 [vdso]",
            "9000-a000 r-xp 00000000 00:00 0 [vsyscall]",
            "a000-b000 r",
            "",
        ] {
            outline.add(line.as_bytes());
        }
        let writable = outline
            .writable
            .iter()
            .map(|region| (region.start, region.is_stack));
        assert_eq!(
            Vec::from_iter(writable),
            [(0x4000, false), (0x5000, false), (0x7000, true)]
        );
        let code = outline.code.iter().map(|mapping| (mapping.start, mapping.offset));
        assert_eq!(Vec::from_iter(code), [(0x2000, 0x1000), (0x8000, 0)]);
    }

    #[test]
    fn this_process_is_outlined() {
        let outline = Outline::of(std::process::id()).unwrap();
        assert!(outline.writable.iter().any(|region| region.is_stack));
        let here = this_process_is_outlined as *const () as u64;
        assert!(
            outline
                .code
                .iter()
                .any(|code| (code.start..code.end).contains(&here))
        );
    }

    #[test]
    fn the_kernel_answers_what_it_prints() {
        // Our own map changes while the tests run.
        let mut quiet = Command::new("sleep").arg("1000").spawn().unwrap();
        let path = format!("/proc/{}/maps", quiet.id());
        let (mut before, deadline) = (String::new(), Instant::now() + Duration::from_secs(60));
        // Until it has loaded its libraries.
        loop {
            let now = fs::read_to_string(&path).unwrap();
            if (now == before && now.contains("libc")) || Instant::now() > deadline {
                break;
            }
            before = now;
            thread::sleep(Duration::from_millis(50));
        }
        let printed = File::open(&path).and_then(Outline::read);
        let asked = File::open(&path).and_then(|maps| Outline::asked(&maps));
        quiet.kill().unwrap();
        quiet.wait().unwrap();
        match asked {
            Ok(asked) => assert_eq!(asked, printed.unwrap()),
            Err(error) => {
                assert_eq!(error.raw_os_error(), Some(libc::ENOTTY));
                eprintln!(
                    "not tested: this kernel prints memory maps and answers no questions (Linux 6.11 does)"
                );
            }
        }
    }
}
