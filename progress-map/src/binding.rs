//! The binding: one build of one executable, as far as the probe and the order need it.
//!
//! All addresses are the executable's own (as linked); the probe adds the load bias.

use crate::{FileId, FunctionId, MachineCode, PointId, TailJump};
use std::num::NonZeroU64;
use std::ops::Range;

/// What ties a map to one build of one executable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Binding {
    /// The executable's build-id note; the map is refused for any other. Empty when the build has none, then
    /// `text_hash` alone decides.
    pub build_id: Vec<u8>,
    /// blake3 of the executable's `.text` section.
    pub text_hash: [u8; 32],
    /// The executable's path when the map was bound, for messages only.
    pub executable: String,
    /// The compiler as `DW_AT_producer` of the first unit names it, for messages only.
    pub producer: String,
    /// Source paths that rows and inlined calls name but the map does not hold (headers, system sources).
    pub other_files: Vec<String>,
    /// The linker's names of the functions of C++, or where there are none names with template arguments; none twice. For readers only.
    pub linkage_names: Vec<String>,
    /// Line-table rows as half-open address ranges, sorted by `start`, not overlapping.
    pub rows: Vec<Row>,
    /// Concrete functions, sorted by `start`, not overlapping.
    pub functions: Vec<BoundFunction>,
    /// Inlined calls, parents before children, grouped by function and sorted by `start` within one parent.
    pub inlines: Vec<BoundInline>,
    /// Where listed variables live.
    pub variables: Vec<BoundVariable>,
    /// What calls passed, sorted by return address, none twice: for functions some of whose variables are described by the
    /// value that a register had on entry (`DW_OP_entry_value`).
    pub calls: Vec<BoundCall>,
    /// Calls that may stand for others, sorted, none twice: the compiler may have kept one copy of code that two arms of a branch
    /// share, and the position of one of them.
    pub merges: Vec<BoundMerge>,
    /// What calls of MPI functions passed, sorted by return address, none twice.
    pub mpi_calls: Vec<BoundMpiCall>,
    /// Whom call instructions name, where a position has several calls; sorted by return address, none twice.
    pub sites: Vec<BoundSite>,
    /// The flow of the machine code.
    pub code: MachineCode,
    /// The tail calls of its functions, sorted by address; `None` if nobody has looked for them.
    pub tail_jumps: Option<Vec<TailJump>>,
}

impl Binding {
    /// Those of `merges` that are about calls in `function`.
    pub fn merges_of(&self, function: FunctionId) -> &[BoundMerge] {
        let first = self.merges.partition_point(|merge| merge.function < function);
        let length = self.merges[first..].partition_point(|merge| merge.function == function);
        &self.merges[first..first + length]
    }

    /// The function whose code is at an address.
    pub fn function_at(&self, address: u64) -> Option<&BoundFunction> {
        self.functions.get(self.index_at(address)? as usize)
    }

    /// The same as an index into [`Binding::functions`].
    pub fn index_at(&self, address: u64) -> Option<u32> {
        let after = self
            .functions
            .partition_point(|function| function.start <= address);
        let at = after.checked_sub(1)?;
        self.functions.get(at).filter(|function| address < function.end)?;
        u32::try_from(at).ok()
    }

    /// What code at `start` is a part of: the inlined call `parent`, or without one the function there.
    pub fn instance_around(&self, parent: Option<u32>, start: u64) -> Option<FunctionInstance> {
        match parent {
            Some(parent) => Some(FunctionInstance::Inlined(parent)),
            None => Some(FunctionInstance::Concrete(self.index_at(start)?)),
        }
    }

    /// Whom the call instruction that returns to an address names, where [`Binding::sites`] has it.
    pub fn named_by(&self, return_address: u64) -> Option<&str> {
        let site = self
            .sites
            .binary_search_by_key(&return_address, |site| site.return_address);
        self.sites[site.ok()?].named.as_deref()
    }

    /// The row that an address lies in.
    pub fn row_at(&self, address: u64) -> Option<&Row> {
        let after = self.rows.partition_point(|row| row.start <= address);
        let row = self.rows.get(after.checked_sub(1)?)?;
        (address < row.end).then_some(row)
    }

    /// The inlined calls that contain an address, outermost first: indices into [`Binding::inlines`].
    pub fn inlined_at(&self, address: u64) -> Vec<u32> {
        self.inlined_among(&self.inlined_in(address..address + 1), address)
    }

    /// The inlined calls that have code in a range, parents before children: indices into [`Binding::inlines`].
    pub fn inlined_in(&self, range: Range<u64>) -> Vec<u32> {
        let all = (0u32..).zip(&self.inlines);
        let inside = all.filter(|(_, inline)| inline.start < range.end && range.start < inline.end);
        inside.map(|(index, _)| index).collect()
    }

    /// Those of some inlined calls, parents before children, that contain an address, outermost first, with their parents.
    pub fn inlined_among(&self, calls: &[u32], address: u64) -> Vec<u32> {
        // Calls at one address nest. Parents come before children, so the innermost is the last that has the depth.
        let mut chain = Vec::new();
        for &index in calls {
            let inline = &self.inlines[index as usize];
            if (inline.start..inline.end).contains(&address) {
                let candidate = self.with_parents(index);
                if candidate.len() > chain.len() {
                    chain = candidate;
                }
            }
        }
        chain
    }

    fn with_parents(&self, index: u32) -> Vec<u32> {
        let mut chain = vec![index];
        let mut current = index;
        while let Some(parent) = self
            .inlines
            .get(current as usize)
            .and_then(|inline| inline.parent)
        {
            // Parents have smaller indices; a map that says otherwise must not make us go in circles.
            if parent >= current {
                break;
            }
            chain.push(parent);
            current = parent;
        }
        chain.reverse();
        chain
    }

    /// Which function of the map an instance is of, if it is one.
    pub fn function_of(&self, instance: FunctionInstance) -> Option<FunctionId> {
        match instance {
            FunctionInstance::Anywhere(id) => Some(id),
            FunctionInstance::Concrete(index) => self.functions.get(index as usize)?.function,
            FunctionInstance::Inlined(index) => self.inlines.get(index as usize)?.function,
        }
    }
}

/// A frame that shows the position of one call may be inside another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BoundMerge {
    /// The function of both.
    pub function: FunctionId,
    /// The call whose position is shown.
    pub shown: PointId,
    /// The call that it may be as well.
    pub other: PointId,
    /// The address behind the only call instruction of which this is said; `None`: of each that has the position.
    pub return_address: Option<NonZeroU64>,
}

impl BoundMerge {
    /// Whether it is said of the call instruction that returns to an address; where that is not known, it may be.
    pub fn is_about(&self, return_address: Option<u64>) -> bool {
        match (self.return_address, return_address) {
            (Some(own), Some(address)) => own.get() == address,
            _ => true,
        }
    }
}

/// A stretch of code that one source position stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// First address.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// The source file: an id of the map's files, or `Err(i)` for `other_files[i]`.
    pub file: Result<FileId, u32>,
    /// Line, from 1; 0 when the compiler gives none.
    pub line: u32,
    /// Column in bytes, from 1; 0 when the compiler gives none.
    pub column: u32,
    /// The code begins a statement of the line (`is_stmt`), or was not optimised. Other code may stand among that of other
    /// lines, or have no line of its own and show that of its neighbour.
    pub statement: bool,
}

/// A function's code in the executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundFunction {
    /// First address of this range. A function in several pieces (`.cold`) has one record for each.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// Which function of the map it is, if the map holds its source.
    pub function: Option<FunctionId>,
    /// Name in the source.
    pub name: String,
    /// The linker's name, an index into [`Binding::linkage_names`].
    pub linkage_name: Option<u32>,
    /// The DWARF expression of its frame base (usually `DW_OP_call_frame_cfa`).
    pub frame_base: Vec<u8>,
    /// The compiler was free to make a jump of a call in tail position, and to move computations past calls. Frames may
    /// be missing from a stack then, and a frame of a function that calls itself last may be that of a deeper call.
    pub optimised: bool,
}

/// An inlined call: from `start` to `end` the code belongs to `function`, called from the position given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundInline {
    /// First address.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// The inlined call around this one, an index into `Binding::inlines` smaller than this one's.
    pub parent: Option<u32>,
    /// Which function of the map was inlined, if the map holds its source.
    pub function: Option<FunctionId>,
    /// Name in the source.
    pub name: String,
    /// As [`BoundFunction::linkage_name`].
    pub linkage_name: Option<u32>,
    /// The file of the call, as in [`Row::file`].
    pub call_file: Result<FileId, u32>,
    /// The line of the call.
    pub call_line: u32,
    /// The column of the call; 0 when unknown.
    pub call_column: u32,
}

/// Which instance of a function a variable belongs to: the concrete function or one of its inlined copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FunctionInstance {
    /// Not tied to a frame: a static or global variable. It is listed for every function that uses it.
    Anywhere(FunctionId),
    /// An index into `Binding::functions`.
    Concrete(u32),
    /// An index into `Binding::inlines`.
    Inlined(u32),
}

/// Where one listed variable (a LOV, or the start or step of one) lives in one instance of its function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundVariable {
    /// The instance of the function whose frame it is read in.
    pub instance: FunctionInstance,
    /// The name that recorded values carry, as in `Lov::name`.
    pub name: String,
    /// Lexical scope, half-open address ranges; empty means the whole instance. Of two variables of one name the
    /// one with the smaller scope is meant.
    pub scope: Vec<(u64, u64)>,
    /// Where its base object lives, sorted by `start`, by address; between the ranges it is optimised out.
    pub locations: Vec<LocationRange>,
    /// From the base object to the value: empty for a plain variable.
    pub path: Vec<PathStep>,
    /// How the bytes there are read.
    pub encoding: Encoding,
}

/// A DWARF location expression and the addresses for which it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationRange {
    /// First address; 0 together with `end` = `u64::MAX` for a location that always holds.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// The expression, self-contained: `DW_OP_addrx` and `DW_OP_constx` have been rewritten by the binder, and what cannot
    /// be is left out. An operator that names a type names it by [`Encoding::number`]. `DW_OP_entry_value` holds one
    /// register and means [`Binding::calls`]. `DW_AT_const_value` is `DW_OP_consts …
    /// DW_OP_stack_value`. Of a value in pieces, one is kept at its place: `DW_OP_piece` of what is before it, and then that piece.
    pub expression: Vec<u8>,
}

/// A call, and what it passed in registers.
///
/// It is listed only if its callee is known, and cannot come to run again by jumps of calls in tail position: then a frame of the
/// callee that returns to this address was entered by this call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundCall {
    /// The address after the call.
    pub return_address: u64,
    /// The records of the callee, indices into `Binding::functions`, sorted.
    pub callees: Vec<u32>,
    /// The registers whose value is known, by DWARF number, sorted.
    pub passed: Vec<Passed>,
}

/// What a register holds when a call is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The register's DWARF number.
    pub register: u8,
    /// A DWARF expression as in [`LocationRange::expression`], for the value, in the frame of the caller. It reads no memory,
    /// which the callee might have changed.
    pub expression: Vec<u8>,
}

/// A call instruction whose position in the source may be that of several calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundSite {
    /// The address after the call.
    pub return_address: u64,
    /// The function that the instruction calls, by its name in the source; `None` when it calls through a pointer.
    pub named: Option<String>,
}

/// A call of an MPI function by its name, and what it passed: a library without debug info does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundMpiCall {
    /// The address after the call.
    pub return_address: u64,
    /// The arguments whose value is known, by their place from 0, sorted.
    pub arguments: Vec<PassedArgument>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedArgument {
    /// Its place among the arguments, from 0.
    pub index: u8,
    /// As in [`Passed::expression`].
    pub expression: Vec<u8>,
}

/// One step from a base object to the value read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// Add so many bytes to the address.
    Offset(u64),
    /// Read a pointer at the address and go where it points.
    Deref,
}

/// How the bytes of a value are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// A signed integer of so many bytes (1, 2, 4, 8).
    Signed(u8),
    /// An unsigned integer of so many bytes (1, 2, 4, 8).
    Unsigned(u8),
    /// A floating-point number of 4 or 8 bytes.
    Float(u8),
    /// An address; its values compare only after the start has been taken away.
    Address,
}

impl Encoding {
    /// By what a location expression names a type: a number below 128, where a unit of debug info would be asked. 0 is the
    /// generic type, as wide as an address; else four times the size in bytes, plus 0 if signed, 1 if unsigned, 2 if a
    /// floating-point number.
    pub fn number(self) -> u8 {
        match self {
            Self::Address => 0,
            Self::Signed(bytes) => 4 * bytes,
            Self::Unsigned(bytes) => 4 * bytes + 1,
            Self::Float(bytes) => 4 * bytes + 2,
        }
    }

    /// The type that a number stands for, if it is one.
    pub fn of_number(number: u8) -> Option<Self> {
        let bytes = number / 4;
        match (number % 4, bytes) {
            (0, 0) => Some(Self::Address),
            (0, 1 | 2 | 4 | 8) => Some(Self::Signed(bytes)),
            (1, 1 | 2 | 4 | 8) => Some(Self::Unsigned(bytes)),
            (2, 4 | 8) => Some(Self::Float(bytes)),
            _ => None,
        }
    }
}
