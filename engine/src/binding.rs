//! A map and a build of the program.
//!
//! Binding itself is `bind`'s; this is the way to it for surfaces, which see only the facade.

pub use bind::{
    BindError, CodeLine, DebugHints, Identity, Language, Mismatch, Needs, OtherSource, Program, SourceUnit,
    Sources as ProgramSources,
};
pub use bind::{
    bind as bind_map, bind_code, bind_library, bind_program, build_id_at_head, check as check_map,
    code_lines, compiled_files, identity, needs, sources as executable_sources,
};

/// A build-id as tools print it: lower-case hexadecimal.
pub fn build_id_text(build_id: &[u8]) -> String {
    String::from_iter(build_id.iter().map(|byte| format!("{byte:02x}")))
}
