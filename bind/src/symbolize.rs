//! Addresses of code to functions and lines, by debug info alone: for stacks of programs whose sources are not at hand, or are in a
//! language that maps are not made of.

use crate::BindError;
use crate::debug::LONGEST_NAME;
use crate::elf::Image;
use crate::sections::{Program, borrow};
use std::borrow::Cow;

/// A function, and the line of it, that an address belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeLine {
    /// The function by its name in the source; `None` where debug info has none.
    pub function: Option<String>,
    /// The path of the source file as the build has it.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, in bytes from 1.
    pub column: Option<u32>,
}

/// For each address, as linked, the functions that it is in: the one that was compiled on its own first, then what was inlined
/// into it. The list is empty for an address that debug info does not cover.
///
/// # Errors
/// When there is no debug info to tell.
pub fn code_lines(program: &Program<'_>, addresses: &[u64]) -> Result<Vec<Vec<CodeLine>>, BindError> {
    let image = Image::parse(program.executable)?;
    let sections = crate::debug_sections(&image, program)?;
    let mut dwarf = borrow(&sections.own);
    if let Some(supplementary) = &sections.supplementary {
        dwarf.set_sup(borrow(supplementary));
    }
    let context = addr2line::Context::from_dwarf(dwarf)?;
    let lines = addresses.iter().map(|&address| {
        // Units whose entries are in files of their own are left out: their lines are in the program, their names are not.
        let Ok(mut frames) = context.find_frames(address).skip_all_loads() else {
            return Vec::new();
        };
        let mut chain = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref();
            let location = frame.location.as_ref();
            chain.push(CodeLine {
                function: name
                    .and_then(|name| name.raw_name().ok())
                    .filter(|name| name.len() <= LONGEST_NAME)
                    .map(Cow::into_owned),
                file: location.and_then(|location| Some(location.file?.to_owned())),
                line: location
                    .and_then(|location| location.line)
                    .filter(|&line| line > 0),
                column: location
                    .and_then(|location| location.column)
                    .filter(|&column| column > 0),
            });
        }
        // The innermost comes first there.
        chain.reverse();
        chain
    });
    Ok(lines.collect())
}
