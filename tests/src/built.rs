//! What cargo has built with the tests and they use as a file.

use std::path::PathBuf;

/// The static library that a crate of the runtime is, such as `runtime_gcc`, for compilers to link. The crate `tests` depends on it, so it lies beside each of its tests,
/// built with the same features as they; files of the same name with another hash are of earlier builds.
///
/// # Panics
/// If there is none.
pub fn runtime(name: &str) -> PathBuf {
    let beside = std::fs::read_dir(programs().join("deps")).expect("its directory can be read");
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

/// A directory for what several tests make once. Nobody removes it but who removes all that was built.
pub fn scratch() -> PathBuf {
    programs().join("../tmp/tests")
}

/// Where programs lie that are built as these tests are.
fn programs() -> PathBuf {
    let mut directory = std::env::current_exe().expect("a test has a file");
    directory.pop();
    // Tests lie one directory deeper.
    if directory.ends_with("deps") {
        directory.pop();
    }
    directory
}
