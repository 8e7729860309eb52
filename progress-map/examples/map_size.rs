//! Where the bytes of a map go, and how long it takes to write and read it.
//!
//! `cargo run --release -p progress-map --example map_size [FILE]`: a map file, or a made-up program of 100,000
//! lines. Sections and columns are numbered as in `docs/map-format.md`.

use progress_map::generate::{bind, synthetic};
use progress_map::{Map, Reader};
use std::time::{Duration, Instant};

const LINES: u32 = 100_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (map, lines) = match std::env::args_os().nth(1) {
        Some(path) => {
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            (Map::from_bytes(&bytes)?, None)
        }
        None => {
            let mut map = synthetic(LINES, 1);
            map.binding = Some(bind(&map, 2));
            (map, Some(LINES))
        }
    };
    let points: usize = map.functions.iter().map(|f| f.points.len()).sum();
    let edges: usize = map.functions.iter().map(|f| f.edges.len()).sum();
    let loops: usize = map.functions.iter().map(|f| f.loops.len()).sum();
    println!(
        "{} functions, {points} points, {edges} edges, {loops} loops",
        map.functions.len()
    );

    let bytes = map.to_bytes();
    let unbound = Map {
        binding: None,
        libraries: Vec::new(),
        ..map.clone()
    };
    let unbound_bytes = unbound.to_bytes();
    columns(&bytes);
    println!(
        "static half {} bytes, with the binding {}",
        unbound_bytes.len(),
        bytes.len()
    );
    if let Some(lines) = lines {
        let per = |bytes: usize| bytes as f64 / f64::from(lines);
        let (half, all) = (per(unbound_bytes.len()), per(bytes.len()));
        println!("bytes per line: static half {half:.3}, with the binding {all:.3}");
    }

    println!("write, static half  {}", time(|| unbound.to_bytes().len()));
    println!("write, all          {}", time(|| map.to_bytes().len()));
    println!(
        "read, static half   {}",
        time(|| Map::from_bytes(&unbound_bytes).is_ok())
    );
    println!("read, all           {}", time(|| Map::from_bytes(&bytes).is_ok()));
    let reader = Reader::new(&bytes)?;
    println!("checksums only      {}", time(|| Reader::new(&bytes).is_ok()));
    println!("index only          {}", time(|| reader.index().is_ok()));
    println!("binding only        {}", time(|| reader.bindings().is_ok()));
    if let Some(last) = map.functions.ids().last() {
        let index = reader.index()?;
        println!(
            "one function        {}",
            time(|| reader.function(&index, last).is_ok())
        );
    }
    Ok(())
}

/// The mean processor time of some runs: unlike the time on the wall, it does not grow with what else the machine does.
fn time<T>(mut work: impl FnMut() -> T) -> String {
    const RUNS: u32 = 20;
    let start = Instant::now();
    let before = processor_time();
    for _ in 0..RUNS {
        std::hint::black_box(work());
    }
    match before.zip(processor_time()) {
        Some((before, after)) => format!("{:?} of processor time", (after - before) / RUNS),
        None => format!("{:?}", start.elapsed() / RUNS),
    }
}

/// What the kernel has counted for this thread, where it does.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// Reads the section table and the column directories, as the format's page describes them.
fn columns(bytes: &[u8]) {
    let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let count = u32_at(12) as usize;
    let mut start = 32 + 24 * count;
    for entry in (32..start).step_by(24) {
        let length = u32_at(entry + 8) as usize;
        println!(
            "{}  {length} bytes",
            String::from_utf8_lossy(&bytes[entry..entry + 4])
        );
        let mut at = start;
        let mut number = || {
            let (mut value, mut shift) = (0, 0);
            loop {
                let byte = bytes[at];
                at += 1;
                value |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    return value;
                }
            }
        };
        for _ in 0..number() {
            println!(
                "  column {:2}  raw {:8}  stored {:8}",
                number(),
                number(),
                number()
            );
        }
        start += length;
    }
}
