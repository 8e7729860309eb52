//! The command as a user runs it: the real binary on real files and real processes. Jobs under MPI are tested in
//! `tests`.

mod bad_input;
mod browser;
mod build_systems;
mod cache;
mod changed;
mod check;
mod editor;
mod embedded;
mod events_page;
mod exact;
mod find;
mod hostile_files;
mod hosts;
mod joined;
mod libraries;
mod lsp;
mod map;
mod names;
mod order;
mod outputs;
mod page;
mod pages;
mod parts;
mod preprocess;
mod rights;
mod sarif;
mod schemas;
mod served;
mod show;
mod support;
mod traced;
mod traced_packed;
mod tree;
mod view;
mod watch;

/// A file that is not a module would silently not be tested.
#[test]
fn no_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command");
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(here).unwrap() {
        let path = entry.unwrap().path();
        // Programs in C are compiled by tests.
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            name == "main" || main.contains(&format!("mod {name};")),
            "{name}.rs is no module of main.rs"
        );
    }
}
