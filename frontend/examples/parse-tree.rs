//! Reads every C file below some directories and prints how well its functions were understood, and why not.
//!
//! `cargo run --release -p frontend --example parse-tree DIR... [-v]`

use base::{Confidence, FileKind};
use frontend::{Macros, Source, parse};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let (options, roots): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with('-'));
    if roots.is_empty() {
        eprintln!("usage: parse-tree DIR... [-v]");
        std::process::exit(2);
    }
    let verbose = options.iter().any(|arg| arg == "-v");
    let mut paths = Vec::new();
    for root in &roots {
        find(Path::new(root), &mut paths)?;
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        files.push((path.display().to_string(), std::fs::read(&path)?));
    }
    let sources = || files.iter().map(|(path, text)| Source { path, text });
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    let start = Instant::now();
    let macros = Macros::gather(sources());
    let gathered = start.elapsed();
    let start = Instant::now();
    let mut by_confidence: BTreeMap<Confidence, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let (mut diagnostics, mut slowest) = (0, Vec::new());
    for source in sources() {
        let begun = Instant::now();
        let unit = parse(&source, &macros);
        slowest.push((begun.elapsed(), source.path));
        diagnostics += unit.diagnostics.len();
        for diagnostic in unit.diagnostics.iter().filter(|_| verbose) {
            println!("{diagnostic}");
        }
        for function in &unit.functions {
            *by_confidence.entry(function.confidence).or_default() += 1;
            if let Some(reason) = &function.confidence_reason {
                if verbose {
                    println!(
                        "{}: {}: {:?}: {reason}",
                        source.path, function.name, function.confidence
                    );
                }
                let kind = format!("{:?}: {}", function.confidence, reason.cause.code());
                *reasons.entry(kind).or_default() += 1;
            }
        }
    }
    let elapsed = start.elapsed();
    let speed = |seconds: f64| bytes as f64 / 1e6 / seconds;
    println!(
        "{} files, {:.1} MB, {diagnostics} diagnostics",
        files.len(),
        bytes as f64 / 1e6
    );
    println!(
        "gather {:.2} s, {:.0} MB/s",
        gathered.as_secs_f64(),
        speed(gathered.as_secs_f64())
    );
    println!(
        "parse {:.2} s, {:.1} MB/s",
        elapsed.as_secs_f64(),
        speed(elapsed.as_secs_f64())
    );
    slowest.sort();
    for (time, path) in slowest.iter().rev().take(3) {
        println!("  {time:.2?} {path}");
    }
    let total: usize = by_confidence.values().sum();
    for (confidence, count) in by_confidence {
        println!(
            "{confidence:?}: {count} of {total} functions, {:.2} %",
            100.0 * count as f64 / total as f64
        );
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (reason, count) in reasons.iter().take(40) {
        println!("{count:6}  {reason}");
    }
    Ok(())
}

fn find(directory: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let is_link = path.symlink_metadata()?.is_symlink();
        if path.is_dir() && !is_link {
            find(&path, found)?;
        } else if FileKind::of(&path.to_string_lossy()).is_some_and(FileKind::is_c_or_cxx) && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}
