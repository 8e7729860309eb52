//! The calls of one function's machine code that may come to MPI, with the source of each.

use crate::Order;
use crate::code_flow::FunctionCode;
use crate::locate::with_nested_calls;
use library::symbols::is_of_exceptions;
use progress_map::{Binding, FileId, FunctionId, PointId};
use std::collections::BTreeMap;

/// One function of the source at an instruction: the function of the code itself, or one that is inlined there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    pub(crate) function: Option<FunctionId>,
    /// By which call it is inlined. The same call in several pieces is one.
    inlined_by: Option<SourcePosition>,
    /// Where the instruction is in it: that of the next level's call, or its own.
    position: Option<SourcePosition>,
}

/// A place in a file as the binding has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourcePosition {
    file: Result<FileId, u32>,
    line: u32,
    column: u32,
}

/// The source at an address.
pub(crate) struct SourceAt {
    pub(crate) address: u64,
    /// Outermost first, one at least.
    pub(crate) levels: Vec<Level>,
}

impl Level {
    /// The line, if it is known.
    pub(crate) fn line(&self) -> Option<u32> {
        self.position
            .map(|position| position.line)
            .filter(|&line| line != 0)
    }

    /// Whether both are one call of one function.
    pub(crate) fn is_instance_of(&self, other: &Self) -> bool {
        (self.function, self.inlined_by) == (other.function, other.inlined_by)
    }
}

impl SourceAt {
    /// `inlined` are the inlined calls of the code around the address.
    pub(crate) fn new(binding: &Binding, inlined: &[u32], address: u64) -> Self {
        let inlines = binding.inlined_among(inlined, address);
        let inlines = inlines.iter().map(|&at| &binding.inlines[at as usize]);
        let calls = Vec::from_iter(inlines.map(|inline| {
            let position = SourcePosition {
                file: inline.call_file,
                line: inline.call_line,
                column: inline.call_column,
            };
            (inline.function, position)
        }));
        let row = binding.row_at(address).map(|row| SourcePosition {
            file: row.file,
            line: row.line,
            column: row.column,
        });
        let outermost = binding.function_at(address).and_then(|bound| bound.function);
        let instances = std::iter::once((outermost, None)).chain(
            calls
                .iter()
                .map(|&(function, position)| (function, Some(position))),
        );
        let positions = calls.iter().map(|&(_, position)| Some(position)).chain([row]);
        let levels = instances.zip(positions);
        let levels = levels.map(|((function, inlined_by), position)| Level {
            function,
            inlined_by,
            position,
        });
        Self {
            address,
            levels: levels.collect(),
        }
    }

    /// The innermost level that is of a function.
    pub(crate) fn depth_of(&self, function: FunctionId) -> Option<usize> {
        let is_of = |level: &Level| level.function == Some(function);
        self.levels.iter().rposition(is_of)
    }

    /// How many of the outermost levels are one instance each with those of another instruction of the same code.
    pub(crate) fn shared(&self, other: &Self) -> usize {
        let levels = self.levels.iter().zip(&other.levels);
        levels
            .take_while(|(own, other)| own.is_instance_of(other))
            .count()
    }
}

/// The code of one function, and the source of each call in it that may come to MPI.
pub(crate) struct CallsOfCode<'o> {
    pub(crate) order: &'o Order<'o>,
    pub(crate) binding: &'o Binding,
    /// The inlined calls of the code.
    pub(crate) inlined: Vec<u32>,
    /// By block that ends in such a call.
    pub(crate) sources: BTreeMap<u32, SourceAt>,
}

impl<'o> CallsOfCode<'o> {
    pub(crate) fn new(order: &'o Order<'_>, binding: &'o Binding, code: &FunctionCode) -> Self {
        let block = |number: u32| &binding.code.blocks[number as usize];
        let start = code.blocks.first().map_or(0, |&first| block(first).start);
        let end = code.blocks.last().map_or(0, |&last| block(last).end);
        let inlined = binding.inlined_in(start..end);
        // What handles exceptions stands at lines without a call, waits for nobody, and comes back.
        let handles_exceptions =
            |number: u32| binding.named_by(block(number).end).is_some_and(is_of_exceptions);
        let blocks = code.blocks.iter();
        let calls = blocks.filter(|&&number| code.communicates(number) && !handles_exceptions(number));
        let source = |&number: &u32| {
            let call = block(number).end - 1;
            (number, SourceAt::new(binding, &inlined, call))
        };
        let sources = calls.map(source).collect();
        Self {
            order,
            binding,
            inlined,
            sources,
        }
    }

    /// The points of the function of a level at which an instruction may be there.
    pub(crate) fn points(&self, at: &SourceAt, depth: usize) -> Vec<PointId> {
        let level = &at.levels[depth];
        let (Some(id), Some(position)) = (level.function, level.position) else {
            return Vec::new();
        };
        let body = &self.order.map().functions[id];
        if position.line == 0 || position.file != Ok(body.file) {
            return Vec::new();
        }
        let on_line = body.points_on(position.line).collect();
        let column = Some(position.column).filter(|&column| column > 0);
        let mut points = with_nested_calls(body, body.narrowed(on_line, position.line, column));
        let calls = points
            .iter()
            .copied()
            .filter(|&point| body.points[point].kind.is_call());
        let calls = Vec::from_iter(calls);
        let merges = self.binding.merges_of(id).iter();
        let merged = merges
            .filter(|merge| calls.contains(&merge.shown) && merge.is_about(Some(at.address + 1)))
            .map(|merge| merge.other);
        points.extend(merged);
        points.extend(body.within(&calls));
        points
    }
}
