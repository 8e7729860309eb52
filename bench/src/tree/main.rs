//! `tree-bench`: figures of a real source tree, for `cargo xtask bench --tree`.
//!
//! * `tree-bench parse DIR`: the grammar alone over the same files, as the least that any front end costs.
//! * `tree-bench map MAP LINES`: what a map holds: size, loading, confidence, loops by their variables.
//! * `tree-bench compiled MAP ELF`: a bound map against the line table and the call instructions of the build.

mod calls;
mod causes;
mod compiled;
mod figures;
mod lines;
mod parse;

use progress_map::Map;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["parse", tree] => parse::print(Path::new(tree)),
        ["map", map, lines] => match lines.parse() {
            Ok(lines) => figures::print(Path::new(map), lines),
            Err(_) => Err(format!("{lines} is no number of lines")),
        },
        ["compiled", map, elf] => compiled::print(Path::new(map), Path::new(elf)),
        _ => Err("give parse DIR, map MAP LINES, or compiled MAP ELF".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("tree-bench: {reason}");
            ExitCode::from(2)
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn read_map(path: &Path) -> Result<Map, String> {
    Map::from_bytes(&read(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// `part` of `whole` in percent; all of nothing is everything.
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        100.0
    } else {
        part as f64 * 100.0 / whole as f64
    }
}
