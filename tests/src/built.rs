//! What cargo has built with the tests and they use as a file.

use std::path::PathBuf;

/// The static library that a crate of the runtime is, such as `runtime_gcc`, for compilers to link. The crate `tests` depends on it, so it lies beside each of its tests,
/// built with the same features as they; files of the same name with another hash are of earlier builds.
///
/// # Panics
/// If there is none.
pub fn runtime(name: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("a test has a file");
    let mut beside = tests.with_file_name("");
    // Programs lie one directory higher than tests.
    if !beside.ends_with("deps") {
        beside.push("deps");
    }
    let beside = std::fs::read_dir(beside).expect("its directory can be read");
    let prefix = format!("lib{name}-");
    let built = beside.filter_map(Result::ok).filter(|file| {
        let name = file.file_name();
        name.to_str()
            .is_some_and(|name| name.starts_with(&prefix) && name.ends_with(".a"))
    });
    let newest = built.max_by_key(|file| file.metadata().and_then(|about| about.modified()).ok());
    newest
        .unwrap_or_else(|| panic!("{name} is built with the tests"))
        .path()
}
