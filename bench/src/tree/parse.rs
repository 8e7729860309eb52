//! The grammar alone: every file parsed once in the language of its ending, and the tree dropped.

use crate::read;
use base::FileKind;
use std::path::{Path, PathBuf};
use std::time::Instant;
use walkdir::WalkDir;

pub(crate) fn print(tree: &Path) -> Result<(), String> {
    let files = files(tree)?;
    let texts = files
        .iter()
        .map(|path| read(path))
        .collect::<Result<Vec<_>, String>>()?;
    let mut parser = tree_sitter::Parser::new();
    let mut broken = 0;
    let start = Instant::now();
    let before = processor_time();
    for (path, text) in files.iter().zip(&texts) {
        let language = match FileKind::of(&path.to_string_lossy()) {
            Some(FileKind::C | FileKind::Header) => tree_sitter_c::LANGUAGE,
            _ => tree_sitter_cpp::LANGUAGE,
        };
        let set = parser.set_language(&language.into());
        set.map_err(|error| error.to_string())?;
        let parsed = parser.parse(text, None);
        broken += usize::from(parsed.is_none_or(|tree| tree.root_node().has_error()));
    }
    let bytes: usize = texts.iter().map(Vec::len).sum();
    println!(
        "{:.2} s, {:.2} s of processor time, on one thread; {} files, {:.1} MB, {broken} of them with errors",
        start.elapsed().as_secs_f64(),
        processor_time() - before,
        texts.len(),
        bytes as f64 / 1e6
    );
    Ok(())
}

/// Seconds that this program has computed; 0 where the system does not tell.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn files(tree: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for entry in WalkDir::new(tree).sort_by_file_name() {
        let entry = entry.map_err(|error| error.to_string())?;
        let kind = FileKind::of(&entry.path().to_string_lossy());
        if kind.is_some_and(FileKind::is_c_or_cxx) && entry.file_type().is_file() {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}
