//! Whom a call by name may mean.

use dataflow::{FunctionIndex, Program};
use ir::FunctionKind;
use std::collections::BTreeMap;

/// The functions of a program by name, as calls see them.
pub(crate) struct Callees<'p, 'u> {
    program: &'p Program<'u>,
    /// `static` functions of headers: each file that includes one has it.
    in_headers: BTreeMap<&'u str, Vec<FunctionIndex>>,
    /// What evaluates the default arguments of functions, by their name.
    defaults: BTreeMap<&'u str, Vec<FunctionIndex>>,
}

impl<'p, 'u> Callees<'p, 'u> {
    pub(crate) fn new(program: &'p Program<'u>) -> Self {
        let mut in_headers: BTreeMap<&'u str, Vec<FunctionIndex>> = BTreeMap::new();
        let mut defaults: BTreeMap<&'u str, Vec<FunctionIndex>> = BTreeMap::new();
        for (id, info) in program.functions.iter_enumerated() {
            if info.function.kind == FunctionKind::DefaultArguments {
                defaults.entry(&info.function.name).or_default().push(id);
                continue;
            }
            let path = &program.units[info.unit].path;
            let extension = path.rsplit_once('.').map(|(_, extension)| extension);
            if info.function.is_static
                && extension.is_some_and(|extension| extension.starts_with(['h', 'H', 'i']))
            {
                in_headers.entry(&info.function.name).or_default().push(id);
            }
        }
        Callees {
            program,
            in_headers,
            defaults,
        }
    }

    /// The functions that a call by `name` from a file may mean; none if it is a function without source.
    pub(crate) fn of(&self, unit: usize, name: &str) -> Vec<FunctionIndex> {
        let known: Vec<FunctionIndex> = self.program.callees(unit, name).collect();
        if known.is_empty() {
            self.in_headers.get(name).cloned().unwrap_or_default()
        } else {
            known
        }
    }

    /// What evaluates the default arguments of functions of this name.
    pub(crate) fn defaults(&self, name: &str) -> &[FunctionIndex] {
        self.defaults.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether the source of some function that may be meant is there.
    pub(crate) fn any(&self, unit: usize, name: &str) -> bool {
        self.program.callees(unit, name).next().is_some() || self.in_headers.contains_key(name)
    }
}
