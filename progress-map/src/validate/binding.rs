//! The promises of a binding.

use super::invalid;
use crate::{Binding, BoundVariable, Encoding, FileId, FunctionId, FunctionInstance, Invalid, MachineCode};
use base::Id;

const NO_FILE: &str = "its file is not in the map";
const NO_FUNCTION: &str = "the map has no such function";
const NO_NAME: &str = "there is no such linkage name";
const NOT_AFTER: &str = "it does not come after the one before it";

/// Checks a binding of a map with so many files and functions.
pub(crate) fn binding(b: &Binding, files: usize, functions: usize) -> Result<(), Invalid> {
    let promises = Promises { b, files, functions };
    promises.rows()?;
    promises.functions()?;
    promises.inlines()?;
    for (i, variable) in b.variables.iter().enumerate() {
        promises.variable(i, variable)?;
    }
    promises.calls()?;
    promises.merges()?;
    code(&b.code)
}

/// Says what is wrong with which of some parts, if it is.
fn check(ok: bool, part: &str, index: usize, what: &'static str) -> Result<(), Invalid> {
    if ok {
        Ok(())
    } else {
        Err(invalid(format!("{part} {index} of the binding"), what))
    }
}

/// Checks ranges that are not empty, sorted and apart.
fn ranges(part: &str, ranges: impl Iterator<Item = (u64, u64)>) -> Result<(), Invalid> {
    let mut last = 0;
    for (i, (start, end)) in ranges.enumerate() {
        check(start < end, part, i, "it ends before it starts")?;
        check(last <= start, part, i, "it starts before the one before it ends")?;
        last = end;
    }
    Ok(())
}

/// Checks addresses that are sorted, none twice.
fn addresses(part: &str, addresses: impl Iterator<Item = u64>) -> Result<(), Invalid> {
    let mut last = None;
    for (i, address) in addresses.enumerate() {
        check(last.is_none_or(|last| last < address), part, i, NOT_AFTER)?;
        last = Some(address);
    }
    Ok(())
}

struct Promises<'b> {
    b: &'b Binding,
    files: usize,
    functions: usize,
}

impl Promises<'_> {
    fn file_exists(&self, file: Result<FileId, u32>) -> bool {
        match file {
            Ok(id) => id.index() < self.files,
            Err(other) => (other as usize) < self.b.other_files.len(),
        }
    }

    fn function_exists(&self, id: Option<FunctionId>) -> bool {
        id.is_none_or(|id| id.index() < self.functions)
    }

    fn name_exists(&self, name: Option<u32>) -> bool {
        name.is_none_or(|name| (name as usize) < self.b.linkage_names.len())
    }

    fn rows(&self) -> Result<(), Invalid> {
        let rows = self.b.rows.iter();
        ranges("row", rows.clone().map(|row| (row.start, row.end)))?;
        for (i, row) in rows.enumerate() {
            check(self.file_exists(row.file), "row", i, NO_FILE)?;
        }
        Ok(())
    }

    fn functions(&self) -> Result<(), Invalid> {
        let functions = self.b.functions.iter();
        ranges("function", functions.clone().map(|f| (f.start, f.end)))?;
        for (i, f) in functions.enumerate() {
            check(self.function_exists(f.function), "function", i, NO_FUNCTION)?;
            check(self.name_exists(f.linkage_name), "function", i, NO_NAME)?;
        }
        Ok(())
    }

    fn inlines(&self) -> Result<(), Invalid> {
        let part = "inlined call";
        for (i, inline) in self.b.inlines.iter().enumerate() {
            check(inline.start <= inline.end, part, i, "it ends before it starts")?;
            let before = inline.parent.is_none_or(|p| (p as usize) < i);
            check(before, part, i, "its parent does not come before it")?;
            check(self.function_exists(inline.function), part, i, NO_FUNCTION)?;
            check(self.name_exists(inline.linkage_name), part, i, NO_NAME)?;
            check(self.file_exists(inline.call_file), part, i, NO_FILE)?;
        }
        Ok(())
    }

    fn variable(&self, i: usize, v: &BoundVariable) -> Result<(), Invalid> {
        let part = "variable";
        let exists = match v.instance {
            FunctionInstance::Anywhere(id) => id.index() < self.functions,
            FunctionInstance::Concrete(f) => (f as usize) < self.b.functions.len(),
            FunctionInstance::Inlined(f) => (f as usize) < self.b.inlines.len(),
        };
        check(exists, part, i, "there is no such instance of a function")?;
        let scope = v.scope.iter().all(|(start, end)| start <= end);
        check(scope, part, i, "a range of its scope ends before it starts")?;
        let ranges = v.locations.iter().all(|l| l.start <= l.end);
        check(ranges, part, i, "a range of its location ends before it starts")?;
        let sorted = v.locations.is_sorted_by_key(|l| l.start);
        check(sorted, part, i, "its locations are not sorted")?;
        let size = match v.encoding {
            Encoding::Signed(size) | Encoding::Unsigned(size) => matches!(size, 1 | 2 | 4 | 8),
            Encoding::Float(size) => matches!(size, 4 | 8),
            Encoding::Address => true,
        };
        check(size, part, i, "no value of its kind has so many bytes")
    }

    fn calls(&self) -> Result<(), Invalid> {
        let calls = self.b.calls.iter();
        addresses("call", calls.clone().map(|call| call.return_address))?;
        for (i, call) in calls.enumerate() {
            let exist = call
                .callees
                .iter()
                .all(|&f| (f as usize) < self.b.functions.len());
            check(exist, "call", i, "there is no such function")?;
            let sorted = call.passed.is_sorted_by(|a, b| a.register < b.register);
            check(sorted, "call", i, "its registers are not sorted")?;
        }
        let calls = self.b.mpi_calls.iter();
        addresses("MPI call", calls.clone().map(|call| call.return_address))?;
        for (i, call) in calls.enumerate() {
            let sorted = call.arguments.is_sorted_by(|a, b| a.index < b.index);
            check(sorted, "MPI call", i, "its arguments are not sorted")?;
        }
        let sorted = self
            .b
            .sites
            .is_sorted_by(|a, b| a.return_address < b.return_address);
        check(sorted, "call site", 0, "call sites are not sorted")?;
        let jumps = self.b.tail_jumps.as_deref().unwrap_or_default();
        check(jumps.is_sorted(), "tail call", 0, "tail calls are not sorted")
    }

    fn merges(&self) -> Result<(), Invalid> {
        for (i, merge) in self.b.merges.iter().enumerate() {
            let exists = merge.function.index() < self.functions;
            check(exists, "merged call", i, NO_FUNCTION)?;
        }
        let sorted = self.b.merges.is_sorted_by(|a, b| a < b);
        check(sorted, "merged call", 0, "merged calls are not sorted")
    }
}

/// Checks the flow of machine code.
fn code(code: &MachineCode) -> Result<(), Invalid> {
    let exists = |block: u32| (block as usize) < code.blocks.len();
    let mut last = 0;
    for (i, block) in code.blocks.iter().enumerate() {
        let part = "block of code";
        let later = last <= block.start && block.start <= block.end;
        check(later, part, i, NOT_AFTER)?;
        check(
            block.function as usize <= i,
            part,
            i,
            "its function begins after it",
        )?;
        last = block.end;
    }
    for (i, way) in code.ways.iter().enumerate() {
        let exist = exists(way.from) && exists(way.to);
        check(exist, "way through the code", i, "there is no such block")?;
    }
    let sorted = code.ways.is_sorted_by(|a, b| a < b);
    check(sorted, "way through the code", 0, "ways are not sorted")?;
    for (i, change) in code.changes.iter().enumerate() {
        check(
            exists(change.block),
            "change of a register or slot",
            i,
            "there is no such block",
        )?;
    }
    let sorted = code.changes.is_sorted_by(|a, b| a < b);
    check(
        sorted,
        "change of a register or slot",
        0,
        "changes are not sorted",
    )?;
    for (i, call) in code.calls.iter().enumerate() {
        let exist = exists(call.block) && exists(call.callee);
        check(exist, "call in the code", i, "there is no such block")?;
    }
    let sorted = code.calls.is_sorted_by(|a, b| a.block < b.block);
    check(sorted, "call in the code", 0, "calls are not sorted")?;
    for (i, call) in code.leaf_calls.iter().enumerate() {
        let part = "call of a leaf in the code";
        check(exists(call.block), part, i, "there is no such block")?;
    }
    let sorted = code.leaf_calls.is_sorted_by(|a, b| a.block < b.block);
    check(sorted, "call of a leaf in the code", 0, "calls are not sorted")
}
