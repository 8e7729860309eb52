//! Function names by address, from symbol tables alone.
//!
//! A symbol names an address only if the address lies within the symbol's size. Taking the nearest symbol below would
//! invent names in stripped libraries. One without a size (hand-written assembly) counts when an unwind entry that
//! covers the address begins exactly at it.

use crate::contents::Contents;
use crate::elf::Module;
use crate::names::{self, Tables};
use base::mpi_entry_point;
use regular_files::Limit;
use std::collections::BTreeMap;
use std::path::Path;

/// The functions of a module, sorted by address.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    functions: Vec<Function>,
}

#[derive(Debug, PartialEq, Eq)]
struct Function {
    address: u64,
    size: u64,
    name: String,
}

impl Symbols {
    /// The symbols of a module: its own, and those of a separate debug file that carries its build-id.
    fn of(module: &Module) -> Symbols {
        let mut functions = Vec::new();
        collect(module.bytes(), &mut functions);
        if let Some(path) = debug_file(module.build_id())
            && let Ok(bytes) = regular_files::read(Path::new(&path), Limit::PROGRAM)
        {
            collect(&bytes, &mut functions);
        }
        // Of several names of one address: the least decorated one, as a user would write it (`MPI_Send` rather than
        // `PMPI_Send`, `nanosleep` rather than `__nanosleep`), then any, but always the same.
        let underscores = |name: &str| name.bytes().take_while(|&byte| byte == b'_').count();
        functions.sort_unstable_by(|a, b| {
            let by_place = a.address.cmp(&b.address).then(b.size.cmp(&a.size));
            by_place
                .then_with(|| underscores(&a.name).cmp(&underscores(&b.name)))
                .then_with(|| a.name.len().cmp(&b.name.len()))
                .then_with(|| a.name.cmp(&b.name))
        });
        functions.dedup_by_key(|function| function.address);
        let mut symbols = Symbols { functions };
        symbols.name_what_entry_points_jump_to(module);
        symbols
    }

    /// Some entry points of MPI are one jump to a function without a symbol: MPICH's `MPI_Waitany` and `MPI_Testsome`. Whoever waits there is in that
    /// function alone, so it gets the entry point's name. Only entry points are followed: other functions jump to what many share.
    fn name_what_entry_points_jump_to(&mut self, module: &Module) {
        let mut names: BTreeMap<u64, Option<&str>> = BTreeMap::new();
        for function in &self.functions {
            let Some(target) = jumps_to(module, function) else {
                continue;
            };
            if mpi_entry_point(&function.name).is_some() && self.at(target, None).is_none() {
                // What two of them share has the name of neither.
                let name = names.entry(target).or_insert(Some(&function.name));
                *name = name.filter(|known| *known == function.name);
            }
        }
        // Without a size, such a name counts where the unwind entry begins at its address.
        let new = Vec::from_iter(names.into_iter().filter_map(|(address, name)| {
            Some(Function {
                address,
                size: 0,
                name: name?.to_owned(),
            })
        }));
        self.functions.extend(new);
        self.functions.sort_by_key(|function| function.address);
    }

    /// The function that holds an address. `unwind_start` is where the unwind entry that covers the address begins.
    fn at(&self, address: u64, unwind_start: Option<u64>) -> Option<&Function> {
        let after = self
            .functions
            .partition_point(|function| function.address <= address);
        // A nested symbol (a local label with a size) may end before the address: look a little further out.
        const NESTED: usize = 8;
        self.functions[..after]
            .iter()
            .rev()
            .take(NESTED)
            .find(|function| {
                address - function.address < function.size
                    || (function.size == 0 && unwind_start == Some(function.address))
            })
    }
}

/// Where a function goes that is nothing but a near jump, perhaps behind the mark of a target of indirect jumps.
fn jumps_to(module: &Module, function: &Function) -> Option<u64> {
    const MARK: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
    const JUMP: usize = 5;
    let size = usize::try_from(function.size).ok()?;
    if ![JUMP, MARK.len() + JUMP].contains(&size) {
        return None;
    }
    let end = function.address.checked_add(function.size)?;
    let code = module.code_before(end, size)?;
    match code.strip_prefix(&MARK).unwrap_or(code) {
        [0xe9, distance @ ..] => {
            let distance = i32::from_le_bytes(distance.try_into().ok()?);
            end.checked_add_signed(distance.into())
        }
        _ => None,
    }
}

/// The name of the function that holds `address` (as linked), if a symbol says so.
pub(crate) fn name_at(module: &Module, address: u64) -> Option<&str> {
    function_at(module, address).map(|function| function.name.as_str())
}

/// Where the function begins that holds `address` (both as linked), if a symbol says so.
pub(crate) fn start_of(module: &Module, address: u64) -> Option<u64> {
    function_at(module, address).map(|function| function.address)
}

fn function_at(module: &Module, address: u64) -> Option<&Function> {
    let unwind_start = module
        .unwind(address)
        .map(|unwind| unwind.entry().initial_address());
    module
        .symbols
        .get_or_init(|| Symbols::of(module))
        .at(address, unwind_start)
}

/// The names of functions that begin at these addresses of a program or shared object (as linked), by its symbols and those of a separate debug file.
///
/// # Errors
/// Why the file cannot be read, or that its build is another one than that with this id; an empty one is any.
pub fn names_of_functions(
    path: &Path,
    build_id: &[u8],
    addresses: &[u64],
) -> Result<Vec<Option<String>>, String> {
    let bytes = regular_files::read(path, Limit::PROGRAM)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let module = Module::parse(&path.display().to_string(), Contents::Copied(bytes))?;
    if !build_id.is_empty() && module.build_id() != build_id {
        return Err(format!("{} is another build by now", path.display()));
    }
    let names = addresses.iter().map(|&address| {
        let found = function_at(&module, address).filter(|function| function.address == address);
        found.map(|function| function.name.clone())
    });
    Ok(names.collect())
}

/// Where distributions put the symbols that they strip.
fn debug_file(build_id: &[u8]) -> Option<String> {
    let (first, rest) = build_id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("/usr/lib/debug/.build-id/{first:02x}/{rest}.debug"))
}

fn collect(bytes: &[u8], functions: &mut Vec<Function>) {
    names::for_each(bytes, Tables::All, |symbol| {
        if symbol.is_code {
            functions.push(Function {
                address: symbol.address,
                size: symbol.size,
                name: symbol.name.to_owned(),
            });
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(list: &[(u64, u64, &str)]) -> Symbols {
        Symbols {
            functions: list
                .iter()
                .map(|&(address, size, name)| Function {
                    address,
                    size,
                    name: name.to_owned(),
                })
                .collect(),
        }
    }

    fn name(function: Option<&Function>) -> Option<&str> {
        function.map(|function| function.name.as_str())
    }

    #[test]
    fn a_symbol_names_nothing_beyond_its_size() {
        let symbols = symbols(&[(16, 16, "a"), (40, 0, "label"), (64, 8, "b")]);
        assert_eq!(name(symbols.at(15, None)), None);
        assert_eq!(name(symbols.at(31, None)), Some("a"));
        assert_eq!(name(symbols.at(32, Some(32))), None);
        assert_eq!(name(symbols.at(50, Some(40))), Some("label"));
        assert_eq!(name(symbols.at(50, Some(48))), None);
        assert_eq!(name(symbols.at(72, None)), None);
    }

    #[test]
    fn an_enclosing_symbol_is_found_past_a_nested_one() {
        let symbols = symbols(&[(16, 100, "outer"), (20, 4, "inner")]);
        assert_eq!(name(symbols.at(22, None)), Some("inner"));
        assert_eq!(name(symbols.at(24, None)), Some("outer"));
    }

    #[test]
    fn debug_files_are_named_by_build_id() {
        assert_eq!(
            debug_file(&[0xab, 1, 2]).as_deref(),
            Some("/usr/lib/debug/.build-id/ab/0102.debug")
        );
        assert_eq!(debug_file(&[]), None);
    }
}
