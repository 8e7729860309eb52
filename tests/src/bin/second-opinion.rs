//! `second-opinion [--compiler CC] [--plugin FILE] [--all] PATH… -- FLAGS…`: the two C parsers held against each other on real trees; with a plugin for gcc the
//! tolerant one and what gcc itself has understood.
//!
//! PATHs are C files or directories, with a plugin of C++ too; with --all every difference without a cause is named; FLAGS are what the compiler needs (-I, -D). Exit code 0: no difference without a
//! cause; 1: some; 2: the comparison itself failed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tests::second::{Detail, Plugin, compare};
use walkdir::WalkDir;

const USAGE: &str = "usage: second-opinion [--compiler CC] [--plugin FILE] [--all] PATH... [-- FLAGS...]";

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(reason) => {
            eprintln!("second-opinion: {reason}");
            ExitCode::from(2)
        }
    }
}

fn run(mut args: impl Iterator<Item = String>) -> Result<usize, String> {
    let mut compiler = "gcc".to_owned();
    let (mut plugin, mut names_all) = (None, false);
    let (mut paths, mut flags) = (Vec::new(), Vec::new());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--compiler" => compiler = args.next().ok_or(USAGE)?,
            "--plugin" => plugin = Some(PathBuf::from(args.next().ok_or(USAGE)?)),
            "--all" => names_all = true,
            "--" => flags.extend(args.by_ref()),
            path => paths.push(PathBuf::from(path)),
        }
    }
    if paths.is_empty() {
        return Err(USAGE.to_owned());
    }
    let (mut files, mut headers) = (Vec::new(), Vec::new());
    let walks = paths
        .iter()
        .flat_map(|path| WalkDir::new(path).sort_by_file_name());
    for entry in walks
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
    {
        match entry.path().extension().and_then(|ending| ending.to_str()) {
            Some("c") => files.push(entry.into_path()),
            Some("cc" | "cpp" | "cxx" | "C") if plugin.is_some() => files.push(entry.into_path()),
            Some("h") => headers.push(entry.into_path()),
            _ => {}
        }
    }
    // Headers beside the files: what the flags name.
    for directory in flags.iter().filter_map(|flag| flag.strip_prefix("-I")) {
        headers.extend(headers_of(Path::new(directory)));
    }
    headers.sort();
    headers.dedup();
    let found = match &plugin {
        Some(plugin) => Plugin {
            gcc: &compiler,
            plugin,
            flags: &flags,
        }
        .compare(&files, &headers, &std::env::temp_dir())?,
        None => compare(&files, &headers, &compiler, &flags, Detail::Effects)?,
    };
    if names_all {
        print!("{found:#}");
    } else {
        print!("{found}");
    }
    Ok(found.faults.len())
}

fn headers_of(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "h") && path.is_file())
        .collect()
}
