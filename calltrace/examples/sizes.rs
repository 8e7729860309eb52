//! What traces take beside ParLOT's code and `zstd -3` of the same events, and how fast they are read: `cargo run --release -p calltrace --example sizes -- DIR`.

use calltrace::{Event, Trace};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[path = "../tests/streams/parlot.rs"]
mod parlot;

/// Events that are compared, at most: the first ones.
const MOST: usize = 50_000_000;

fn main() -> std::io::Result<()> {
    let mut files: Vec<PathBuf> = Vec::new();
    for argument in std::env::args_os().skip(1) {
        let path = Path::new(&argument);
        if path.is_dir() {
            let entries = std::fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
            files.extend(entries.iter().map(std::fs::DirEntry::path));
        } else {
            files.push(path.to_owned());
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "trace"));
    files.sort();
    println!(
        "events: bytes; ParLOT, zstd -3 of 16-bit values; zstd -3 of ours; million events read a second; trace"
    );
    for path in files {
        let bytes = std::fs::read(&path)?;
        let Ok(trace) = Trace::read(&bytes) else { continue };
        let begun = Instant::now();
        let count = trace.events().take_while(Result::is_ok).count();
        let rate = count as f64 / begun.elapsed().as_secs_f64() / 1e6;
        let events = Vec::from_iter(trace.events().map_while(Result::ok).take(MOST));
        let is_small = |event: &Event| match event {
            Event::Enter(function) => u16::try_from(function.number()).is_ok(),
            Event::Exit => true,
        };
        let mut told = "is not defined, is not defined".to_owned();
        if events.iter().all(is_small) {
            let symbols = parlot::symbols(&events);
            let of_parlot = parlot::encoded(&symbols);
            assert!(
                parlot::decoded(&of_parlot, symbols.len()) == symbols,
                "the baseline must be a code"
            );
            let raw = Vec::from_iter(symbols.iter().flat_map(|symbol| symbol.to_le_bytes()));
            told = format!("{}, {}", of_parlot.len(), zstd::bulk::compress(&raw, 3)?.len());
        }
        let tokens = Vec::from_iter(trace.tokens().flatten().copied());
        let staged = zstd::bulk::compress(&tokens, 3)?.len();
        println!(
            "{count}: {}; {told}; {staged}; {rate:.0}; {}",
            trace.bytes(),
            path.display()
        );
    }
    Ok(())
}
