//! The fuzzer: libFuzzer around the check of one target. Started by `cargo xtask fuzz`, which instruments the code.
//!
//! `HINDMOST_FUZZ_TARGET` names the target. When `HINDMOST_FUZZ_SEEDS` names a directory, the seeds that are made at run
//! time are put there before the fuzzer reads its corpus.
#![no_main]

use fuzz::{Target, target};
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::LazyLock;

static TARGET: LazyLock<&'static Target> = LazyLock::new(|| {
    let name = std::env::var("HINDMOST_FUZZ_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("HINDMOST_FUZZ_TARGET: there is no target '{name}'"))
});

fn begin() {
    if let Some(directory) = std::env::var_os("HINDMOST_FUZZ_SEEDS") {
        for (name, bytes) in (TARGET.seeds)() {
            let path = Path::new(&directory).join(name);
            std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
}

fuzz_target!(init: begin(), |data: &[u8]| {
    (TARGET.check)(data);
});
