//! What traces take, as hooks make them and packed, beside ParLOT's code and `zstd -3` of the same events; what their stamps take; and how fast they are read: `cargo run --release -p calltrace --example sizes -- DIR`.

use calltrace::{Event, Stamps, Trace, packed};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

#[path = "../tests/streams/parlot.rs"]
mod parlot;

/// Events that are compared, at most: the first ones.
const MOST: usize = 50_000_000;

/// Nanoseconds that this thread had a processor: what the machine does besides does not count.
fn processor_time() -> io::Result<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = text.split_whitespace().next().and_then(|word| word.parse().ok());
    first.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// A file and what was packed of it; nothing where there is none.
fn read(plain: &Path) -> io::Result<[Vec<u8>; 2]> {
    let packed = PathBuf::from(format!("{}-packed", plain.display()));
    let read = |path: &Path| match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        bytes => bytes,
    };
    Ok([read(plain)?, read(&packed)?])
}

/// Bytes of a file when it is packed to its end.
fn packed_size(plain: &[u8], read: impl Fn(&[u8], &[u8]) -> Option<usize>) -> Option<usize> {
    read(&[], &packed::whole(plain, 0)?)
}

fn main() -> io::Result<()> {
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
    let names = files.iter().map(|path| path.display().to_string());
    let names = names.map(|name| name.trim_end_matches("-packed").to_owned());
    let names: BTreeSet<String> = names.filter(|name| name.ends_with(".trace")).collect();
    println!(
        "events: bytes, packed; ParLOT, zstd -3 of 16-bit values; bytes of stamps, packed; million events read a second of processor time; trace"
    );
    for name in names {
        let path = Path::new(&name);
        let [plain, packed] = read(path)?;
        let Ok(trace) = Trace::of(&plain, &packed) else {
            continue;
        };
        let of_trace = |plain: &[u8], packed: &[u8]| Some(Trace::of(plain, packed).ok()?.bytes());
        let whole = packed_size(&plain, of_trace).unwrap_or(trace.bytes());
        let [plain, packed] = read(&path.with_extension("stamps"))?;
        let of_stamps = |plain: &[u8], packed: &[u8]| Some(Stamps::of(plain, packed).ok()?.bytes());
        let stamps = of_stamps(&plain, &packed).unwrap_or(0);
        let whole_stamps = packed_size(&plain, of_stamps).unwrap_or(stamps);
        let begun = processor_time()?;
        let count = trace.events().take_while(Result::is_ok).count();
        let rate = count as f64 / (processor_time()? - begun) * 1e3;
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
        println!(
            "{count}: {}, {whole}; {told}; {stamps}, {whole_stamps}; {rate:.0}; {name}",
            trace.bytes()
        );
    }
    Ok(())
}
