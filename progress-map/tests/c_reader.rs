//! The reader in one C header reads the same as this crate, and no bytes make it read beyond its own.
//!
//! It is compiled by gcc and by clang with everything that they warn of and check at run time.

mod as_json;

use as_json::{a_file, a_map};
use progress_map::generate::{Rng, arbitrary, bind, reseal, synthetic, verbatim_bytes};
use progress_map::{Binding, BoundInline, Map};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The example program, for each compiler that is there. A missing one fails the test in CI and is skipped elsewhere.
static READERS: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrations/c/map_to_json.c");
    let compiled = |compiler: &str| {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("map-to-json-{compiler}"));
        let output = Command::new(compiler)
            .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-g"])
            .args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
            .arg("-o")
            .args([&program, &source])
            .output();
        let Ok(output) = output else {
            assert!(
                std::env::var_os("CI").is_none(),
                "{compiler} is missing: install it for CI"
            );
            eprintln!("SKIPPED: there is no {compiler}");
            return None;
        };
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        Some(program)
    };
    ["gcc", "clang"].into_iter().filter_map(compiled).collect()
});

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// What a reader prints, line by line.
fn printed(reader: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = Command::new(reader).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    // What this crate refuses for its strings is read in C.
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What a reader makes of each of many inputs: the map, or the reason why it is none.
fn each(reader: &Path, name: &str, inputs: &[Vec<u8>]) -> Vec<Value> {
    let mut bytes = Vec::new();
    for input in inputs {
        bytes.extend((input.len() as u32).to_le_bytes());
        bytes.extend(input);
    }
    let path = file(name, &bytes);
    let answers = printed(reader, &["--each", path.to_str().unwrap()]);
    assert_eq!(answers.len(), inputs.len());
    answers
}

/// The sections that the reader in C skips, which a map does not flag as required.
const SKIPPED: [&[u8; 4]; 13] = [
    b"CHOI", b"DECI", b"PTRC", b"CTCH", b"CNST", b"SHOW", b"ITER", b"STEP", b"MACR", b"MAYC", b"BSIT",
    b"BCOD", b"BTAI",
];

/// Bit 0 of a section's flags.
const REQUIRED: u8 = 1;

const REFUSAL: &str = "the map has a required section that this reader does not know";

/// Where the entries of a map's section table are.
fn table(map: &[u8]) -> impl Iterator<Item = usize> {
    let sections = u32::from_le_bytes(map[12..16].try_into().unwrap());
    (0..sections as usize).map(|section| 32 + section * 24)
}

/// Whether damage has flagged a section as required that the reader in C skips: then it must refuse what this crate reads.
fn is_required_of_c(map: &[u8]) -> bool {
    table(map).any(|at| SKIPPED.iter().any(|tag| map[at..at + 4] == **tag) && map[at + 4] & REQUIRED != 0)
}

fn maps() -> Vec<Map> {
    let mut program = synthetic(2000, 3);
    program.binding = Some(bind(&program, 4));
    (0..40).map(arbitrary).chain([program, Map::default()]).collect()
}

#[test]
fn c_reads_what_was_written() {
    let maps = maps();
    let packed = Vec::from_iter(maps.iter().map(Map::to_bytes));
    let plain = Vec::from_iter(maps.iter().map(verbatim_bytes));
    for reader in READERS.iter() {
        for (name, inputs) in [("packed.maps", &packed), ("plain.maps", &plain)] {
            for (seed, (read, map)) in each(reader, name, inputs).iter().zip(&maps).enumerate() {
                assert!(*read == a_map(map), "map {seed}, {name}: {read}");
            }
        }
    }
}

#[test]
fn hostile_bytes_are_a_map_or_refused() {
    let mut samples = Vec::from_iter(maps().iter().map(verbatim_bytes));
    samples.retain(|sample| sample.len() < 4000);
    samples.push(synthetic(60, 8).to_bytes());
    let mut rng = Rng(23);
    let mut inputs = Vec::new();
    for round in 0..1200 {
        let mut bytes = samples[rng.below(samples.len())].clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len());
            let end = (at + 1 + rng.below(9)).min(bytes.len());
            match rng.below(4) {
                0 => bytes[at] ^= 1 << rng.below(8),
                1 => bytes[at] = rng.bits() as u8,
                2 => bytes[at] = rng.pick(&[0, 1, 0x7f, 0x80, 0xff]),
                _ => bytes[at..end].fill(0xff),
            }
        }
        match round % 20 {
            0 => bytes.truncate(rng.below(bytes.len())),
            // As damage on the way would leave it.
            1 => {}
            _ => reseal(&mut bytes),
        }
        inputs.push(bytes);
    }
    for reader in READERS.iter() {
        let (mut maps, mut refused) = (0, 0);
        for (at, (read, input)) in each(reader, "hostile.maps", &inputs)
            .iter()
            .zip(&inputs)
            .enumerate()
        {
            // Promises that are no matter of safety are not checked in C: what this crate refuses may be read there.
            match Map::from_bytes(input) {
                Ok(_) if is_required_of_c(input) => assert_eq!(read, REFUSAL, "input {at}"),
                Ok(map) => {
                    let expected = without_reasons(&a_map(&map));
                    assert!(without_reasons(read) == expected, "input {at}: {read}");
                    maps += 1;
                }
                Err(_) => refused += usize::from(read.is_string()),
            }
        }
        assert!(maps > 40 && refused > 400, "{maps} maps, {refused} refused");
    }
}

/// Without the reasons why functions were read in part: in a damaged map the sentence may contradict what it is made of, and C reads
/// the sentence.
fn without_reasons(map: &Value) -> Value {
    let mut map = map.clone();
    let functions = map.get_mut("functions").and_then(Value::as_array_mut);
    for function in functions.into_iter().flatten() {
        function["confidence_reason"] = Value::Null;
    }
    map
}

#[test]
fn a_section_that_c_skips_is_refused_where_it_is_required() {
    let samples = Vec::from_iter(maps().iter().map(Map::to_bytes));
    let mut inputs = Vec::new();
    for skipped in SKIPPED {
        let of_sample = |sample: &Vec<u8>| {
            let at = table(sample).find(|&at| sample[at..at + 4] == *skipped)?;
            Some((sample.clone(), at))
        };
        let (mut bytes, at) = samples.iter().find_map(of_sample).unwrap();
        assert!(!is_required_of_c(&bytes));
        bytes[at + 4] = REQUIRED;
        reseal(&mut bytes);
        assert!(is_required_of_c(&bytes) && Map::from_bytes(&bytes).is_ok());
        inputs.push(bytes);
    }
    for reader in READERS.iter() {
        let answers = each(reader, "required.maps", &inputs);
        assert!(answers.iter().all(|answer| answer == REFUSAL), "{answers:?}");
    }
}

#[test]
fn a_small_file_claims_no_large_memory() {
    // The header states what the file does not hold, or more than memory.
    let good = synthetic(60, 8).to_bytes();
    let mut newer = good.clone();
    newer[8] = 9;
    let mut older = good.clone();
    older[8] = 1;
    let mut longer = good.clone();
    longer[16..24].fill(0xff);
    let mut more = good.clone();
    more[12..16].fill(0xff);
    let inputs = [
        newer,
        older,
        longer,
        more,
        good[..good.len() - 9].to_vec(),
        b"int main;\n".to_vec(),
        Vec::new(),
    ];
    for reader in READERS.iter() {
        let answers = each(reader, "small.maps", &inputs);
        let expected = [
            "newer format",
            "older format",
            "cut off",
            "cut off",
            "cut off",
            "not a progress map",
            "not a progress map",
        ];
        for (answer, expected) in answers.iter().zip(expected) {
            assert!(
                answer.as_str().is_some_and(|why| why.contains(expected)),
                "{answer}"
            );
        }
    }
}

#[test]
fn c_finds_what_stands_at_an_address() {
    let mut map = synthetic(2000, 9);
    let binding = bind(&map, 10);
    map.binding = Some(binding.clone());
    let path = file("addresses.hmap", &map.to_bytes());
    let edges = binding
        .rows
        .iter()
        .map(|row| (row.start, row.end))
        .chain(binding.functions.iter().map(|f| (f.start, f.end)))
        .chain(binding.inlines.iter().map(|i| (i.start, i.end)));
    let mut addresses =
        Vec::from_iter(edges.flat_map(|(start, end)| [start.saturating_sub(1), start, end - 1, end]));
    addresses.sort_unstable();
    addresses.dedup();
    let addresses = Vec::from_iter(addresses.into_iter().step_by(7).take(900).chain([0, u64::MAX]));
    let words = Vec::from_iter(addresses.iter().map(u64::to_string));
    for reader in READERS.iter() {
        let mut arguments = vec![path.to_str().unwrap()];
        arguments.extend(words.iter().map(String::as_str));
        let answers = printed(reader, &arguments);
        for (answer, &address) in answers.iter().zip(&addresses) {
            assert_eq!(*answer, at(&binding, address), "{address:#x}");
        }
        assert!(answers.iter().any(|answer| !answer["inline"].is_null()));
    }
}

/// The same, the slow way.
fn at(binding: &Binding, address: u64) -> Value {
    let row = binding
        .rows
        .iter()
        .find(|row| (row.start..row.end).contains(&address));
    let function = binding
        .functions
        .iter()
        .find(|f| (f.start..f.end).contains(&address));
    let depth = |inline: &BoundInline| {
        let mut depth = 1;
        let mut parent = inline.parent;
        while let Some(outer) = parent {
            depth += 1;
            parent = binding.inlines[outer as usize].parent;
        }
        depth
    };
    let mut inline: Option<&BoundInline> = None;
    for each in binding
        .inlines
        .iter()
        .filter(|each| (each.start..each.end).contains(&address))
    {
        if inline.is_none_or(|found| depth(each) > depth(found)) {
            inline = Some(each);
        }
    }
    json!({
        "row": row.map(|r| json!([r.start, r.end, a_file(r.file), r.line, r.column, r.statement])),
        "function": function.map(|f| &f.name),
        "inline": inline.map(|i| json!({
            "start": i.start,
            "end": i.end,
            "parent": i.parent,
            "function": i.function.map(base::Id::index),
            "name": i.name,
            "call": [a_file(i.call_file), i.call_line, i.call_column],
        })),
    })
}

#[test]
fn c_reads_the_map_inside_a_program() {
    let itself = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let inside = |map: &Map| {
        // A linker may have joined it with others.
        let content = [map.to_bytes(), Map::default().to_bytes()].concat();
        embed::with_section(&itself, embed::MAP, &content, embed::Kind::Joined).unwrap()
    };
    let maps = Vec::from_iter((0..4).map(arbitrary));
    let programs = Vec::from_iter(maps.iter().map(inside));
    for reader in READERS.iter() {
        for (read, map) in each(reader, "inside.programs", &programs).iter().zip(&maps) {
            assert!(*read == a_map(map), "{read}");
        }
        assert_eq!(
            each(reader, "without.programs", &[itself[..4096].to_vec()]),
            ["the program's section table is damaged"]
        );
    }
}

/// Damage in the tables that lead to the map: a small file, so that they are most of it.
#[test]
fn hostile_programs_are_a_map_or_refused() {
    let mut small = vec![0; 64];
    small[..6].copy_from_slice(b"\x7fELF\x02\x01");
    // Two sections: none, and the one with the names.
    let names = b"\0.shstrtab\0";
    let table = (64 + names.len()).next_multiple_of(8);
    small.extend_from_slice(names);
    small.resize(table + 128, 0);
    let mut put = |at: usize, bytes: &[u8]| small[at..at + bytes.len()].copy_from_slice(bytes);
    put(40, &(table as u64).to_le_bytes());
    put(52, &[64, 0, 0, 0, 0, 0, 64, 0, 2, 0, 1, 0]);
    put(table + 64, &[1, 0, 0, 0, 3, 0, 0, 0]);
    put(table + 64 + 24, &64u64.to_le_bytes());
    put(table + 64 + 32, &(names.len() as u64).to_le_bytes());
    let map = arbitrary(2);
    let program = embed::with_section(&small, embed::MAP, &map.to_bytes(), embed::Kind::Joined).unwrap();
    let mut rng = Rng(11);
    let mut inputs = vec![program.clone()];
    for _ in 0..3000 {
        let mut bytes = program.clone();
        for _ in 0..=rng.below(3) {
            let at = match rng.below(2) {
                0 => rng.below(64),
                _ => bytes.len() - 1 - rng.below(240),
            };
            bytes[at] = rng.below(256) as u8;
        }
        if rng.below(4) == 0 {
            bytes.truncate(rng.below(program.len()));
        }
        inputs.push(bytes);
    }
    for reader in READERS.iter() {
        let answers = each(reader, "hostile.programs", &inputs);
        assert!(answers[0] == a_map(&map));
        assert!(answers.iter().any(Value::is_string));
    }
}

/// The library as a user builds, installs and links it.
#[test]
fn the_library_is_installed_and_linked() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-library");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrations/c");
    for name in [
        "Makefile",
        "hindmost-map.pc.in",
        "hindmost_map.c",
        "hindmost_map.h",
    ] {
        std::fs::copy(from.join(name), directory.join(name)).unwrap();
    }
    let prefix = directory.join("prefix");
    let run = |command: &mut Command| {
        let output = command
            .current_dir(&directory)
            .output()
            .unwrap_or_else(|e| panic!("{command:?}: {e}"));
        assert!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    run(Command::new("make")
        .args(["-s", "install"])
        .arg(format!("PREFIX={}", prefix.display())));
    std::fs::write(
        directory.join("use.c"),
        "#include <hindmost_map.h>\n#include <stdio.h>\nint main(void) {\n    const char *why;\n    \
         hm_map *map = hm_read(\"text\", 4, 0, &why);\n    printf(\"%d %s\\n\", map != NULL, why);\n    return 0;\n}\n",
    )
    .unwrap();
    let flags = run(Command::new("pkg-config")
        .args(["--cflags", "--libs", "hindmost-map"])
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
    run(Command::new("cc")
        .args(["-o", "use", "use.c"])
        .args(flags.split_whitespace()));
    let said = run(Command::new("./use").env("LD_LIBRARY_PATH", prefix.join("lib")));
    assert!(said.starts_with("0 ") && said.contains("map"), "{said}");
}
