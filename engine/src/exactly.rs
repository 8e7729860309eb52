//! Functions as the exact parser reads them, in what a build's preprocessor made of their file.

use base::Confidence;
use exact::{Preprocessed, SourceRange};
use frontend::{Macros, Positions, Source, join_file_scope, same_function};
use ir::Unit;
use std::ops::Range;

/// Replaces the functions of `unit` by what the exact parser makes of them in `outputs`, which the preprocessor made of the
/// file, once for each way in which the build compiles it. A function whose tokens cannot all be given a place stays as it
/// is. Says how many were replaced.
///
/// # Errors
/// Why nothing was replaced.
pub(crate) fn read_exactly(
    unit: &mut Unit,
    source: &Source<'_>,
    outputs: &[Vec<u8>],
    macros: &Macros,
) -> Result<usize, String> {
    let output = match outputs {
        [] => return Ok(0),
        [only] => only,
        _ => {
            return Err(
                "the build compiles it in several ways, which the exact parser would have to agree on"
                    .to_owned(),
            );
        }
    };
    let positions = Positions::new(source, output, macros).map_err(|why| why.to_string())?;
    let preprocessed = Preprocessed {
        path: source.path,
        raw: source.text,
        text: output,
    };
    let place = |range: Range<usize>| {
        let (span, from_macro) = positions.place(range)?;
        Some(SourceRange { span, from_macro })
    };
    let mut read = exact::parse(&preprocessed, &place).map_err(|why| why.to_string())?;
    let mut replaced = 0;
    for function in std::mem::take(&mut read.functions) {
        let lines = (function.span.line, function.span.end_line);
        if function.confidence != Confidence::Clean || !positions.are_certain(lines.0, lines.1) {
            continue;
        }
        match same_function(&unit.functions, &function) {
            Some(index) => unit.functions[index] = function,
            // A name that a macro puts together: the text as written shows another one.
            None => {
                let apart = |known: &ir::Function| {
                    known.span.end_line < function.span.line || function.span.end_line < known.span.line
                };
                unit.functions.retain(apart);
                unit.functions.push(function);
            }
        }
        replaced += 1;
    }
    if replaced > 0 {
        unit.functions
            .sort_by_key(|function| (function.span.line, function.span.column));
        join_file_scope(unit, vec![read]);
    }
    Ok(replaced)
}
