//! Truncated and damaged files: an error or a partial result, never a panic, never a hang.

use crate::support::{MapBuilder, Program, binding, sources};
use bind::{bind, check, identity, needs};
use object::{Object as _, ObjectSection as _};
use std::time::{Duration, Instant};

/// A small generator with a fixed seed: failures must come back on the next run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// Goes through every entry point; returns whether there was a binding.
fn survives(program: &Program, bytes: &[u8]) -> bool {
    let start = Instant::now();
    let mut map = program.map();
    let bound = bind(&mut map, bytes, None, "program").is_ok();
    assert_eq!(map.binding.is_some(), bound);
    if let Some(binding) = &map.binding {
        assert!(binding.rows.windows(2).all(|pair| pair[0].end <= pair[1].start));
        assert!(
            binding
                .functions
                .windows(2)
                .all(|pair| pair[0].end <= pair[1].start)
        );
        let children = binding.inlines.iter().enumerate();
        assert!(
            children
                .filter_map(|(at, inline)| Some((at, inline.parent?)))
                .all(|(at, parent)| (parent as usize) < at)
        );
        check(&map, bytes).unwrap();
    }
    let _ = identity(bytes);
    let _ = sources(bytes, None);
    let _ = needs(bytes, None);
    assert!(start.elapsed() < Duration::from_secs(100), "too slow");
    bound
}

#[test]
fn truncated_files() {
    for (compiler, flags) in [
        ("gcc", &["-g", "-O2"][..]),
        ("gcc", &["-g", "-O1", "-gz", "-gdwarf-4"]),
    ] {
        let Some(program) = Program::solve(compiler, flags) else {
            continue;
        };
        let mut bound = 0;
        for length in (0..program.bytes.len()).step_by(97) {
            bound += usize::from(survives(&program, &program.bytes[..length]));
        }
        eprintln!(
            "{}: {bound} of {} prefixes bound",
            program.label,
            program.bytes.len() / 97
        );
    }
}

#[test]
fn damaged_debug_sections() {
    let mut random = Random(2024);
    for (compiler, flags) in [
        ("gcc", &["-g", "-O2"][..]),
        ("clang", &["-gdwarf-5", "-O2"]),
        ("gcc", &["-gdwarf-4", "-O3"]),
    ] {
        let Some(program) = Program::solve(compiler, flags) else {
            continue;
        };
        let file = object::File::parse(program.bytes.as_slice()).unwrap();
        let debug = file
            .sections()
            .filter(|section| section.name().is_ok_and(|name| name.starts_with(".debug")));
        let ranges = Vec::from_iter(debug.filter_map(|section| section.file_range()));
        let mut bound = 0;
        const ROUNDS: usize = 400;
        for round in 0..ROUNDS {
            let mut bytes = program.bytes.clone();
            for _ in 0..=round % 24 {
                let (start, size) = ranges[random.below(ranges.len())];
                let at = start as usize + random.below(size as usize);
                bytes[at] = match random.below(3) {
                    0 => bytes[at] ^ (1 << random.below(8)),
                    1 => [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
                    _ => random.below(256) as u8,
                };
            }
            bound += usize::from(survives(&program, &bytes));
        }
        eprintln!("{}: {bound} of {ROUNDS} damaged files bound", program.label);
    }
}

#[test]
fn damaged_headers() {
    let Some(program) = Program::solve("gcc", &["-g", "-O1"]) else {
        return;
    };
    let mut random = Random(7);
    let length = program.bytes.len();
    let table = 64 * 40;
    for _ in 0..600 {
        let mut bytes = program.bytes.clone();
        for _ in 0..=random.below(4) {
            // The ELF header with the program headers, or the section headers at the end.
            let at = match random.below(2) {
                0 => random.below(0x400),
                _ => length - 1 - random.below(table),
            };
            bytes[at] = random.below(256) as u8;
        }
        survives(&program, &bytes);
    }
}

/// A name that thousands of entries may share costs each of them its bytes. What is longer than any real name is none.
#[test]
fn long_names_are_none() {
    const LONGEST: usize = 16 << 10;
    for length in [LONGEST, LONGEST + 1] {
        let name = "f".repeat(length);
        let source =
            format!("int {name}(int n) {{\n  return n;\n}}\nint main(void) {{\n  return {name}(1);\n}}\n");
        let Some(program) = Program::build("gcc", &["-g", "-O0"], &[("long.c", &source)]) else {
            return;
        };
        let mut builder = MapBuilder::default();
        let file = builder.file(program.scratch.0.join("long.c").to_str().unwrap(), &source);
        builder.function(file, &name, Vec::new());
        builder.function(file, "main", Vec::new());
        let mut map = builder.map;
        bind(&mut map, &program.bytes, None, "program").unwrap();
        let functions = &binding(&map).functions;
        assert!(functions.iter().any(|function| function.name == "main"));
        let is_named = functions.iter().any(|function| function.name == name);
        assert_eq!(is_named, length == LONGEST);
    }
}
