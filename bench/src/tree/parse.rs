//! The grammar alone: every C file parsed once, and the tree dropped.

use crate::read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use walkdir::WalkDir;

pub(crate) fn print(threads: usize, tree: &Path) -> Result<(), String> {
    let files = files(tree)?;
    let texts = files
        .iter()
        .map(|path| read(path))
        .collect::<Result<Vec<_>, String>>()?;
    let next = AtomicUsize::new(0);
    let broken = AtomicUsize::new(0);
    let start = Instant::now();
    let worker = || -> Result<(), String> {
        let mut parser = tree_sitter::Parser::new();
        let language = tree_sitter_c::LANGUAGE.into();
        parser
            .set_language(&language)
            .map_err(|error| error.to_string())?;
        while let Some(text) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let parsed = parser.parse(text, None);
            let clean = parsed.is_some_and(|tree| !tree.root_node().has_error());
            broken.fetch_add(usize::from(!clean), Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers = Vec::from_iter((0..threads.max(1)).map(|_| scope.spawn(worker)));
        workers.into_iter().try_for_each(|each| {
            each.join()
                .unwrap_or_else(|_| Err("a parser panicked".to_owned()))
        })
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let bytes: usize = texts.iter().map(Vec::len).sum();
    println!(
        "{seconds:.2} s for {} files, {:.1} MB; {} of them with errors",
        files.len(),
        bytes as f64 / 1e6,
        broken.into_inner()
    );
    Ok(())
}

fn files(tree: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for entry in WalkDir::new(tree).sort_by_file_name() {
        let entry = entry.map_err(|error| error.to_string())?;
        let is_c = entry
            .path()
            .extension()
            .is_some_and(|end| end == "c" || end == "h");
        if is_c && entry.file_type().is_file() {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}
