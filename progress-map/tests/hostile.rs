//! Any bytes at all give a valid map or an error: no panic, and no more than 64 MiB of memory.
//!
//! Memory is bounded by the kernel: the test runs itself again under `ulimit -d`, where an allocation beyond the
//! limit aborts the process.

use progress_map::generate::{Rng, arbitrary, bind, reseal, synthetic, verbatim_bytes};
use progress_map::{Map, ReadError, Reader};
use std::process::Command;

const LIMIT_KIB: u32 = 64 << 10;
const LIMITED: &str = "HINDMOST_TEST_MEMORY_LIMITED";

/// Runs `work` in a process of its own that may not allocate more than the limit.
fn limited(test: &str, work: fn()) {
    if std::env::var_os(LIMITED).is_some() {
        let beyond = Vec::<u8>::new().try_reserve_exact(LIMIT_KIB as usize * 1024);
        assert!(beyond.is_err(), "the limit is not enforced here");
        work();
        return;
    }
    let program = std::env::current_exe().unwrap();
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -d {LIMIT_KIB} && exec \"$0\" --exact {test}"))
        .arg(program)
        .env(LIMITED, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// What every reading of hostile bytes must keep. Returns whether they were a map.
fn check(bytes: &[u8]) -> bool {
    let whole = Map::from_bytes(bytes);
    match &whole {
        Ok(map) => assert_eq!(map.validate(), Ok(())),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    // The lazy paths validate piece by piece, so they must be safe by themselves.
    if let Ok(reader) = Reader::new(bytes) {
        let _ = reader.bindings();
        let _ = reader.diagnostics();
        if let Ok(index) = reader.index() {
            for (id, _) in index.heads() {
                let function = reader.function(&index, id);
                assert!(whole.is_err() || matches!(function, Ok(Some(_))));
            }
        }
    }
    whole.is_ok()
}

fn samples() -> Vec<Map> {
    let mut bound = synthetic(120, 5);
    bound.binding = Some(bind(&bound, 6));
    let mut maps = vec![bound];
    maps.extend((0..40).map(arbitrary));
    maps
}

#[test]
fn every_truncation_is_an_error() {
    let mut longer = synthetic(300, 5);
    longer.binding = Some(bind(&longer, 6));
    for map in samples().iter().chain([&longer]) {
        let bytes = map.to_bytes();
        for length in 0..bytes.len() {
            let error = Map::from_bytes(&bytes[..length]).unwrap_err();
            let expected = match length {
                0 => matches!(error, ReadError::NotAMap),
                _ => matches!(error, ReadError::Truncated { have, .. } if have == length as u64),
            };
            assert!(expected, "{length} of {}: {error}", bytes.len());
        }
    }
}

#[test]
fn flipped_bytes_are_noticed() {
    let mut rng = Rng(11);
    for map in samples() {
        let bytes = map.to_bytes();
        for _ in 0..500 {
            let mut changed = bytes.clone();
            let at = rng.below(changed.len());
            changed[at] ^= 1 << rng.below(8);
            assert!(Map::from_bytes(&changed).is_err(), "byte {at} of {}", bytes.len());
        }
    }
}

/// The checksums are made right again after every mutation, so that the decoders see it.
fn mutate_and_read() {
    let mut rng = Rng(12);
    let samples = Vec::from_iter(
        samples()
            .iter()
            .flat_map(|map| [verbatim_bytes(map), map.to_bytes()]),
    );
    let (mut maps, mut errors) = (0, 0);
    for round in 0..100_000 {
        // Mostly verbatim ones: little gets through the inflating of a changed column.
        let sample = &samples[if rng.one_in(5) { 1 } else { 0 } + 2 * rng.below(samples.len() / 2)];
        let mut bytes = sample.clone();
        for _ in 0..1 + rng.below(3) {
            mutate(&mut rng, &mut bytes);
        }
        if round % 10 != 0 {
            reseal(&mut bytes);
        }
        if check(&bytes) { maps += 1 } else { errors += 1 }
    }
    // Both must occur often, or the test does not test what it says.
    assert!(maps > 5_000 && errors > 50_000, "{maps} maps, {errors} errors");
}

fn mutate(rng: &mut Rng, bytes: &mut [u8]) {
    // The header is small and each of its bytes decides much: it gets a share of its own.
    let limit = if rng.one_in(8) {
        bytes.len().min(320)
    } else {
        bytes.len()
    };
    let at = rng.below(limit.max(1)).min(bytes.len().saturating_sub(1));
    let Some(byte) = bytes.get_mut(at) else { return };
    match rng.below(6) {
        0 => *byte ^= 1 << rng.below(8),
        1 => *byte = rng.bits() as u8,
        2 => *byte = rng.pick(&[0, 1, 0x7f, 0x80, 0xff]),
        3 => {
            // A long number, for a count that claims the world.
            let end = (at + 1 + rng.below(9)).min(bytes.len());
            bytes[at..end].fill(0xff);
        }
        4 => {
            let from = rng.below(bytes.len());
            let length = rng.below(16).min(bytes.len() - from.max(at));
            bytes.copy_within(from..from + length, at);
        }
        _ => *byte = byte.wrapping_add(rng.pick(&[1, 255])),
    }
}

#[test]
fn mutations_give_a_valid_map_or_an_error() {
    limited("mutations_give_a_valid_map_or_an_error", mutate_and_read);
}

/// A file of `columns` in a section `tag`, all else as an empty map has it.
fn with_section(tag: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let empty = Map::default().to_bytes();
    let count = u32::from_le_bytes([empty[12], empty[13], empty[14], empty[15]]) as usize;
    let mut at = 32 + 24 * count;
    let (mut table, mut sections) = (Vec::new(), Vec::new());
    for entry in empty[32..at].chunks_exact(24) {
        let old = &empty[at..at + entry[8] as usize];
        at += old.len();
        let new = if &entry[..4] == tag { content } else { old };
        table.extend_from_slice(&entry[..8]);
        table.extend_from_slice(&(new.len() as u64).to_le_bytes());
        table.extend_from_slice(&[0; 8]);
        sections.extend_from_slice(new);
    }
    let mut bytes = [&empty[..32], &table, &sections].concat();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let length = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    reseal(&mut bytes);
    bytes
}

fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A directory of one column and its content.
fn column(column: usize, raw: usize, stored: &[u8]) -> Vec<u8> {
    [
        &number(1),
        &number(column),
        &number(raw),
        &number(stored.len()),
        stored,
    ]
    .concat()
}

fn read_bombs() {
    assert!(check(&with_section(b"STRS", &[0])));
    // 200 MB of zeros deflated to 200 KB, for every section.
    let zeros = miniz_bomb();
    for tag in [b"STRS", b"FILE", b"HEAD", b"DIAG"] {
        for number in [0, 1, 2, 9, 55] {
            let bytes = with_section(tag, &column(number, 200_000_000, &zeros));
            let error = Map::from_bytes(&bytes).unwrap_err();
            assert!(matches!(error, ReadError::TooLarge { .. }), "{error}");
        }
        // A column that states less or more than it inflates to, more than deflate can do, or all there is.
        for raw in [zeros.len() + 1, 2_000_000, usize::MAX / 2, usize::MAX] {
            assert!(!check(&with_section(tag, &column(1, raw, &zeros))));
        }
        // A column that is not there although its length is stated.
        assert!(!check(&with_section(tag, &[1, 0, 5, 5])));
        assert!(!check(&with_section(tag, &[0xff, 0xff, 0xff, 0xff, 0x0f])));
        assert!(!check(&with_section(tag, &[])));
    }
    // A string of 100 KB, named 100,000 times.
    let long = vec![b'x'; 100_000];
    let directory = [
        &[2, 0],
        &number(3)[..],
        &number(3),
        &[1],
        &number(100_000),
        &number(100_000),
    ]
    .concat();
    let table = [&directory, &number(100_000), &long[..]].concat();
    let bytes = with_section(b"STRS", &table);
    assert!(check(&bytes));
    // Sections beyond number in the header.
    let mut bytes = Map::default().to_bytes();
    bytes[12..16].fill(0xff);
    assert!(!check(&bytes));
    // Diagnostics that all name one long string: refused before they are made.
    let count = 10_000;
    let content = [
        &[7][..],
        &[&[0][..], &number(count), &number(count)].concat(),
        &[&[1][..], &number(count), &number(count)].concat(),
        &[&[2][..], &number(count), &number(count)].concat(),
        &[&[3][..], &number(count), &number(count)].concat(),
        &[&[4][..], &number(count), &number(count)].concat(),
        &[&[5][..], &number(count), &number(count)].concat(),
        &[&[6][..], &number(count), &number(count)].concat(),
        &vec![0; 7 * count],
    ]
    .concat();
    let with_long = with_both(&table, &content);
    let error = Map::from_bytes(&with_long).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { .. }), "{error}");
    assert!(!check(&with_long));
}

/// An empty map's record with the string table and the diagnostics given.
fn with_both(strings: &[u8], diagnostics: &[u8]) -> Vec<u8> {
    let first = with_section(b"STRS", strings);
    let at = 32 + 24 * usize::from(first[12]);
    let entry = first[32..at]
        .chunks_exact(24)
        .position(|entry| &entry[..4] == b"DIAG")
        .unwrap();
    let mut bytes = first.clone();
    let length = |bytes: &[u8], i: usize| {
        let field = 32 + 24 * i + 8;
        u64::from_le_bytes(bytes[field..field + 8].try_into().unwrap()) as usize
    };
    let start = at + (0..entry).map(|i| length(&first, i)).sum::<usize>();
    bytes.splice(start..start + length(&first, entry), diagnostics.iter().copied());
    bytes.truncate(start + diagnostics.len());
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let total = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&total.to_le_bytes());
    let field = 32 + 24 * entry + 8;
    bytes[field..field + 8].copy_from_slice(&(diagnostics.len() as u64).to_le_bytes());
    reseal(&mut bytes);
    bytes
}

/// A valid deflate stream of 200,000,000 zeros: one block of fixed codes with a literal zero and then copies of 258
/// bytes at distance 1, made by hand because a compressor would have to hold the input.
fn miniz_bomb() -> Vec<u8> {
    let mut bits = Vec::new();
    let mut pending = (0u32, 0);
    let mut put = |code: u32, length: u32, reversed: bool| {
        for i in 0..length {
            let bit = if reversed {
                code >> (length - 1 - i) & 1
            } else {
                code >> i & 1
            };
            pending.0 |= bit << pending.1;
            pending.1 += 1;
            if pending.1 == 8 {
                bits.push(pending.0 as u8);
                pending = (0, 0);
            }
        }
    };
    put(1, 1, false);
    put(1, 2, false);
    put(0x30, 8, true);
    for _ in 0..(200_000_000 - 1) / 258 {
        // Length code 285 is 8 bits 11000101, distance code 0 is 5 bits.
        put(0xc5, 8, true);
        put(0, 5, true);
    }
    put(0, 7, true);
    put(0, 7, false);
    bits
}

#[test]
fn bombs_are_refused_before_they_go_off() {
    limited("bombs_are_refused_before_they_go_off", read_bombs);
}
