//! Ties a map to one build of an executable: ELF and DWARF to ranges of addresses and places of variables.
//!
//! [`bind`] fills [`Map::binding`](progress_map::Map::binding) from the bytes of an executable or shared library. A map is made of
//! sources and knows functions, loops and the variables that order them; a stopped task shows program counters,
//! registers and memory. Debug info connects the two, and after binding neither it nor the sources are needed: rows
//! lead from an address to a source position, functions and inlined calls to the calls that are open there, variables
//! to the place of each value.
//!
//! What debug info does not say, or says in a way that could be read wrongly, is left out and reported. No I/O
//! happens here: bytes come in, values go out.
//!
//! # How it works
//!
//! `assemble` goes through the phases:
//!
//! 1. *Read.* `debug` hides which section, unit or file an entry of DWARF is in; `walk` makes a forest of functions and
//!    the calls inlined into them; `lines` and `paths` say which file and line an address has.
//! 2. *Identify.* `functions` finds the map's function for each function of the debug info.
//! 3. *Variables.* `wanted` lists those that the map asks for, `variables` finds their places, and `expression` rewrites
//!    the places so that the probe needs no debug info to evaluate them.
//! 4. *Calls.* `call_sites`, `calls` and `passed` tell what call instructions call and pass, `merged` and `stand_ins` which calls of the
//!    source share an instruction, `flow` which instruction may follow which and what is counted in registers and in slots, which `objects` tells from variables.
//! 5. *Doubt.* An optimising compiler may describe a place that does not hold the value that the source has there. `backwards`,
//!    `hidden`, `overwritten`, `steady` and `moved` take such places back.
//!
//! Three answers need no map: the sources of a build (`sources`), the directories of its headers, and the function and line of
//! an address (`symbolize`).

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod assemble;
mod at_calls;
mod backwards;
mod body;
mod call_sites;
mod calls;
mod carried;
mod code;
mod compiled;
mod debug;
mod declared;
mod described;
mod effects;
mod elf;
mod error;
mod expression;
mod flow;
mod functions;
mod handed;
mod hidden;
mod landing;
mod lines;
mod locations;
mod meetings;
mod merged;
mod moved;
mod objects;
mod optimised;
mod overwritten;
mod passed;
mod paths;
mod pieces;
mod points_at;
mod positions;
mod range;
mod registers;
mod report;
mod sections;
mod sites;
mod sources;
mod stack;
mod stand_ins;
mod steady;
mod symbolize;
mod trouble;
mod typed;
mod types;
mod unwinding;
mod variables;
mod walk;
mod wanted;

pub use compiled::CompiledFile;
pub use elf::{DebugHints, Identity, build_id_at_head};
pub use error::{BindError, Mismatch};
pub use sections::{Needs, Program};
pub use sources::{Language, OtherSource, SourceUnit, Sources};
pub use symbolize::{CodeLine, code_lines};

use base::Diagnostic;
use debug::Debug;
use elf::Image;
use error::hex;
use progress_map::{Binding, MachineCode, Map};
use sections::Sections;
use std::collections::BTreeMap;

/// Binds `map` to an executable whose debug info is in itself or in the separate file `debug`.
///
/// `path` names the executable in messages. Returns what could not be bound, and why.
///
/// # Errors
/// When there can be no binding at all; the map is then left as it was.
pub fn bind(
    map: &mut Map,
    executable: &[u8],
    debug: Option<&[u8]>,
    path: &str,
) -> Result<Vec<Diagnostic>, BindError> {
    let program = Program {
        executable,
        debug,
        ..Program::default()
    };
    bind_program(map, &program, path)
}

/// Binds `map` to an executable, wherever its debug info is. Otherwise as [`bind`].
///
/// # Errors
/// When there can be no binding at all; the map is then left as it was.
pub fn bind_program(map: &mut Map, program: &Program<'_>, path: &str) -> Result<Vec<Diagnostic>, BindError> {
    let (binding, diagnostics) = binding_to(map, program, path)?;
    map.binding = Some(binding);
    map.libraries.clear();
    Ok(diagnostics)
}

/// Binds `map`, which is bound to a program, to a shared object as well with which the program runs. Otherwise as
/// [`bind_program`].
///
/// # Errors
/// When there can be no binding to it; the map is then left as it was.
pub fn bind_library(map: &mut Map, library: &Program<'_>, path: &str) -> Result<Vec<Diagnostic>, BindError> {
    let (binding, diagnostics) = binding_to(map, library, path)?;
    map.libraries.push(binding);
    Ok(diagnostics)
}

/// Adds to `map` what the code of a program or shared object tells without any debug info: the flow of it. The first that is added is the program.
///
/// # Errors
/// When the file is no x86-64 ELF file, or nothing tells it from other builds.
pub fn bind_code(map: &mut Map, executable: &[u8], path: &str) -> Result<(), BindError> {
    let image = Image::parse(executable)?;
    let identity = image.identity();
    if identity.build_id.is_empty() && image.text().is_none() {
        return Err(BindError::NoIdentity);
    }
    let flow::Decoded { code, tail_jumps, .. } =
        flow::machine_code(&image, std::iter::empty(), &objects::FrameObjects::default());
    let binding = Binding {
        build_id: identity.build_id,
        text_hash: identity.text_hash,
        executable: path.to_owned(),
        code: MachineCode {
            leaf_calls: Vec::new(),
            ..code
        },
        tail_jumps,
        ..Binding::default()
    };
    match map.binding {
        None => map.binding = Some(binding),
        Some(_) => map.libraries.push(binding),
    }
    Ok(())
}

fn binding_to(map: &Map, program: &Program<'_>, path: &str) -> Result<(Binding, Vec<Diagnostic>), BindError> {
    let image = Image::parse(program.executable)?;
    if image.is_debug_file() {
        return Err(BindError::DebugFileAlone);
    }
    let identity = image.identity();
    if identity.build_id.is_empty() && image.text().is_none() {
        return Err(BindError::NoIdentity);
    }
    let sections = debug_sections(&image, program)?;
    let parsed = whole_debug(&sections)?;
    Ok(assemble::assemble(map, &image, &parsed, identity, path))
}

/// What files the debug info of an executable is spread over, besides the executable and its debug file.
///
/// # Errors
/// When there is no debug info to tell.
pub fn needs(executable: &[u8], debug: Option<&[u8]>) -> Result<Needs, BindError> {
    let image = Image::parse(executable)?;
    let program = Program {
        executable,
        debug,
        ..Program::default()
    };
    let sections = debug_sections(&image, &program)?;
    let parsed = Debug::parse(&sections);
    let mut split = Vec::from_iter(parsed.missing.iter().map(|(name, _)| name.clone()));
    split.sort();
    split.dedup();
    Ok(Needs {
        supplementary: parsed.without,
        split,
    })
}

/// Tells what build an executable is, and where its debug info may be.
///
/// # Errors
/// When it is no x86-64 ELF executable.
pub fn identity(executable: &[u8]) -> Result<Identity, BindError> {
    Ok(Image::parse(executable)?.identity())
}

/// The C and C++ sources that an executable was built from, and where the compiler found headers.
///
/// # Errors
/// When there is no debug info to tell.
pub fn sources(program: &Program<'_>) -> Result<Sources, BindError> {
    let image = Image::parse(program.executable)?;
    let sections = debug_sections(&image, program)?;
    let parsed = whole_debug(&sections)?;
    Ok(sources::sources(&image, &parsed))
}

/// What a build tells of the files that it compiles or includes, by their paths, as [`sources`] gives them.
///
/// # Errors
/// When there is no debug info to tell.
pub fn compiled_files(program: &Program<'_>) -> Result<BTreeMap<String, CompiledFile>, BindError> {
    let image = Image::parse(program.executable)?;
    let sections = debug_sections(&image, program)?;
    let parsed = whole_debug(&sections)?;
    Ok(compiled::compiled_files(&image, &parsed))
}

/// The return addresses of the calls that debug info describes, sorted: nearly all of optimised code, none of other code.
///
/// # Errors
/// When there is no debug info to tell.
pub fn call_sites(program: &Program<'_>) -> Result<Vec<u64>, BindError> {
    let image = Image::parse(program.executable)?;
    let sections = debug_sections(&image, program)?;
    let parsed = whole_debug(&sections)?;
    let mut files = lines::UnitFiles::new(&parsed);
    let forest = walk::walk(&image, &mut files, &parsed, &std::collections::BTreeSet::new());
    let mut sites = Vec::from_iter(forest.calls.iter().filter_map(|call| call.return_address));
    sites.retain(|&address| image.is_code(address.wrapping_sub(1)));
    sites.sort_unstable();
    sites.dedup();
    Ok(sites)
}

/// Whether an expression of `binding` can be evaluated in a frame that has called another: with the registers that callees
/// preserve, and with what some call has passed.
pub fn readable_from_outside(expression: &[u8], binding: &progress_map::Binding) -> bool {
    // rbx, rbp, rsp and r12 to r15.
    let is_preserved = |register: &u16| matches!(register, 3 | 6 | 7 | 12..=15);
    let is_passed = |register: &u8| {
        let mut passed = binding.calls.iter().flat_map(|call| &call.passed);
        passed.any(|passed| passed.register == *register)
    };
    expression::facts(expression)
        .is_some_and(|facts| facts.registers.iter().all(is_preserved) && facts.entry.iter().all(is_passed))
}

/// Whether `map` is bound to this executable.
///
/// # Errors
/// When it is not, or when that cannot be told.
pub fn check(map: &Map, executable: &[u8]) -> Result<(), Mismatch> {
    let binding = map.binding.as_ref().ok_or(Mismatch::NotBound)?;
    let image = Image::parse(executable).map_err(Mismatch::Unreadable)?;
    let found = image.identity();
    if !binding.build_id.is_empty() && !found.build_id.is_empty() {
        if binding.build_id != found.build_id {
            return Err(Mismatch::BuildId {
                map: hex(&binding.build_id),
                executable: hex(&found.build_id),
            });
        }
        // With a build-id that is set by hand (`-Wl,--build-id=0x…`) different builds have the same one.
        if image.text().is_some() && binding.text_hash != found.text_hash {
            return Err(Mismatch::Code(hex(&found.build_id)));
        }
        return Ok(());
    }
    // The hash of a missing section would fit any other file without one.
    if image.text().is_some() && binding.text_hash == found.text_hash {
        Ok(())
    } else {
        Err(Mismatch::Text)
    }
}

/// The debug sections that belong to `image`: its own, or those of the separate file.
fn debug_sections<'a>(image: &Image<'a>, program: &Program<'a>) -> Result<Sections<'a>, BindError> {
    let no_debug_info = || BindError::NoDebugInfo(image.hints());
    match program.debug {
        Some(bytes) => {
            let separate = Image::parse(bytes)?;
            if !image.same_build(&separate) {
                return Err(BindError::WrongDebugFile {
                    executable: hex(image.build_id()),
                    debug: hex(separate.build_id()),
                });
            }
            if separate.has_debug_info() {
                return Sections::load(&separate, program);
            }
            if image.has_debug_info() {
                return Sections::load(image, program);
            }
            Err(no_debug_info())
        }
        None if image.has_debug_info() => Sections::load(image, program),
        None => Err(no_debug_info()),
    }
}

/// Parses the debug info, unless all of it is elsewhere.
fn whole_debug<'a>(sections: &'a Sections<'_>) -> Result<Debug<'a>, BindError> {
    let parsed = Debug::parse(sections);
    match parsed.missing.first() {
        Some((name, _)) if parsed.missing.len() == parsed.units.len() => {
            Err(BindError::SplitDwarf(name.clone()))
        }
        _ => Ok(parsed),
    }
}
