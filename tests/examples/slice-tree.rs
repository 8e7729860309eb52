//! Times the dependence graph of a tree and slices in it: `slice-tree DIR [FILE:LINE]…`.

use engine::{SliceOptions, SourceFile, dependence_graph};
use std::sync::Mutex;
use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(tree) = args.next() else {
        eprintln!("usage: slice-tree DIR [FILE:LINE]…");
        std::process::exit(2);
    };
    let entries = walkdir::WalkDir::new(&tree)
        .sort_by_file_name()
        .into_iter()
        .flatten();
    let is_source = |path: &std::path::Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("c" | "h" | "cpp" | "hpp" | "cc" | "cxx"))
    };
    let files: Vec<SourceFile> = entries
        .filter(|entry| is_source(entry.path()))
        .filter_map(|entry| {
            let bytes = std::fs::read(entry.path()).ok()?;
            let path = entry.path().display().to_string();
            Some(SourceFile { path, bytes })
        })
        .collect();
    let lines: usize = files
        .iter()
        .map(|file| file.bytes.iter().filter(|&&byte| byte == b'\n').count())
        .sum();
    let parsed = Mutex::new(Instant::now());
    let graph = dependence_graph(files, None, &|step| {
        if matches!(step, engine::Step::Analysing) {
            *parsed.lock().unwrap_or_else(|error| error.into_inner()) = Instant::now();
        }
    })
    .unwrap();
    let built = parsed
        .into_inner()
        .unwrap_or_else(|error| error.into_inner())
        .elapsed();
    let (nodes, functions, edges) = graph.counts();
    println!(
        "{lines} lines, {functions} functions, {nodes} nodes, {edges} edges; graph {:.2} s, {:.0} lines/s",
        built.as_secs_f64(),
        lines as f64 / built.as_secs_f64()
    );
    for place in args {
        let Some((file, line)) = place.rsplit_once(':') else {
            continue;
        };
        let Ok(line) = line.parse() else { continue };
        let started = Instant::now();
        match graph.slice_at(file, line, None, SliceOptions::default()) {
            Ok(slice) => {
                println!(
                    "{place}: {} statements in {:.1} ms",
                    slice.statements.len(),
                    started.elapsed().as_secs_f64() * 1e3
                );
                for (number, each) in slice.statements.iter().take(40).enumerate() {
                    println!(
                        "  {number:3} [{}] {}:{} {} {:?} {:?} of {:?}",
                        each.distance,
                        each.file.rsplit('/').next().unwrap_or_default(),
                        each.line,
                        each.function,
                        each.because.kind,
                        each.because.name,
                        each.because.of
                    );
                }
            }
            Err(error) => println!("{place}: {error}"),
        }
    }
}
